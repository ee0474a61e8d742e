// SPDX-License-Identifier: Apache-2.0
//
// doctor@host: how well this machine's clock, a core and the memory repeat themselves. What `assay doctor`
// runs.
#include <assay/host.hpp>
#include <assay/memory.hpp>
#include <assay/plugin.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace {

enum class Work { clock, compute, memory };

constexpr std::uint64_t kMultiplications = 65536;              // one after another, in an iteration
constexpr std::size_t kNumbers = (std::size_t{64} << 20) / 8;  // read in an iteration
constexpr std::uint64_t kFactor = 6364136223846793005ull, kIncrement = 1442695040888963407ull;

class Doctor final : public assay::host::Benchmark {
 public:
  struct Params {
    Work work = Work::compute;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("doctor").revision(1).summary("the same work again and again: what this machine's noise is");
    is.doc(
        "Each kind of work is fixed, so that its time tells of the machine alone. Its deviation between "
        "processes is what a comparison on this machine has to exceed.");
    is.param("work", &Params::work)
        .choices({{"clock", Work::clock}, {"compute", Work::compute}, {"memory", Work::memory}})
        .help(
            "work of one iteration: reading the clock; a chain of 65536 "
            "multiplications on one core; reading 64 MiB on one core");
    is.duration("latency").summary("time of one iteration of the work").headline();
    is.supports({assay::Cache::hot});
  }

  Doctor(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void prepare() override {
    done(ASSAY_DONE_HOT);
    if (params_.work != Work::clock) {
      idempotent();
      inputs_follow_seed();
    }
    if (params_.work != Work::memory) return;
    numbers_ = assay::HostBuffer<std::uint64_t>(context(), kNumbers);
    restore();
  }

  void run(std::uint64_t n) override {
    for (std::uint64_t i = 0; i < n; ++i) {
      switch (params_.work) {
        case Work::clock:
          last_ns_ = context().now_ns();
          break;
        case Work::compute:
          result_ = chain();
          break;
        case Work::memory:
          result_ = sum();
          break;
      }
      observe(this);
    }
  }

  void restore() override {
    result_ = 0;
    last_ns_ = std::numeric_limits<std::int64_t>::max();  // of no clock
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = context().seed() + i;
  }

  void verify() override {
    switch (params_.work) {
      case Work::clock:
        checks().method("the clock does not go back").count(1, context().now_ns() >= last_ns_ ? 0 : 1);
        break;
      case Work::compute:
        checks().method("computed again").expect_equal(result_, chain(), 0);
        break;
      case Work::memory:
        checks().method("closed form").expect_equal(result_, expected_sum(), 0);
        break;
    }
  }

 private:
  std::uint64_t chain() const {
    std::uint64_t value = context().seed();
    for (std::uint64_t i = 0; i < kMultiplications; ++i) value = value * kFactor + kIncrement;
    return value;
  }

  std::uint64_t expected_sum() const {
    return kNumbers * context().seed() + std::uint64_t{kNumbers} * (kNumbers - 1) / 2;
  }

  std::uint64_t sum() const {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < kNumbers; ++i) total += numbers_[i];
    return total;
  }

  Params params_;
  assay::HostBuffer<std::uint64_t> numbers_;
  std::uint64_t result_ = 0;
  std::int64_t last_ns_ = 0;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("fixed work on the CPUs, for assay doctor");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.doctor.host", "0.1.0", assay::host::backend, About, Doctor)
