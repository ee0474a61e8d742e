// SPDX-License-Identifier: Apache-2.0
//
// The device that is not there: a memory that computes on the CPU, and a clock that says how long an Acme
// 9000 would have taken. Reports say that the clock is simulated.
#pragma once

#include <assay/benchmark.hpp>
#include <assay/verification.hpp>

#include <cstdint>

namespace acme {

inline constexpr const char* kBackend = "acme";
inline constexpr double kBytesPerSecond = 2e12;
inline constexpr double kLaunch_s = 2e-6;
inline constexpr double kTick_s = 1e-9;

// A benchmark on the simulated clock. Work is done when results are compared, and then once: the time of an
// iteration is computed.
class SimulatedBenchmark : public assay::Benchmark {
 public:
  using assay::Benchmark::Benchmark;

  // How long one iteration takes on the device.
  virtual double seconds() const = 0;
  // Does one iteration's work on inputs that were restored from the seed, and compares the results.
  virtual void compute(assay::Verification& seen) = 0;

  assay::Traits traits() override {
    assay::Traits traits;
    traits.clock = assay::Clock::simulated;
    traits.tick_s = kTick_s;
    traits.launches_per_iteration = 1;
    return traits;
  }

  assay::Verification verification(assay::VerifyPhase) override {
    assay::Verification seen;
    compute(seen);
    return seen;
  }

  void iterate(assay::Mode, std::uint64_t n, assay::Sample& sample) override {
    sample.device_s = sample.host_s = static_cast<double>(n) * seconds();
    sample.done = ASSAY_DONE_HOT;
  }
};

}  // namespace acme
