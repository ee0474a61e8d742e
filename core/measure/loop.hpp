// SPDX-License-Identifier: Apache-2.0
//
// The measuring loop, the same for every benchmark: calibrate, warm up until steady, sample until precise.
// docs/explanation/measuring.md says why each rule is as it is.
#pragma once

#include "measure/clock.hpp"
#include "measure/rank_team.hpp"
#include "measure/region.hpp"
#include "measure/sampler.hpp"
#include "measure/visit_settings.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::measure {

// A sample is at least this long, or 100 ticks of its clock if that is longer, and at most this long, unless
// one quantum is longer by itself.
inline constexpr double kShortestSample_s = 20e-6;
inline constexpr double kShortestSampleTicks = 100;
inline constexpr double kLongestSample_s = 0.1;

// A sample is also at least this many times as long as the skew between the starts of its ranks: a rank's time
// includes its wait for ranks that start later, which is not part of the work.
inline constexpr double kShortestSampleSkews = 20;
// Where that is impossible, readings of which more than this share is such a wait are used without it to tell how time grows.
inline constexpr double kMostSkewOfReading = 0.2;

// The length of short stretches of work from idle (Thermal::burst): power limits were seen to act after 25 to 100 ms.
inline constexpr double kBurst_s = 0.02;
inline constexpr double kBurstGap_s = 1;
inline constexpr double kLongestBurstSample_s = 0.01;

// Every visit's rates rest on time being proportional to iterations: the best of this many readings of 2n, in turn with as many
// of n, takes at least kLeastRatio times as long, or the visit is invalid; docs/decisions/0044. What does not grow with n may be
// most of a short sample, so that only readings of about kRatioShortest_s or more refuse one. Exempt are plugins that cannot
// run twice a quantum, and samples so long that 2n would take over a tenth of the time (flag proportion_untested).
inline constexpr std::size_t kKeptPairs = 8;
inline constexpr double kLeastRatio = 1.25;
inline constexpr double kRatioShortest_s = 500e-6;
// If other programs delayed all readings, means clearly below this still prove the violation.
inline constexpr double kProvedBelow = 1.5;

// A number of iterations that no hardware does in a sample.
inline constexpr std::uint64_t kMostIterations = std::uint64_t{1} << 40;

// A visit that would keep more laps than this records none (flag laps_omitted).
inline constexpr std::uint64_t kMostLaps = std::uint64_t{1} << 20;

// While a load is held, results are verified at this interval, and for a tenth of the time at most.
inline constexpr double kHoldCheck_s = 10;

// The first readings of n iterations and of 2n, in turn, by which proportionality was tested; of the slowest rank.
struct PairReadings {
  std::uint64_t n = 0;
  std::vector<double> once_s, twice_s;
};

struct LoopResult {
  Fault fault;                     // ending completed: none
  Phase phase = Phase::calibrate;  // how far it came
  std::uint64_t calibrated_n = 0;
  std::uint64_t warmup_iterations = 0;
  double warmup_s = 0;
  double n_ratio = 0;  // T(2n) / T(n); 0: not tested
  PairReadings pairs;
  // converged, resolution_limited, samples, max_samples, max_time, held, cancelled, error
  std::string stop;
  std::uint32_t done = 0;  // bits common to all samples
  // warmup_capped, uneven_time, proportion_untested, resolution_limited, done_differs, max_samples, max_time, laps_omitted
  std::vector<std::string> flags;
  RankSeries series;                // this rank's; what there is, however the visit ended
  std::int64_t first_begin_ns = 0;  // of this rank's first sample, by the host's clock
};

// Runs on the case thread of every rank of the visit, with the same settings. Throws what the region throws.
[[nodiscard]] LoopResult measure(Region& region, RankTeam& team, Clock& clock, LoopWatch& watch,
                                 const Traits& traits, const VisitSettings& settings);

}  // namespace assay::measure
