// SPDX-License-Identifier: Apache-2.0
//
// A worker without plugins that does what a test asks for: the benchmark's name is the behaviour. As a
// backend it takes its behaviour from the name of the library that it is told to load.
#include "base/error.hpp"
#include "wire/channel.hpp"
#include "wire/messages.hpp"
#include "wire/segment.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace assay {
namespace {

using result::Outcome;
using wire::Segment;

constexpr int kSamplePhase = 8;

struct Worker {
  wire::Channel channel{wire::kWorkerDescriptor};
  std::unique_ptr<Segment> segment;
  wire::Load load;
  int visits = 0;

  wire::Visited answer(const wire::StartVisit& start) const {
    wire::Visited visited;
    visited.number = start.number;
    visited.visit.case_id = start.case_id;
    visited.visit.outcome = Outcome::passed;
    visited.visit.measurement.stop = "samples";
    visited.visit.measurement.done = load.rank == 0 ? 5 : 4;
    visited.visit.measurement.flags = {"flag" + std::to_string(load.rank)};
    result::RankRecord record;
    record.series = {1, {1e-3}, {1e-3}, {0}, {}};
    record.log = "info: rank " + std::to_string(load.rank) + "\n";
    visited.visit.ranks.push_back(record);
    return visited;
  }
  void progress(std::uint64_t samples) const { segment->set_progress(load.rank, kSamplePhase, samples); }
  void send_samples(const wire::StartVisit& start) {
    const result::Series series{2, {0.25}, {0.5}, {0}, {}};
    channel.send(Json{
        {"type", "samples"}, {"number", start.number}, {"rank", load.rank}, {"series", to_json(series)}});
  }
  [[noreturn]] void crash() const {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    raise(SIGSEGV);
    std::abort();
  }
};

void fail(wire::Visited& visited, Outcome outcome, const std::string& code) {
  visited.visit.outcome = outcome;
  visited.visit.reason.code = code;
  visited.visit.reason.text = "as asked";
}

void write_all(int descriptor, const std::string& bytes) {
  [[maybe_unused]] const ssize_t ignored = write(descriptor, bytes.data(), bytes.size());
}

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

std::string open_descriptors() {
  std::string list;
  for (int number = 0; number < 256; ++number) {
    if (fcntl(number, F_GETFD) >= 0) list += (list.empty() ? "" : " ") + std::to_string(number);
  }
  return list;
}

std::string allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::string list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) list += (list.empty() ? "" : " ") + std::to_string(cpu);
  }
  return list;
}

void describe_self(const wire::StartVisit& start, wire::Visited& visited) {
  auto& facts = visited.visit.ranks[0].facts;
  for (const Json& name : start.parameters.at("variables")) {
    const char* value = std::getenv(name.get<std::string>().c_str());
    facts["env." + name.get<std::string>()] = value != nullptr ? value : "(unset)";
  }
  facts["descriptors"] = open_descriptors();
  facts["cpus"] = allowed_cpus();
  facts["stdin"] = std::filesystem::read_symlink("/proc/self/fd/0").string();
  facts["leads its session"] = getsid(0) == getpid() ? "yes" : "no";
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  struct sigaction interrupt {};
  sigaction(SIGINT, nullptr, &interrupt);
  facts["interrupt"] =
      sigismember(&blocked, SIGINT) == 0 && interrupt.sa_handler == SIG_DFL ? "default" : "changed";
  for (const wire::VisitDevice& device : start.devices) {
    facts["device." + device.name] = std::to_string(device.ordinal) + " " + device.uuid;
  }
}

// Waits for the cancel frame, as a worker's control thread does.
void wait_for_cancel(Worker& worker) {
  for (;;) {
    const std::optional<Json> frame = worker.channel.receive(-1);
    if (frame && frame->value("type", "") == "cancel") return;
  }
}

