// SPDX-License-Identifier: Apache-2.0
//
// Where the loop gets its time from. Everything that decides by time asks a Clock, so that each rule can be
// tested to the digit with one that no real time moves.
#pragma once

#include <cstdint>

namespace assay::measure {

// From one reading of the host's clock to another. Plugins write them, so any two can be subtracted.
[[nodiscard]] inline double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  const auto since_ns = static_cast<std::uint64_t>(to_ns) - static_cast<std::uint64_t>(from_ns);
  return static_cast<double>(static_cast<std::int64_t>(since_ns)) * 1e-9;
}

class Clock {
 public:
  virtual ~Clock() = default;
  // Seconds since any fixed point; never goes back.
  [[nodiscard]] virtual double now_s() = 0;
  // A sample says that it took this long. Moves a simulated clock only.
  virtual void passed(double seconds) = 0;
  // Waits at most this long: one slice of an idle gap, short enough to look for a cancel in between.
  virtual void idle(double seconds) = 0;
};

// The host's monotonic clock.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] double now_s() override;
  void passed(double) override {}
  void idle(double seconds) override;
};

// Time is what samples say: for plugins with ASSAY_CLOCK_SIMULATED, and for tests.
class SimulatedClock final : public Clock {
 public:
  [[nodiscard]] double now_s() override { return now_s_; }
  void passed(double seconds) override { now_s_ += seconds; }
  void idle(double seconds) override { now_s_ += seconds; }

 private:
  double now_s_ = 0;
};

}  // namespace assay::measure
