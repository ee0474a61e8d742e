// SPDX-License-Identifier: Apache-2.0
//
// The loop's source of time. Every rule that depends on time reads a Clock, so that tests get exact results
// from a simulated one.
#pragma once

#include <cstdint>

namespace assay::measure {

// From one reading of the host's clock to another. Plugins supply readings, so that the difference of any two
// values must be defined.
[[nodiscard]] inline double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  const auto since_ns = static_cast<std::uint64_t>(to_ns) - static_cast<std::uint64_t>(from_ns);
  return static_cast<double>(static_cast<std::int64_t>(since_ns)) * 1e-9;
}

class Clock {
 public:
  virtual ~Clock() = default;
  // Seconds since any fixed point; never goes back.
  [[nodiscard]] virtual double now_s() = 0;
  // Reports how long a sample took. Advances a simulated clock; others ignore it.
  virtual void passed(double seconds) = 0;
  // Waits for this time or less. An idle gap is made of such waits, with a look for a cancel between them.
  virtual void idle(double seconds) = 0;
};

// The host's monotonic clock.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] double now_s() override;
  void passed(double) override {}
  void idle(double seconds) override;
};

// Advances by what samples report: for plugins with ASSAY_CLOCK_SIMULATED, and for tests.
class SimulatedClock final : public Clock {
 public:
  [[nodiscard]] double now_s() override { return now_s_; }
  void passed(double seconds) override { now_s_ += seconds; }
  void idle(double seconds) override { now_s_ += seconds; }

 private:
  double now_s_ = 0;
};

}  // namespace assay::measure