void meet_until_told(Worker& worker, const wire::StartVisit& start, wire::Visited& visited) {
  const int failing = start.parameters.value("failing_rank", -1);
  const std::string how = start.parameters.value("how", "crash");
  for (std::uint64_t i = 0;; ++i) {
    worker.progress(i);
    if (i == 0 && start.parameters.value("unlike_above", 99) < worker.load.rank + 1)
      visited.visit.measurement.flags.emplace_back(result::kUnlikeRanks);
    visited.visit.work["bandwidth"] = 1e6 * (1 + worker.load.rank * start.parameters.value("work_skew", 0.0));
    if (i == 3 && worker.load.rank == failing) {
      std::int64_t value = 0;
      if (how == "other_call" &&
          worker.segment->broadcast(worker.load.rank, &value, sizeof value, 1) != Segment::Wait::done) {
        fail(visited, Outcome::cancelled, "visit.cancelled");
        return;
      }
      if (how == "crash") worker.crash();
      if (how == "hang") sleep_for_ever();
      if (how == "stop") raise(SIGSTOP);
      if (how == "late") {
        wait_for_cancel(worker);
        fail(visited, Outcome::cancelled, "visit.cancelled");
        return;
      }
      fail(visited, Outcome::error, "plugin.error");
      return;
    }
    // The stubborn one does not look at what the others say.
    if ((how == "crash" || how == "stop") && i == 3 &&
        worker.load.rank == start.parameters.value("stubborn_rank", -1))
      sleep_for_ever();
    switch (worker.segment->barrier(worker.load.rank)) {
      case Segment::Wait::done:
        if (failing < 0 && i == 10) return;
        break;
      case Segment::Wait::dead:
        fail(visited, Outcome::error, "rank.failed");
        return;
      case Segment::Wait::cancelled:
        fail(visited, Outcome::cancelled, "visit.cancelled");
        return;
    }
  }
}

using Behaviour = std::function<void(Worker&, const wire::StartVisit&, wire::Visited&)>;

