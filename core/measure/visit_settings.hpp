// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/measure_options.hpp"

#include <cstdint>

namespace assay::measure {

// Which statistic must be known to the wanted precision.
enum class Headline {
  rate,      // work over time: the mean
  duration,  // the median
};

using model::Thermal;

// Which of a plugin's times are checked against the host's clock. All of them, except in the test of a guard.
struct GuardSet {
  bool device_time = true;    // no longer than what passed on the host
  bool proportion = true;     // time grows with iterations
  bool laps = true;           // they add up
  bool moments = true;        // begin and end lie within the call
  bool share = true;          // regions account for the calls
  bool settle = true;         // nothing is left to wait for
  bool first_steps = true;    // time grows from one quantum to two and to three
  bool leftovers = true;      // nor in verify and release
  bool new_inputs = true;     // results follow inputs that change
  bool slow_when_new = true;  // and take no longer for new ones
};

// How a visit is to be measured: the suite's `measure`, and what goes with it.
struct VisitSettings : model::MeasureOptions {
  Headline headline = Headline::duration;
  bool profile = false;  // under an external profiler
  GuardSet guards;
};

enum class ClockKind { host, device, simulated };

// What the plugin states once it is prepared; assay_traits, checked.
struct Traits {
  ClockKind clock = ClockKind::host;
  double tick_s = 1e-9;
  std::uint64_t quantum = 1;  // iterations in a sample are a multiple
  std::uint64_t maximum = 0;  // at most; 0: no limit
  bool laps = false;          // gives the duration of each iteration
  bool parts = false;         // times are sums of parts of the call
  bool idempotent = false;    // n iterations leave what one leaves
  std::uint32_t launches_per_iteration = 0;

  friend bool operator==(const Traits&, const Traits&) = default;
};

}  // namespace assay::measure
