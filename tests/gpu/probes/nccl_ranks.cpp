// SPDX-License-Identifier: Apache-2.0
//
// collective@cuda with several ranks on ONE GPU: what NCCL does there, what is verified, and how soon a case
// ends when a rank dies. NCCL refuses two ranks on a GPU of one machine, so each rank says that it is a
// machine of its own (NCCL_HOSTID), and they speak over sockets. Rates mean nothing; calls and results are
// the real ones.
//
//   g++ -O2 -std=c++17 -Isdk/include -o nccl_ranks tests/gpu/probes/nccl_ranks.cpp -ldl -pthread
//   ./nccl_ranks LIBRARY RANKS WORD…
//
// A word is name=value of a parameter, launch=stream|graph, n=N (iterations), end=cancel|kill (of the last
// rank in the midst of its iterations), and "," begins another case.
#include <assay/abi/v1.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kMost = 8, kSlot = 1 << 16;

struct Shared {
  std::atomic<unsigned> arrived, generation, cancelled;
  char slots[kMost][kSlot];
};

Shared* shared;
std::uint32_t rank_count;
std::uint32_t my_rank;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool meet() {
  const unsigned generation = shared->generation.load();
  if (shared->arrived.fetch_add(1) + 1 == rank_count) {
    shared->arrived.store(0);
    shared->generation.store(generation + 1);
    return true;
  }
  while (shared->generation.load() == generation) {
    if (shared->cancelled.load() != 0) return false;
    std::this_thread::yield();
  }
  return true;
}

assay_status barrier(const assay_group_v1*) { return meet() ? ASSAY_OK : ASSAY_CANCELLED; }
assay_status broadcast(const assay_group_v1*, void* data, std::uint64_t bytes, std::uint32_t root) {
  if (bytes > kSlot) return ASSAY_E_RESOURCE;
  if (my_rank == root) std::memcpy(shared->slots[root], data, bytes);
  if (!meet()) return ASSAY_CANCELLED;
  std::memcpy(data, shared->slots[root], bytes);
  return meet() ? ASSAY_OK : ASSAY_CANCELLED;
}
assay_status allgather(const assay_group_v1*, const void* mine, void* all, std::uint64_t bytes) {
  if (bytes > kSlot) return ASSAY_E_RESOURCE;
  std::memcpy(shared->slots[my_rank], mine, bytes);
  if (!meet()) return ASSAY_CANCELLED;
  for (std::uint32_t r = 0; r < rank_count; ++r)
    std::memcpy(static_cast<char*>(all) + r * bytes, shared->slots[r], bytes);
  return meet() ? ASSAY_OK : ASSAY_CANCELLED;
}

struct Case {
  std::map<std::string, std::string> parameters{
      {"op", "all_reduce"},       {"bytes", "1048576"},     {"dtype", "fp32"},
      {"reduction", "sum"},       {"placement", "out"},     {"root", "0"},
      {"timing", "back_to_back"}, {"registration", "none"}, {"groups", "1"}};
  std::string launch = "stream", end;
  std::uint64_t n = 0;
  std::string words;
  std::string reason, facts;
};

Case& self(const assay_case* c) { return *static_cast<Case*>(c->host); }

int status_word(const char* what, assay_status status, const Case& one) {
  if (status == ASSAY_OK) return 0;
  std::printf("  rank %u %s: status %d%s%s\n", my_rank, what, status, one.reason.empty() ? "" : ", ",
              one.reason.c_str());
  std::fflush(stdout);
  return 1;
}

assay_group_v1 group;
const assay_benchmark_v1* facet;
void* plugin;