const std::map<std::string, Behaviour>& behaviours() {
  static const std::map<std::string, Behaviour> table = {
      {"trace",
       [](Worker&, const wire::StartVisit& start, wire::Visited& visited) {
         visited.visit.ranks[0].facts["trace"] = start.trace ? "asked for" : "not asked for";
       }},
      {"null", [](Worker&, const wire::StartVisit&, wire::Visited&) {}},
      {"count",
       [](Worker& worker, const wire::StartVisit&, wire::Visited& visited) {
         visited.visit.ranks[0].facts = {{"process", std::to_string(getpid())},
                                         {"visit", std::to_string(worker.visits)}};
       }},
      {"describe",
       [](Worker&, const wire::StartVisit& start, wire::Visited& visited) { describe_self(start, visited); }},
      {"crash",
       [](Worker& worker, const wire::StartVisit& start, wire::Visited&) {
         write_all(STDERR_FILENO, "last words\n");
         worker.channel.send(
             Json{{"type", "log"}, {"number", start.number}, {"level", "warning"}, {"text", "it is near"}});
         worker.send_samples(start);
         worker.progress(37);
         worker.crash();
       }},
      {"exit",
       [](Worker&, const wire::StartVisit& start, wire::Visited&) { _exit(start.parameters.at("status")); }},
      {"exit_after",
       [](Worker& worker, const wire::StartVisit&, wire::Visited& visited) {
         worker.channel.send(wire::to_json(visited));
         _exit(0);
       }},
      {"hang",
       [](Worker& worker, const wire::StartVisit& start, wire::Visited&) {
         signal(SIGTERM, SIG_IGN);
         worker.send_samples(start);
         worker.progress(2);
         sleep_for_ever();
       }},
      {"hang_until_term", [](Worker&, const wire::StartVisit&, wire::Visited&) { sleep_for_ever(); }},
      {"wait",
       [](Worker& worker, const wire::StartVisit&, wire::Visited& visited) {
         wait_for_cancel(worker);
         fail(visited, Outcome::cancelled, "visit.cancelled");
       }},
      // As wait, and another benchmark.
      {"linger",
       [](Worker& worker, const wire::StartVisit&, wire::Visited& visited) {
         wait_for_cancel(worker);
         fail(visited, Outcome::cancelled, "visit.cancelled");
       }},
      {"stop_itself", [](Worker&, const wire::StartVisit&, wire::Visited&) { raise(SIGSTOP); }},
      {"garbage",
       [](Worker&, const wire::StartVisit& start, wire::Visited&) {
         write_all(wire::kWorkerDescriptor, start.parameters.at("bytes").get<std::string>());
         sleep_for_ever();
       }},
      {"frame",
       [](Worker& worker, const wire::StartVisit& start, wire::Visited&) {
         worker.channel.send(start.parameters.at("frame"));
         sleep_for_ever();
       }},
      {"flood",
       [](Worker&, const wire::StartVisit& start, wire::Visited&) {
         const std::string line(999, 'x');
         for (int i = 0; i < start.parameters.at("kilobytes"); ++i) std::printf("%s\n", line.c_str());
         std::printf("the last line\n");
         std::fflush(stdout);
       }},
      {"bad_bytes", [](Worker&, const wire::StartVisit&,
                       wire::Visited&) { write_all(STDOUT_FILENO, "\x1b[31mred\xff\n"); }},
      {"fork",
       [](Worker& worker, const wire::StartVisit&, wire::Visited&) {
         const pid_t child = fork();
         if (child == 0) sleep_for_ever();
         write_all(STDOUT_FILENO, std::to_string(child) + "\n");
         worker.crash();
       }},
      {"daemon",
       [](Worker&, const wire::StartVisit&, wire::Visited& visited) {
         int report[2];
         if (pipe(report) != 0) _exit(1);
         const pid_t parent = fork();
         if (parent == 0) {
           setsid();
           const pid_t child = fork();
           if (child == 0) sleep_for_ever();
           [[maybe_unused]] const ssize_t ignored = write(report[1], &child, sizeof child);
           _exit(0);
         }
         pid_t child = 0;
         [[maybe_unused]] const ssize_t ignored = read(report[0], &child, sizeof child);
         siginfo_t info{};
         waitid(P_PID, static_cast<id_t>(parent), &info, WEXITED);
         visited.visit.ranks[0].facts = {{"process", std::to_string(child)}};
       }},
      {"overwrite",
       [](Worker& worker, const wire::StartVisit&, wire::Visited& visited) {
         worker.segment->set_progress(worker.load.rank, 99, 0);
         fail(visited, Outcome::cancelled, "visit.cancelled");
       }},
      {"crash_report",
       [](Worker& worker, const wire::StartVisit& start, wire::Visited&) {
         const std::string words = start.parameters.at("words");
         std::copy(words.begin(), words.end(), worker.segment->crash_report(worker.load.rank).begin());
         worker.crash();
       }},
      {"impatient",
       [](Worker& worker, const wire::StartVisit&, wire::Visited& visited) {
         if (worker.load.rank == 2) sleep_for_ever();
         // Rank 0 is released by rank 1's deadline.
         while (worker.load.rank == 0 && !worker.segment->cancelled()) usleep(1000);
         fail(visited, worker.load.rank == 0 ? Outcome::cancelled : Outcome::timeout, "visit.timeout");
         worker.segment->declare_cancelled();
       }},
      {"dirty", [](Worker&, const wire::StartVisit&,
                   wire::Visited& visited) { visited.dirty = "sticky device error"; }},
      {"error", [](Worker&, const wire::StartVisit&,
                   wire::Visited& visited) { fail(visited, Outcome::error, "plugin.error"); }},
      {"lose_device", [](Worker&, const wire::StartVisit&,
                         wire::Visited& visited) { fail(visited, Outcome::error, "device.lost"); }},
      {"lose_second_device",
       [](Worker&, const wire::StartVisit& start, wire::Visited& visited) {
         fail(visited, Outcome::error, "device.lost");
         visited.visit.reason.device = start.devices.at(1).name;
       }},
      {"lose_all_devices",
       [](Worker&, const wire::StartVisit& start, wire::Visited& visited) {
         fail(visited, Outcome::error, "device.lost");
         for (const wire::VisitDevice& device : start.devices)
           visited.visit.reason.device += (visited.visit.reason.device.empty() ? "" : ", ") + device.name;
       }},
      {"fail_in_prepare",
       [](Worker& worker, const wire::StartVisit&, wire::Visited& visited) {
         if (worker.load.rank != 1) return;
         fail(visited, Outcome::error, "plugin.error");
         visited.visit.reason.phase = "prepare";
         worker.segment->set_progress(1, 9, 0);  // it has released its case by now
       }},
      {"close_socket",
       [](Worker&, const wire::StartVisit&, wire::Visited&) {
         close(wire::kWorkerDescriptor);
         sleep_for_ever();
       }},
      {"meet", meet_until_told},
  };
  return table;
}

void run_visit(Worker& worker, const wire::StartVisit& start) {
  ++worker.visits;
  wire::Visited visited = worker.answer(start);
  behaviours().at(start.benchmark)(worker, start, visited);
  worker.channel.send(wire::to_json(visited));
}

