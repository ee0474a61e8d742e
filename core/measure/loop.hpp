// SPDX-License-Identifier: Apache-2.0
//
// The measuring loop, the same for every benchmark: calibrate, warm up until steady, sample until precise.
// docs/explanation/measuring.md says why each rule is as it is.
#pragma once

#include "measure/clock.hpp"
#include "measure/region.hpp"
#include "measure/sampler.hpp"
#include "measure/settings.hpp"
#include "measure/team.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::measure {

// A sample is at least this long, or 100 ticks of its clock if that is longer, and at most this long, unless
// one quantum is longer by itself.
inline constexpr double kShortestSample_s = 20e-6;
inline constexpr double kShortestSampleTicks = 100;
inline constexpr double kLongestSample_s = 0.1;

// And at least so many times as long as its ranks begin apart: a rank's time holds its wait for those that
// begin later, which is not what is measured.
inline constexpr double kShortestSampleSkews = 20;

// Short stretches of work from idle (Thermal::burst): a power limit was seen to bite after 25 to 100 ms.
inline constexpr double kBurst_s = 0.02;
inline constexpr double kBurstGap_s = 1;
inline constexpr double kLongestBurstSample_s = 0.01;

// Every visit's rates rest on time being proportional to iterations. With the best of several readings each,
//   0.75 (2 T(n) - offset) <= T(2n) <= 2.5 T(n), give or take two ticks,
// where n is such that T(n) is about ten offsets or more: starting and completing a region may cost up to an
// offset, whatever n. Exempt are plugins that cannot run twice a quantum, and samples so long that 2n would
// take over a tenth of the time. T(2n) may be longer if the worker's own clock does not contradict that: then
// other work had the processors. What disturbed readings prove is in docs/decisions/0015.
inline constexpr double kRegionOffset_s = 50e-6;
inline constexpr double kRatioShortest_s = 10 * kRegionOffset_s;

// More iterations than any hardware does in a sample.
inline constexpr std::uint64_t kMostIterations = std::uint64_t{1} << 40;

// Laps are given up (flag laps_omitted) when a visit would keep more than this.
inline constexpr std::uint64_t kMostLaps = std::uint64_t{1} << 20;

// While a load is held, results are checked this often, and at most for a tenth of the time.
inline constexpr double kHoldCheck_s = 10;

struct Result {
  Fault fault;                     // ending completed: none
  Phase phase = Phase::calibrate;  // how far it came
  std::uint64_t calibrated_n = 0;
  std::uint64_t warmup_iterations = 0;
  double warmup_s = 0;
  double n_ratio = 0;  // T(2n) / T(n); 0: not tested
  // converged, resolution_limited, samples, max_samples, max_time, held, cancelled, error
  std::string stop;
  std::uint32_t done = 0;  // bits common to all samples
  // warmup_capped, uneven_time, resolution_limited, done_differs, max_samples, max_time, laps_omitted
  std::vector<std::string> flags;
  Series series;                    // this rank's; what there is, however the visit ended
  std::int64_t first_begin_ns = 0;  // of this rank's first sample, by the host's clock
};

// Runs on the case thread of every rank of the visit, with the same settings. Throws what the region throws.
[[nodiscard]] Result measure(Region& region, Team& team, Clock& clock, Watch& watch, const Traits& traits,
                             const Settings& settings);

}  // namespace assay::measure
