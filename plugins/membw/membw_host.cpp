// SPDX-License-Identifier: Apache-2.0
//
// membw@host: what the CPUs get out of the memory, by STREAM's kernels over all allowed CPUs, and the latency
// of a dependent load.
#include "lib/cache_size.hpp"
#include "lib/cpu_team.hpp"
#include "lib/pages.hpp"
#include "lib/pointer_chase.hpp"
#include "lib/stream_kernels.hpp"

#include <assay/contracts/membw_1.hpp>
#include <assay/host.hpp>
#include <assay/memory.hpp>
#include <assay/plugin.hpp>
#include <assay/random.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using assay::plugins::CpuTeam;
using assay::plugins::SpinBarrier;
namespace chase = assay::plugins::chase;
namespace stream = assay::plugins::stream;

enum class Kernel { read, write, copy, scale, add, triad, latency };

constexpr double kScalar = 3;
constexpr std::uint64_t kLoadsPerIteration = 4096;

class Membw final : public assay::Benchmark {
 public:
  struct Params {
    Kernel kernel = Kernel::triad;
    std::uint64_t bytes = std::uint64_t{256} << 20;
    stream::Stores stores = stream::Stores::temporal;
    std::uint32_t threads = 0;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::membw_1;
    contract::implement(is).revision(1);
    is.summary("memory bandwidth of STREAM's kernels, and load latency, on the CPUs");
    is.doc(
        "Every allowed CPU works on its own share of the arrays, which it touched first. Bytes are counted "
        "as STREAM counts them: what the "
        "kernel names, not the line that an ordinary store fetches before it writes; non-temporal stores "
        "fetch none. Arrays should "
        "together be at least four times the last-level cache, see the fact working_set.");
    contract::kernel(is, &Params::kernel)
        .choices({{"read", Kernel::read},
                  {"write", Kernel::write},
                  {"copy", Kernel::copy},
                  {"scale", Kernel::scale},
                  {"add", Kernel::add},
                  {"triad", Kernel::triad},
                  {"latency", Kernel::latency}});
    contract::bytes(is, &Params::bytes)
        .range(4096, std::uint64_t{1} << 42)
        .help("size of each array; a multiple of 128");
    is.param("stores", &Params::stores)
        .choices({{"temporal", stream::Stores::temporal}, {"nontemporal", stream::Stores::nontemporal}})
        .help("kind of stores: ordinary, or around the caches");
    is.param("threads", &Params::threads)
        .range(0, 65536)
        .help("number of threads; 0: one per allowed CPU; latency always uses one");
    contract::bandwidth(is).mechanism("CPU threads").peak("memory_bandwidth");
    contract::latency(is);
    is.fact("threads", "number of threads that took part");
    is.fact("working_set", "size of all arrays, and how it compares to the last-level cache");
    is.fact("pages", "page size under the arrays");
    is.supports({assay::Cache::hot});
  }