void answer_backend(Worker& worker, const Json& question) {
  const std::string type = question.at("type");
  const std::string& how = worker.load.library;
  if (how.find("crash_on_" + type) != std::string::npos) worker.crash();
  if (how.find("hang_on_" + type) != std::string::npos) sleep_for_ever();
  if (how.find("rubbish_on_" + type) != std::string::npos) {
    worker.channel.send(Json{{"type", type == "read" ? "readings" : type}});
    return;
  }
  if (how.find("warns") != std::string::npos) {
    for (const char* level : {"info", "warning", "warning"})
      worker.channel.send(Json{{"type", "log"},
                               {"number", 0},
                               {"level", level},
                               {"text", std::string(level) + " of an old driver"}});
  }
  if (how.find("never the same") != std::string::npos) {
    for (int i = 0; i < 50; ++i)
      worker.channel.send(Json{
          {"type", "log"}, {"number", 0}, {"level", "warning"}, {"text", "warning " + std::to_string(i)}});
  }
  // Longer than a visit that does nothing.
  if (how.find("slow_on_" + type) != std::string::npos) poll(nullptr, 0, 200);
  if (type == "inventory") {
    worker.channel.send(Json::parse(R"({"type":"inventory","json":{"facts":{"driver":"1.0"},"devices":[
        {"name":"fake:0","uuid":"fake-uuid-0","model":"Fake","numa_node":0,"facts":{}},
        {"name":"fake:1","uuid":"fake-uuid-1","model":"Fake","numa_node":0,"facts":{}}]}})"));
  } else if (type == "read" && how.find("fails_on_read") != std::string::npos) {
    worker.channel.send(Json{{"type", "error"}, {"code", "x"}, {"text", "the sensor has no answer"}});
  } else if (type == "read") {
    Json readings = Json::array();
    static int answers = 0;
    ++answers;
    if (how.find("counts") != std::string::npos) {
      readings.push_back(Json::array({question.at("devices").at(0), "energy", 10 * answers}));
      readings.push_back(Json::array({question.at("devices").at(0), "errors", answers}));
    }
    if (how.find("babbles") != std::string::npos)
      readings.push_back(Json::array({question.at("devices").at(0), "aura", 1}));
    for (const Json& device : question.at("devices"))
      readings.push_back(Json::array({device, "power", 350.5}));
    const Json& first = question.at("devices").at(0);
    Json reasons = Json::array();
    std::string reason = how.find("loses") != std::string::npos ? "lost" : "power_cap";
    if (how.find("gives_unknown_reason") != std::string::npos) reason = "mood";
    if (how.find("heats") != std::string::npos) {
      // Cool, throttled three times, warm, and cool again; or hot for ever.
      static int reads = 0;
      ++reads;
      const bool hot = how.find("heats_for_ever") != std::string::npos || (reads > 1 && reads < 5);
      readings.push_back(Json::array({first, "temperature", hot ? 90 : reads == 5 ? 75 : 60}));
      if (hot) reason = "hw_thermal";
      if (reads == 5 && how.find("faults") != std::string::npos)
        reasons.push_back(Json::array({first, "xid_79"}));
    }
    reasons.push_back(Json::array({first, reason}));
    worker.channel.send(Json{{"type", "readings"}, {"readings", readings}, {"reasons", reasons}});
  } else if (type == "visibility") {
    std::string list;
    for (const Json& device : question.at("devices"))
      list += (list.empty() ? "" : ",") + device.get<std::string>();
    Json environment = Json::object();
    if (how.find("all_visible") == std::string::npos) environment["FAKE_VISIBLE_DEVICES"] = list;
    worker.channel.send(Json{{"type", "visibility"}, {"environment", environment}});
  }
}

int serve() {
  Worker worker;
  for (;;) {
    const std::optional<Json> frame = worker.channel.receive(-1);
    if (!frame) return 0;
    const std::string type = frame->at("type");
    if (type == "exit") return 0;
    if (type == "load") {
      worker.load = wire::load_from_json(*frame);
      if (worker.load.library.find("cannot_load") != std::string::npos) {
        worker.channel.send(
            Json{{"type", "error"}, {"code", "plugin.load"}, {"text", "libfoo.so.1 is missing"}});
        continue;
      }
      if (worker.load.library.find("crash_on_load") != std::string::npos) worker.crash();
      if (worker.load.library.find("backend") == std::string::npos) {
        worker.segment = std::make_unique<Segment>(Segment::attach(wire::kSegmentDescriptor));
      }
      worker.channel.send(
          Json{{"type", "ready"}, {"plugin", worker.load.plugin_id}, {"version", "1"}, {"built_minor", 0}});
    } else if (frame->contains("case_id")) {
      run_visit(worker, wire::start_visit_from_json(*frame));
    } else if (type != "cancel") {
      answer_backend(worker, *frame);
    }
  }
}

}  // namespace
}  // namespace assay

// Under a sanitizer, too, a signal must end this program as it ends any other.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name for it
extern "C" const char* __asan_default_options() { return "handle_segv=0:handle_abort=0:detect_leaks=0"; }
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name for it
extern "C" const char* __tsan_default_options() { return "handle_segv=0:handle_abort=0"; }

int main(int count, char** arguments) {
  if (count != 2 || std::string(arguments[1]) != "worker") return 64;
  try {
    return assay::serve();
  } catch (const assay::Error&) {
    return 0;  // the controller is gone
  }
}