void run(Case& one) {
  shared->cancelled.store(0);
  assay_conditions conditions{};
  conditions.size = sizeof conditions;
  conditions.launch = one.launch == "graph" ? ASSAY_LAUNCH_GRAPH : ASSAY_LAUNCH_STREAM;
  conditions.seed = 7;
  assay_device device{sizeof(assay_device), 0, "cuda:0", "", -1, 0};
  const assay_device* devices[] = {&device};
  assay_case host{};
  host.size = sizeof host;
  host.device_count = 1;
  host.conditions = &conditions;
  host.devices = devices;
  host.host = &one;
  host.log = [](const assay_case*, assay_log_level, const char*) {};
  host.fail = [](const assay_case* c, const char* domain, std::int64_t code, const char* text) {
    self(c).reason = std::string(domain == nullptr ? "" : domain) + " " + std::to_string(code) + ": " + text;
  };
  host.fail_parameter = [](const assay_case* c, const char* parameter, const char* text) {
    self(c).reason = std::string(parameter) + ": " + text;
  };
  host.get_integer = [](const assay_case* c, const char* name, std::int64_t* out) -> assay_status {
    const auto found = self(c).parameters.find(name);
    if (found == self(c).parameters.end()) return ASSAY_E_INVALID;
    *out = std::atoll(found->second.c_str());
    return ASSAY_OK;
  };
  host.get_number = [](const assay_case*, const char*, double*) -> assay_status { return ASSAY_E_INVALID; };
  host.get_boolean = [](const assay_case*, const char*, std::int32_t*) -> assay_status {
    return ASSAY_E_INVALID;
  };
  host.get_text = [](const assay_case* c, const char* name, const char** out) -> assay_status {
    const auto found = self(c).parameters.find(name);
    if (found == self(c).parameters.end()) return ASSAY_E_INVALID;
    *out = found->second.c_str();
    return ASSAY_OK;
  };
  host.cancelled = [](const assay_case*) -> std::int32_t { return shared->cancelled.load() != 0 ? 1 : 0; };
  host.now_ns = [](const assay_case*) { return now(); };
  host.deadline_ns = [](const assay_case*) { return now() + 60'000'000'000; };
  host.work = [](const assay_case*, const char*, double) {};
  host.value = [](const assay_case*, const char*, std::uint32_t, const std::uint32_t*, double) {};
  host.fact = [](const assay_case* c, const char* name, const char* text) {
    if (std::string(name) == "registration" || std::string(name) == "library")
      self(c).facts += std::string(self(c).facts.empty() ? "" : "; ") + text;
  };
  host.check = [](const assay_case*, const char*, const char*, std::int32_t, const char*) {};
  host.query = [](const assay_case*, const char* id) -> const void* {
    return std::string(id) == ASSAY_SERVICE_GROUP ? &group : nullptr;
  };

  void* instance = nullptr;
  const std::int64_t began = now();
  if (status_word("create", facet->create(plugin, "collective", &host, &instance), one) != 0) return;
  const auto verify = [&](assay_verify_phase phase, const char* name) {
    assay_verification seen{};
    seen.size = sizeof seen;
    const assay_status status = facet->verify(instance, phase, &seen);
    if (my_rank == 0 || seen.wrong != 0)
      std::printf("  rank %u %s: %llu checked, %llu wrong, %s, tolerance %.3g, largest error %.3g\n", my_rank,
                  name, static_cast<unsigned long long>(seen.checked),
                  static_cast<unsigned long long>(seen.wrong), seen.exact != 0 ? "exact" : "rounded",
                  seen.tolerance, seen.largest_error);
    std::fflush(stdout);
    return status_word(name, status, one) == 0;
  };
  do {
    if (status_word("probe", facet->probe(instance), one) != 0) break;
    if (status_word("prepare", facet->prepare(instance), one) != 0) break;
    assay_traits traits{};
    traits.size = sizeof traits;
    if (status_word("traits", facet->traits(instance, &traits), one) != 0) break;
    if (!verify(ASSAY_VERIFY_BEFORE, "before")) break;
    const std::uint64_t n =
        one.n != 0 ? (one.n + traits.quantum - 1) / traits.quantum * traits.quantum : traits.quantum;
    const bool is_last = my_rank + 1 == rank_count;
    std::thread ender;
    if (!one.end.empty() && is_last) {
      ender = std::thread([&one] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        if (one.end == "kill") raise(SIGKILL);
        std::printf("  cancel\n");
        std::fflush(stdout);
        shared->cancelled.store(1);
      });
    }
    if (one.end == "kill" && my_rank == 0) {
      ender = std::thread([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(800));
        shared->cancelled.store(1);
      });
    }
    assay_sample sample{};
    sample.size = sizeof sample;
    std::vector<double> laps(n);
    if ((traits.flags & ASSAY_TRAIT_LAPS) != 0) {
      sample.laps_s = laps.data();
      sample.lap_capacity = n;
    }
    const std::int64_t before = now();
    meet();
    const assay_status status = facet->iterate(instance, ASSAY_MODE_MEASURE, n, &sample);
    const double took_s = static_cast<double>(now() - before) * 1e-9;
    if (my_rank == 0 || !one.end.empty())
      std::printf("  rank %u iterate: n %llu, status %d, device %.4g s, host %.4g s, returned after %.3f s\n",
                  my_rank, static_cast<unsigned long long>(n), status, sample.device_s, sample.host_s,
                  took_s);
    std::fflush(stdout);
    if (ender.joinable()) ender.join();
    if (status_word("iterate", status, one) != 0) break;
    if ((traits.flags & ASSAY_TRAIT_IDEMPOTENT) != 0 && !verify(ASSAY_VERIFY_LAST, "last")) break;
    if (!verify(ASSAY_VERIFY_AFTER, "after")) break;
  } while (false);
  const std::int64_t released = now();
  facet->release(instance);
  if (my_rank == 0)
    std::printf("  %s; release %.3f s, all %.3f s\n", one.facts.c_str(),
                static_cast<double>(now() - released) * 1e-9, static_cast<double>(now() - began) * 1e-9);
  std::fflush(stdout);
}

