// SPDX-License-Identifier: Apache-2.0
//
// Rank 0's part of the loop: all decisions. Times here are those of the slowest rank.
#pragma once

#include "measure/loop.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace assay::measure {

enum class SamplingStop : std::uint32_t {
  none,
  converged,
  resolution_limited,
  samples,
  max_samples,
  max_time,
  held
};

// The summary of a visit that all ranks report. Plain memory, because it is shared as bytes.
struct VisitSummary {
  Phase phase = Phase::calibrate;
  SamplingStop stop = SamplingStop::none;
  std::uint64_t calibrated_n = 0;
  std::uint64_t warmup_iterations = 0;
  double warmup_s = 0;
  double n_ratio = 0;
  std::uint64_t not_proportional_n = 0;  // the n of the ratio if it is invalid, else 0
  std::int64_t first_begin_ns = 0;       // of rank 0's first sample
  std::uint32_t warmup_capped = 0;
  std::uint32_t uneven_time = 0;
  std::uint32_t resolution_limited = 0;
  std::uint32_t laps_omitted = 0;
  std::uint32_t too_fast = 0;             // 2n iterations cannot have been done in their time
  std::uint32_t proportion_untested = 0;  // samples are too long for it
  std::uint32_t pairs = 0;  // this many readings of pairs_n iterations and of twice as many, in turn
  std::uint64_t pairs_n = 0;
  double once_s[kKeptPairs] = {}, twice_s[kKeptPairs] = {};
};

// Ends the visit as invalid on the ranks whose timed regions do not account for their calls.
void end_unaccounted(Sampler& sampler);

class Leader {
 public:
  Leader(Sampler& sampler, RankTeam& team, Clock& clock, LoopWatch& watch, const Traits& traits,
         const VisitSettings& settings);

  // False: the visit ended early, as the sampler's fault or the summary says.
  bool run();
  [[nodiscard]] const VisitSummary& summary() const { return summary_; }

 private:
  // calibrate.cpp
  bool calibrate();
  // proportion.cpp
  enum class Growth { proportional, likely, uneven, unknown, wrong };
  bool proportional();
  bool read_pairs(PairReadings& pairs, std::size_t most, std::size_t least, double budget_s);
  bool lengthen(std::uint64_t& n, std::uint64_t half);
  Growth growth_of(const PairReadings& pairs);
  // first_steps.cpp
  using StepReadings = std::array<std::vector<double>, 3>;  // of one, two and three quanta
  bool grows_from_one();
  bool read_steps(StepReadings& readings, double quantum_s);
  // settle.cpp
  bool settles();
  bool settled();
  bool settle(double& seconds);
  bool sample_again(double seconds);
  // account.cpp
  bool account(AccountRequest request, bool& accounted);
  bool begin_account();
  bool accounts();
  // leader.cpp
  bool warm_up();
  bool warm_up_exactly(std::uint64_t iterations);
  bool warm_up_until_steady();
  bool sample();
  bool sample_rest(std::uint64_t wanted);
  SamplingStop decide(std::uint64_t& more);

  // All ranks take samples; times_ gets their durations, last_s_ the last one.
  bool take(Phase phase, std::uint64_t n, std::uint64_t samples);
  bool check_held_load();
  bool rest();
  // The newest reading, without the time that early ranks waited for the last one. Nothing if a device's clock measured it and
  // the ranks began so far apart that it would be more of the wait than of the work: such a clock does not tell when they began.
  [[nodiscard]] std::optional<double> reading_s() const;
  // This many quanta, at least one, at most what one sample may hold.
  [[nodiscard]] std::uint64_t quanta(double count) const;
  [[nodiscard]] std::uint64_t round_up(double iterations) const;
  [[nodiscard]] std::uint64_t round_down(double iterations) const;
  [[nodiscard]] std::uint64_t most() const;
  // The least that an iteration was seen to take in readings of at most so many, while calibrating; 0: unknown.
  [[nodiscard]] double least_per_iteration_s(std::uint64_t most_n = kMostIterations) const;
  // How long a sample is likely to last; 0 if there was none yet.
  [[nodiscard]] double sample_s() const { return per_iteration_s_ * static_cast<double>(n_); }
  [[nodiscard]] double spent_s() const { return clock_.now_s() - began_s_; }

  Sampler& sampler_;
  RankTeam& team_;
  Clock& clock_;
  LoopWatch& watch_;
  const Traits traits_;
  const VisitSettings settings_;
  VisitSummary summary_;
  double began_s_;
  double sampling_began_s_ = 0;
  double next_check_s_ = 0;
  double burst_s_ = 0;
  std::uint64_t n_;
  bool laps_ = false;
  double last_s_ = 0;           // the newest sample
  RankTeam::Overlap overlap_;   // of ranks in it, of calibration
  double per_iteration_s_ = 0;  // of the newest sample; 0: none yet
  std::map<std::uint64_t, double>
      least_s_;                 // by n, of calibration's readings that were no shorter than a sample
  std::vector<double> times_;   // of the last take()
  std::vector<double> series_;  // of all samples that count
};

}  // namespace assay::measure
