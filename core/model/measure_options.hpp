// SPDX-License-Identifier: Apache-2.0
//
// How to measure. What a suite calls each member, and what it may be, stands in measure_keys.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace assay::model {

enum class Thermal {
  standard,   // warm up until steady
  burst,      // short stretches of work from idle
  sustained,  // a load held until slow swings of a power limit show
};

// What to do where a device was throttled: say so, measure again when it has recovered, fail the case.
enum class Throttle { flag, cooldown, fail };

struct MeasureOptions {
  double precision = 0.005;   // half-width of the 95 % interval over the estimate
  std::uint64_t samples = 0;  // exactly this many; 0: until the precision is reached
  std::int64_t warmup = -1;   // exactly this many iterations; -1: until steady
  double max_time_s = 10;     // of a visit
  double hold_s = 0;          // keep on for this long, whatever the precision and max_time_s; 0: no
  std::string cache = "default", launch = "default", data = "default";
  Thermal thermal = Thermal::standard;
  std::uint64_t seed = 1;
  Throttle throttle = Throttle::flag;
};

using MeasureMember =
    std::variant<double MeasureOptions::*, std::uint64_t MeasureOptions::*, std::int64_t MeasureOptions::*,
                 std::string MeasureOptions::*, Thermal MeasureOptions::*, Throttle MeasureOptions::*>;

struct MeasureKey;

}  // namespace assay::model
