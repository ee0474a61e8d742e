// SPDX-License-Identifier: Apache-2.0
//
// roofline@host: the roofs of the CPUs, measured, and work of any intensity placed under them. In fp64.
#include "lib/cpu_team.hpp"
#include "lib/fma_peak.hpp"
#include "lib/pages.hpp"
#include "roofline/host_kernels.hpp"
#include "roofline/host_roofs.hpp"
#include "roofline/placement.hpp"
#include "roofline/roofs.hpp"

#include <assay/host.hpp>
#include <assay/memory.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace roofline = assay::plugins::roofline;
using assay::plugins::CpuTeam;
using assay::plugins::SpinBarrier;

enum class Work { fma, memory, sweep };

constexpr std::uint64_t kChainSteps = 1 << 14;  // of every chain in an iteration of fma

class Roofline final : public assay::Benchmark {
 public:
  struct Params {
    Work work = Work::fma;
    double intensity = 1;
    std::uint64_t bytes = 256 * assay::kMiB;
    std::uint32_t threads = 0;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("roofline").revision(1);
    is.summary("the roofs of the CPUs, measured, and work placed under them");
    is.doc(
        "`fma` is the roof of computing: chains of multiply-adds in fp64 that do not depend on each other, "
        "with the widest vectors, on all allowed CPUs. `memory` is the roof of reading. `sweep` reads and "
        "does as many "
        "multiply-adds with every byte as `intensity` says; it measures both roofs first and records what "
        "they leave to reach.");
    is.param("work", &Params::work)
        .choices({{"fma", Work::fma}, {"memory", Work::memory}, {"sweep", Work::sweep}})
        .help("work that is measured: a roof (fma, memory), or what is placed under them");
    is.param("intensity", &Params::intensity)
        .range(0.25, 1024)
        .help("operations of sweep for every byte that is read, a multiple of 0.25");
    is.param("bytes", &Params::bytes)
        .unit(assay::unit::bytes)
        .range(64 * assay::kKiB, std::uint64_t{1} << 42)
        .help("bytes that are read in an iteration; a multiple of 512");
    is.param("threads", &Params::threads).range(0, 65536).help("number of threads; 0: one per allowed CPU");
    is.rate("vector_throughput", assay::unit::flop_per_second)
        .counting("2 operations a multiply-add")
        .mechanism("CPU threads")
        .peak("vector_throughput")
        .summary("rate of work: fma, in fp64")
        .headline();
    is.rate("throughput", assay::unit::flop_per_second)
        .counting("2 operations a multiply-add")
        .mechanism("CPU threads")
        .peak("attainable")
        .summary("rate of work: sweep")
        .headline();
    is.rate("bandwidth", assay::unit::bytes_per_second)
        .counting("each byte read once")
        .flow("reads")
        .mechanism("CPU threads")
        .peak("memory_bandwidth")
        .summary("rate of memory and sweep")
        .headline();
    is.value("compute_roof", assay::unit::flop_per_second)
        .higher_is_better()
        .summary("rate of multiply-adds, measured before the samples");
    is.value("memory_roof", assay::unit::bytes_per_second)
        .higher_is_better()
        .summary("rate of reading, measured before the samples");
    roofline::describe_placement(is);
    is.fact("threads", "number of threads that took part");
    is.fact("vectors", "vector instructions of the compute roof");
    is.supports({assay::Cache::hot});
  }

