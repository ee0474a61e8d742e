// SPDX-License-Identifier: Apache-2.0
//
// The end of a step: no stage begins the next one before all are done, and each then knows what the others did.
#pragma once

#include "lib/rank_memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace assay::plugins::pipeline {

// What a stage did in a step. Times are those of one clock of all ranks.
struct StageRecord {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t busy_ns = 0;      // computing
  std::int64_t transfer_ns = 0;  // sending and receiving
  double loss = 0;               // of the stage with the last part
};

// What a step came to.
struct StepRecord {
  double seconds = 0;  // from the first begin to the last end
  double bubble = 0;
  double loss = 0;
};

inline StepRecord step_of(const std::vector<StageRecord>& stages) {
  StepRecord step;
  std::int64_t begin = stages.front().begin_ns, end = stages.front().end_ns, busy = 0;
  for (const StageRecord& stage : stages) {
    begin = std::min(begin, stage.begin_ns);
    end = std::max(end, stage.end_ns);
    busy += stage.busy_ns;
    step.loss += stage.loss;
  }
  const auto all = static_cast<double>(std::max<std::int64_t>(1, end - begin));
  step.seconds = all * 1e-9;
  step.bubble = 1 - static_cast<double>(busy) / (all * static_cast<double>(stages.size()));
  return step;
}

// Standard deviation over mean, of all there are; 0 where the mean is.
inline double variation_of(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return mean > 0 ? std::sqrt(squares / static_cast<double>(values.size())) / mean : 0;
}

class StepBoard {
 public:
  static std::size_t bytes(std::uint32_t stages) { return stages * sizeof(Entry); }

  // `memory` is bytes() of zeros that all stages have mapped, aligned to a cache line. `cancelled` says that waiting
  // is to end.
  StepBoard(std::byte* memory, std::uint32_t stage, std::uint32_t stages, bool crowded,
            std::function<bool()> cancelled)
      : entries_(reinterpret_cast<Entry*>(memory)),
        stage_(stage),
        stages_(stages),
        spins_(crowded ? kSpinsCrowded : kSpins),
        cancelled_(std::move(cancelled)) {}

  // Returns when all stages have called it, with what they gave. Throws Cancelled.
  std::vector<StageRecord> finish(const StageRecord& mine) {
    ++steps_;
    // Two in turn: who is already a step ahead leaves this one to those who still read it.
    entries_[stage_].records[steps_ % 2] = mine;
    entries_[stage_].steps.raise(steps_);
    std::vector<StageRecord> all;
    for (std::uint32_t stage = 0; stage < stages_; ++stage) {
      entries_[stage].steps.wait_for(steps_, spins_, cancelled_);
      all.push_back(entries_[stage].records[steps_ % 2]);
    }
    return all;
  }

 private:
  struct Entry {
    RankProgress steps;
    StageRecord records[2];
  };

  Entry* entries_;
  std::uint32_t stage_, stages_;
  int spins_;
  std::function<bool()> cancelled_;
  std::uint32_t steps_ = 0;  // wraps, as progress does
};

}  // namespace assay::plugins::pipeline
