// SPDX-License-Identifier: Apache-2.0
//
// For tests: a machine whose clock moves only as the work takes it, with other programs on its processors.
#pragma once

#include "measure/clock.hpp"

#include <cstdint>
#include <random>

namespace assay::measure {

// How other programs hold a program up: so often in a second of its work, so long on average; and with which
// chance it waits so long once what it slept for has come.
struct Disturbance {
  const char* name = "quiet";
  double delays_per_s = 0, delay_s = 0;
  double late_wakes = 0;
  double quick =
      0;  // this share of its work goes by a sixth faster: what shares a core with it rests just then
};

// Alone; beside programs that wake now and then; with four programs that spin on two processors (a slice of 3 ms,
// then two others'); with many more than that; beside one on the same core.
inline constexpr Disturbance kDisturbances[] = {{"quiet"},
                                                {"shared", 50, 2e-3, 0.02},
                                                {"loaded", 333, 6e-3, 0.2},
                                                {"swamped", 1000, 12e-3, 0.5},
                                                {"sibling", 0, 0, 0, 0.015}};

class MachineClock final : public Clock {
 public:
  explicit MachineClock(const Disturbance& by = {}, std::uint64_t seed = 0)
      : by_(by), random_(seed), until_delay_s_(next_delay()) {}

  double now_s() override { return now_s_; }
  void passed(double) override {}
  void idle(double seconds) override { sleep(seconds); }

  // On a processor, which others take at times.
  void work(double seconds) {
    if (by_.quick > 0 && std::bernoulli_distribution(by_.quick)(random_)) seconds *= 5.0 / 6;
    while (seconds >= until_delay_s_) {
      seconds -= until_delay_s_;
      now_s_ += until_delay_s_ + delay();
      until_delay_s_ = next_delay();
    }
    until_delay_s_ -= seconds;
    now_s_ += seconds;
  }
  // Until something else is done, a device's work for one.
  void sleep(double seconds) {
    if (seconds <= 0) return;
    now_s_ += seconds;
    if (by_.late_wakes > 0 && std::bernoulli_distribution(by_.late_wakes)(random_)) now_s_ += delay();
  }

 private:
  double next_delay() {
    return by_.delays_per_s > 0 ? std::exponential_distribution<double>(by_.delays_per_s)(random_) : 1e300;
  }
  double delay() { return std::exponential_distribution<double>(1 / by_.delay_s)(random_); }

  Disturbance by_;
  std::mt19937_64 random_;
  double now_s_ = 1000;
  double until_delay_s_;
};

}  // namespace assay::measure