  Roofline(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.bytes % (8 * roofline::kStripe) != 0)
      throw assay::BadParameter("bytes", "it is not a multiple of 512");
  }

  void prepare() override {
    team_.emplace(static_cast<int>(params_.threads));
    context().fact("threads", std::to_string(team_->size()));
    sums_.assign(static_cast<std::size_t>(team_->size()), 0);
    if (params_.work == Work::fma) {
      context().fact("vectors", chain_.name);
      work("vector_throughput", 2.0 * assay::plugins::fma::kChains * chain_.lanes *
                                    static_cast<double>(kChainSteps) * team_->size());
      return;
    }
    numbers_ = assay::HostBuffer<double>(context(), params_.bytes / 8, 4096);
    assay::plugins::ask_for_huge_pages(numbers_.data(), numbers_.bytes());
    restore();
    const auto bytes = static_cast<double>(params_.bytes);
    work("bandwidth", bytes);
    if (params_.work == Work::memory) return;
    // One step is a multiply-add on each of the two doubles in 16 bytes.
    steps_ = std::max(1u, static_cast<std::uint32_t>(std::lround(params_.intensity * 8 / 2)));
    const double intensity = 2.0 * steps_ / 8;
    work("throughput", intensity * bytes);
    place(intensity);
  }

  assay::Traits traits() override {
    assay::Traits traits;
    traits.tick_s = 1e-9;
    traits.idempotent = true;
    return traits;
  }

  bool reseed() override {
    if (params_.work == Work::fma) return false;
    restore();
    std::fill(sums_.begin(), sums_.end(), -1);
    return true;
  }

  bool damage() override { return spoil_next(); }

  assay::Verification verification(assay::VerifyPhase phase) override {
    if (phase != assay::VerifyPhase::last) {
      if (params_.work != Work::fma) restore();
      std::fill(sums_.begin(), sums_.end(), -1);
      assay::Sample ignored{};
      iterate(assay::Mode::verify, 1, ignored);
    }
    if (is_to_spoil()) std::fill(sums_.begin(), sums_.end(), -1);
    assay::Verification seen;
    if (params_.work == Work::fma) {
      check_chains(seen);
    } else {
      check_sums(seen);
    }
    // What the samples leave has to be theirs.
    if (phase == assay::VerifyPhase::before) std::fill(sums_.begin(), sums_.end(), -1);
    return seen;
  }

  // The region begins when all threads have come and ends when all are done.
  void iterate(assay::Mode, std::uint64_t n, assay::Sample& sample) override {
    if (params_.work == Work::fma) {
      timed(n, sample, [&](int) { return chain_.run(kChainSteps); });
    } else {
      timed(n, sample, [&](int member) { return sweep(member, steps_); });
    }
    sample.done = ASSAY_DONE_HOT;
  }

 private:
  template <class Body>
  void timed(std::uint64_t n, assay::Sample& sample, Body&& body) {
    std::int64_t begin = 0, end = 0;
    SpinBarrier barrier(team_->size());
    team_->run([&](int member) {
      double sum = 0;
      barrier.wait([&] { begin = context().now_ns(); });
      for (std::uint64_t left = n; left > 0; --left) {
        sum = body(member);
        // Taken to change what comes next, so that no iteration is left out.
        asm volatile("" : "+m"(sum) : : "memory");
        barrier.wait([&] {
          if (left == 1) end = context().now_ns();
        });
      }
      sums_[static_cast<std::size_t>(member)] = sum;
    });
    sample.begin_ns = begin;
    sample.end_ns = end;
    sample.host_s = sample.device_s = static_cast<double>(std::max<std::int64_t>(end - begin, 1)) * 1e-9;
  }

  double sweep(int member, std::uint32_t steps) const {
    const auto [first, last] = team_->share(member, numbers_.size(), roofline::kStripe);
    return sweep_(numbers_.data() + first, last - first, steps, one_);
  }

  void restore() {
    team_->run([&](int member) {
      const auto [first, last] = team_->share(member, numbers_.size(), roofline::kStripe);
      for (std::size_t i = first; i < last; ++i) numbers_[i] = roofline::initial(i, context().seed());
    });
  }

  void place(double intensity) {
    const double compute = assay::plugins::measure_fma_peak<double>(*team_).operations_per_second;
    const double memory = roofline::reading_rate(context(), *team_, numbers_, sweep_);
    roofline::record_placement(context(), intensity, compute, memory);
    context().fact("vectors", chain_.name);
  }

  // Chain c begins with 1 + c and comes nearer to the fixed point of x·f + a with every step.
  void check_chains(assay::Verification& seen) const {
    seen.method("closed form");
    const double factor = 0.999999, addend = 1e-6, fixed = addend / (1 - factor);
    double right = 0;
    for (int c = 0; c < assay::plugins::fma::kChains; ++c) {
      right += fixed + (1 + c - fixed) * std::pow(factor, static_cast<double>(kChainSteps));
    }
    for (std::size_t i = 0; i < sums_.size(); ++i)
      seen.expect_close(sums_[i], right, assay::relative(1e-8), i);
  }

  void check_sums(assay::Verification& seen) const {
    seen.method("sum in closed form, every thread");
    for (int member = 0; member < team_->size(); ++member) {
      const auto [first, last] = team_->share(member, numbers_.size(), roofline::kStripe);
      std::uint64_t right = 0;
      for (std::size_t i = first; i < last; ++i) right += roofline::initial(i, context().seed()) + steps_;
      const bool good = sums_[static_cast<std::size_t>(member)] == static_cast<double>(right);
      seen.count(last - first, good ? 0 : last - first,
                 "the sum of thread " + std::to_string(member) + " is not that of its share");
    }
  }

  Params params_;
  assay::plugins::fma::Kernel<double> chain_ = assay::plugins::fma::best_kernel<double>();
  roofline::Sweep sweep_ = roofline::best_sweep();
  std::uint32_t steps_ = 0;
  double one_ = 1;
  assay::HostBuffer<double> numbers_;
  std::vector<double> sums_;
  std::optional<CpuTeam> team_;  // last: its threads use the buffers
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("the roofs of the CPUs, and work placed under them");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.roofline.host", "0.1.0", assay::host::backend, About, Roofline)
