// SPDX-License-Identifier: Apache-2.0
//
// One visit's samples, reduced over its ranks: a step that several ranks take together lasts as long as the
// slowest.
#pragma once

#include "result/visit.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::judge {

struct RankTimes {
  int rank = 0;
  std::vector<std::string> devices;
  double median_s = 0;  // of its own per-iteration times
  double share_slowest =
      0;  // of the samples (or laps) in which it was the slowest; ties go to the lowest rank
};

struct VisitTimes {
  std::uint64_t iterations = 0;     // in each sample
  std::vector<double> sample_s;     // one a sample, for all its iterations: slowest rank
  std::vector<double> host_s;       // the same by the host's clock; empty if not recorded
  std::vector<double> iteration_s;  // per iteration: laps if there are, else sample_s / iterations
  bool laps = false;                // iteration_s holds the duration of single iterations
  std::vector<RankTimes> ranks;
  double rank_mean_s = 0;            // per iteration, mean over samples and ranks: as nccl-tests averages
  std::vector<double> start_skew_s;  // one a sample: last rank's begin after the first's; empty with one rank
  std::string problem;               // reason code why there are no usable times, or empty
  std::string problem_text;
};

// `clock` of the measurement chooses the time: "host" is host_s, anything else device_s. With laps a sample's
// time is the sum over its laps of the slowest rank's lap; without, the slowest rank's sample. Ranks must
// have taken the same samples. Times that are missing, not finite or not above zero are the problem.
[[nodiscard]] VisitTimes reduce(const result::Visit& visit);

}  // namespace assay::judge