int rank(const char* library, std::vector<Case>& cases) {
  setenv("NCCL_HOSTID", ("rank" + std::to_string(my_rank)).c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", "lo", 0);
  void* loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  const auto entry = reinterpret_cast<assay_plugin_entry_v1_function>(dlsym(loaded, ASSAY_ENTRY_SYMBOL));
  const assay_plugin_v1* description = entry();
  assay_host host{sizeof(assay_host), ASSAY_ABI_MINOR, "probe", "0",
                  [](const assay_host*, const char*) -> const void* { return nullptr; }};
  if (description->open(&host, &plugin) != ASSAY_OK) return 1;
  facet = static_cast<const assay_benchmark_v1*>(description->query(plugin, ASSAY_FACET_BENCHMARK));
  group.size = sizeof(group);
  group.rank = group.local_rank = my_rank;
  group.rank_count = rank_count;
  group.node_count = 1;
  group.barrier = &barrier;
  group.broadcast = &broadcast;
  group.allgather = &allgather;
  for (Case& one : cases) {
    if (my_rank == 0) std::printf("%s\n", one.words.c_str());
    std::fflush(stdout);
    run(one);
    if (!one.end.empty()) break;  // nobody knows how far the others came
    if (!meet()) break;
  }
  if (description->close != nullptr) description->close(plugin);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  rank_count = static_cast<std::uint32_t>(std::atoi(argv[2]));
  if (rank_count < 2 || rank_count > kMost) return 2;
  std::vector<Case> cases(1);
  for (int k = 3; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == ",") {
      cases.emplace_back();
      continue;
    }
    Case& one = cases.back();
    one.words += (one.words.empty() ? "" : " ") + word;
    const std::size_t at = word.find('=');
    const std::string name = word.substr(0, at), value = word.substr(at + 1);
    if (name == "launch")
      one.launch = value;
    else if (name == "n")
      one.n = static_cast<std::uint64_t>(std::atoll(value.c_str()));
    else if (name == "end")
      one.end = value;
    else
      one.parameters[name] = value;
  }
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  shared = new (memory) Shared{};
  std::vector<pid_t> children;
  for (my_rank = 0; my_rank < rank_count; ++my_rank) {
    const pid_t child = fork();
    if (child == 0) std::_Exit(rank(argv[1], cases));
    children.push_back(child);
  }
  int worst = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) std::printf("  a rank died of signal %d\n", WTERMSIG(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) worst = 1;
  }
  return worst;
}
