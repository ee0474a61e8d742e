// SPDX-License-Identifier: Apache-2.0
//
// When a series is long enough. Pure: the same samples give the same decision, whoever asks and however
// often.
#pragma once

#include "statistics/estimate.hpp"

#include <cstdint>
#include <span>

namespace assay::statistics {

struct StoppingOptions {
  Statistic statistic = Statistic::median;  // median: latencies; mean: rates and sustained work
  double precision = 0.005;                 // wanted half-width over the estimate
  double level = 0.95;
  double tick_s = 0;  // the clock's tick, 0 if unknown: a sample can't be known better than half of it
  std::uint64_t minimum_samples = 50;      // but 10 if a sample takes over 0.1 s, 5 if over 1 s
  std::uint64_t maximum_samples = 20'000;  // what minimum_time_s takes with the shortest samples must fit
  double minimum_time_s =
      0.25;  // sum of the samples; sustained work wants 1 s: slower swings go unseen in less
  double maximum_time_s = 10;  // elapsed, by the caller's clock
};

// A mean is asked about from 400 samples or 1 s of them on: fewer may all lie between two rare slow ones, and
// agree well.
inline constexpr std::uint64_t kFewestSamplesForMean = 400;
inline constexpr double kEnoughTimeForMean_s = 1;

enum class StopReason { none, converged, resolution_limited, max_samples, max_time };

struct Decision {
  StopReason reason = StopReason::none;  // none: go on
  std::uint64_t more = 0;                // samples to take before asking again; 0 when stopping
  [[nodiscard]] bool stop() const { return reason != StopReason::none; }
};

class StoppingRule {
 public:
  explicit StoppingRule(const StoppingOptions& options) : options_(options) {}

  // seconds: durations of all samples so far, in order, each positive; may be empty. elapsed_s: time spent on
  // them by the caller's clock, everything included. Looks are at 50, 63, 79, … samples (each 1.25 times the
  // last, rounded up; from 10 or 5 on if the median of the first five samples says that they are long). It
  // stops when the intervals at the last two looks are both narrow enough; between looks the answer is to go
  // on to the next one. A caller may overshoot a look. `more` never leads past maximum_samples, nor (by the
  // mean time so far) past maximum_time_s by more than one sample.
  [[nodiscard]] Decision decide(std::span<const double> seconds, double elapsed_s) const;

  // The number of samples of the first look at or after n samples, if a sample takes sample_s.
  [[nodiscard]] std::uint64_t next_look(std::uint64_t n, double sample_s) const;

  [[nodiscard]] const StoppingOptions& options() const { return options_; }

 private:
  [[nodiscard]] std::uint64_t first_look(double sample_s) const;

  StoppingOptions options_;
};

}  // namespace assay::statistics