  Membw(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.bytes % sizeof(chase::Node) != 0)
      throw assay::BadParameter("bytes", "it is not a multiple of 128");
    if (params_.kernel == Kernel::latency) return;
    pass_ = stream::find_pass(stream_kernel(), params_.stores);
    if (pass_ == nullptr) {
      throw assay::Skip(stream_kernel() == stream::Kernel::read
                            ? "read stores nothing, so there are no non-temporal stores in it"
                            : "this CPU has no non-temporal stores of vectors");
    }
  }

  void prepare() override {
    team_.emplace(params_.kernel == Kernel::latency ? 1 : static_cast<int>(params_.threads));
    context().fact("threads", std::to_string(team_->size()));
    context().fact("pages", assay::plugins::page_policy());
    if (params_.kernel == Kernel::latency) {
      prepare_chase();
      say_working_set(params_.bytes);
      return;
    }
    const int arrays = stream_kernel() == stream::Kernel::read || stream_kernel() == stream::Kernel::write ? 1
                       : stream::uses_c(stream_kernel())                                                   ? 3
                                                         : 2;
    elements_ = params_.bytes / sizeof(double);
    // Arrays that begin at the same offset in a page make loads wait for stores that only look as if they
    // overlapped.
    for (std::size_t i = 0; i < 3; ++i) {
      if (!needs(i)) continue;
      buffers_[i] = assay::HostBuffer<double>(context(), elements_ + 3 * kStagger, 4096);
      assay::plugins::ask_for_huge_pages(buffers_[i].data(), buffers_[i].bytes());
      arrays_[i] = buffers_[i].data() + i * kStagger;
    }
    restore();
    work("bandwidth",
         static_cast<double>(stream::bytes_per_element(stream_kernel())) * static_cast<double>(elements_));
    say_working_set(static_cast<std::uint64_t>(arrays) * params_.bytes);
  }

  assay::Traits traits() override {
    assay::Traits traits;
    traits.tick_s = 1e-9 * static_cast<double>(clock_tick_ns());
    traits.idempotent = params_.kernel != Kernel::latency;
    return traits;
  }

  assay::Verification verification(assay::VerifyPhase phase) override {
    if (params_.kernel == Kernel::latency) return check_chain();
    if (phase != assay::VerifyPhase::last) {
      restore();
      assay::Sample ignored{};
      iterate(assay::Mode::verify, 1, ignored);
    }
    assay::Verification seen = check();
    if (phase == assay::VerifyPhase::before) restore();  // what the samples leave has to be theirs
    return seen;
  }

  bool reseed() override {
    if (params_.kernel == Kernel::latency) return false;
    restore();
    return true;
  }

  void iterate(assay::Mode, std::uint64_t n, assay::Sample& sample) override {
    std::int64_t begin = 0, end = 0;
    if (params_.kernel == Kernel::latency) {
      team_->run([&](int) {
        begin = context().now_ns();
        position_ = chase::follow(position_, n * kLoadsPerIteration);
        end = context().now_ns();
      });
      walked_ += n * kLoadsPerIteration;
    } else {
      // Waking the team is not measured: the region begins when all have come and ends when all are done.
      // Every iteration ends with all of them meeting, as every pass of STREAM does.
      SpinBarrier barrier(team_->size());
      team_->run([&](int member) {
        const auto [first, last] = team_->share(member, elements_, stream::kGrain);
        const stream::Slice slice{arrays_[0], arrays_[1], arrays_[2], first, last};
        double sum = 0;
        barrier.wait([&] { begin = context().now_ns(); });
        for (std::uint64_t left = n; left > 0; --left) {
          sum = pass_(slice, kScalar);
          barrier.wait([&] {
            if (left == 1) end = context().now_ns();
          });
        }
        sums_[static_cast<std::size_t>(member)] = sum;
      });
    }
    sample.host_s = sample.device_s = static_cast<double>(end > begin ? end - begin : 1) * 1e-9;
    sample.begin_ns = begin;
    sample.end_ns = end;
    sample.done = ASSAY_DONE_HOT;
  }

 private:
  static constexpr std::size_t kStagger = 136;                 // doubles: 17 cache lines
  static constexpr std::size_t kPiece = std::size_t{1} << 20;  // elements between two looks for a cancel

  stream::Kernel stream_kernel() const {
    switch (params_.kernel) {
      case Kernel::read:
        return stream::Kernel::read;
      case Kernel::write:
        return stream::Kernel::write;
      case Kernel::copy:
        return stream::Kernel::copy;
      case Kernel::scale:
        return stream::Kernel::scale;
      case Kernel::add:
        return stream::Kernel::add;
      case Kernel::triad:
      case Kernel::latency:
        break;
    }
    return stream::Kernel::triad;
  }

  // Array 0 is written, 1 and 2 are read.
  bool needs(std::size_t array) const {
    const stream::Kernel kernel = stream_kernel();
    if (array == 0) return kernel != stream::Kernel::read;
    if (array == 1) return kernel != stream::Kernel::write;
    return stream::uses_c(kernel);
  }

  // Whole numbers below 1024, so that every kernel's result and the sum of an array are exact in any order.
  double initial(std::size_t array, std::uint64_t i) const {
    const std::uint64_t mixed =
        (i + array * 0x9E3779B97F4A7C15ull) * 0xD1342543DE82EF95ull + context().seed();
    return static_cast<double>((mixed >> 32) & 1023);
  }

  double expected(std::uint64_t i) const {
    const double b = initial(1, i), c = initial(2, i);
    switch (stream_kernel()) {
      case stream::Kernel::read:
        return b;
      case stream::Kernel::write:
        return kScalar;
      case stream::Kernel::copy:
        return b;
      case stream::Kernel::scale:
        return kScalar * b;
      case stream::Kernel::add:
        return b + c;
      case stream::Kernel::triad:
        return b + kScalar * c;
    }
    return 0;
  }

  // Calls body(first, last) for pieces of a member's share until the case should end.
  template <class Body>
  void in_pieces(int member, Body&& body) const {
    const auto [first, last] = team_->share(member, elements_, stream::kGrain);
    for (std::size_t from = first; from < last && !context().cancelled(); from += kPiece) {
      body(from, std::min(last, from + kPiece));
    }
  }

  // Each thread writes its own share first, which puts the pages on its node; a is filled with what no kernel
  // produces.
  void restore() {
    team_->run([&](int member) {
      for (std::size_t array = 0; array < 3; ++array) {
        if (arrays_[array] == nullptr) continue;
        in_pieces(member, [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) arrays_[array][i] = array == 0 ? -1 : initial(array, i);
        });
      }
    });
    context().throw_if_cancelled();
    sums_.assign(static_cast<std::size_t>(team_->size()), -1);
  }

  assay::Verification check() {
    assay::Verification seen;
    seen.method("closed form, every element");
    std::atomic<std::uint64_t> wrong{0}, first_wrong{~std::uint64_t{0}};
    team_->run([&](int member) {
      std::uint64_t mine = 0;
      double sum = 0;
      in_pieces(member, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
          if (stream_kernel() == stream::Kernel::read) {
            sum += expected(i);
          } else if (arrays_[0][i] != expected(i)) {
            if (mine++ == 0) note_first(first_wrong, i);
          }
        }
      });
      const auto [first, last] = team_->share(member, elements_, stream::kGrain);
      if (stream_kernel() == stream::Kernel::read && sum != sums_[static_cast<std::size_t>(member)]) {
        mine = last - first;
        note_first(first_wrong, first);
      }
      wrong += mine;
    });
    context().throw_if_cancelled();
    std::string where;
    if (wrong != 0) {
      const std::uint64_t i = first_wrong;
      where = stream_kernel() == stream::Kernel::read
                  ? "a thread's sum is not that of its share"
                  : "element " + std::to_string(i) + " is " + std::to_string(arrays_[0][i]) + ", expected " +
                        std::to_string(expected(i));
    }
    seen.count(elements_, wrong, where);
    return seen;
  }

  // No load was short-circuited, and the timed walk went through all of the memory.
  assay::Verification check_chain() const {
    const chase::Cycle cycle =
        chase::look_at_cycle(nodes_.data(), position_, nodes_.size(), [&] { return !context().cancelled(); });
    context().throw_if_cancelled();
    assay::Verification seen;
    seen.method("one cycle through all nodes, and the walk's end");
    seen.count(nodes_.size(), cycle.length == nodes_.size() ? 0 : nodes_.size(),
               "the cycle has " + std::to_string(cycle.length) + " nodes");
    seen.count(1, cycle.place == walked_ % nodes_.size() ? 0 : 1,
               "after " + std::to_string(walked_) + " loads the walk is at another node");
    return seen;
  }

  static void note_first(std::atomic<std::uint64_t>& first, std::uint64_t i) {
    std::uint64_t known = first;
    while (i < known && !first.compare_exchange_weak(known, i)) {
    }
  }

  void prepare_chase() {
    nodes_ = assay::HostBuffer<chase::Node>(context(), params_.bytes / sizeof(chase::Node), 4096);
    assay::plugins::ask_for_huge_pages(nodes_.data(), nodes_.bytes());
    const assay::Random random(context().seed());
    bool linked = false;
    team_->run([&](int) {
      std::uint64_t draw = 0;
      linked = chase::link_cycle(
          nodes_.data(), nodes_.size(), [&](std::uint64_t bound) { return random.bits(draw++) % bound; },
          [&] { return !context().cancelled(); });
    });
    if (!linked) throw assay::Cancelled();
    position_ = nodes_.data();
    work("latency", static_cast<double>(kLoadsPerIteration));
  }

  void say_working_set(std::uint64_t bytes) {
    context().fact("working_set", assay::plugins::working_set_text(static_cast<double>(bytes),
                                                                   assay::plugins::allowed_cpus()));
  }

  std::int64_t clock_tick_ns() const {
    std::int64_t smallest = 1000000;
    for (int step = 0; step < 64; ++step) {
      const std::int64_t begin = context().now_ns();
      std::int64_t end = begin;
      for (int reads = 0; reads < 100000 && end == begin; ++reads) end = context().now_ns();
      if (end > begin && end - begin < smallest) smallest = end - begin;
    }
    return smallest;
  }

  Params params_;
  stream::Pass pass_ = nullptr;
  std::uint64_t elements_ = 0;
  assay::HostBuffer<double> buffers_[3];
  double* arrays_[3] = {nullptr, nullptr, nullptr};
  assay::HostBuffer<chase::Node> nodes_;
  const chase::Node* position_ = nullptr;
  std::uint64_t walked_ = 0;  // loads from the first node to there
  std::vector<double> sums_;
  std::optional<CpuTeam> team_;  // last: its threads use the buffers
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("memory bandwidth and latency on the CPUs");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.membw.host", "0.1.0", assay::host::backend, Membw, About)
