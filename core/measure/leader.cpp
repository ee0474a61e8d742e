// SPDX-License-Identifier: Apache-2.0
#include "measure/leader.hpp"

#include "statistics/stationarity.hpp"
#include "statistics/stopping.hpp"

#include <algorithm>
#include <cmath>

namespace assay::measure {
namespace {

using statistics::Statistic;

constexpr double kChunk_s = 0.25;            // between two looks at time and cancel by rank 0
constexpr std::uint64_t kMostTimes = 65536;  // that ranks exchange at once
constexpr double kWarmupCap_s = 10;
constexpr double kWarmupShare = 0.2;     // of the visit's time
constexpr double kSustainedShare = 0.5;  // windows of a second need more of it
constexpr double kSustainedWindow_s = 1;
constexpr double kSustainedMinimum_s = 1;  // of samples: slow swings would go unseen
constexpr double kIdleSlice_s = 0.01;      // so soon is a cancel seen

Statistic statistic_of(Headline headline) {
  return headline == Headline::rate ? Statistic::mean : Statistic::median;
}

// The options of the warm-up rule, with windows made to fit into its cap.
statistics::SteadyOptions steady_options(const VisitSettings& settings, double tick_s, double cap_s) {
  statistics::SteadyOptions options;
  if (settings.thermal == Thermal::sustained) {
    options = statistics::sustained_steady_options();
    options.windows = static_cast<std::size_t>(std::clamp(cap_s / kSustainedWindow_s, 2.0, 4.0));
    options.window_s = std::min(kSustainedWindow_s, cap_s / static_cast<double>(options.windows));
  } else {
    options.window_s = std::min(options.window_s, cap_s / 2 / static_cast<double>(options.windows));
  }
  options.minimum_s = std::min(options.minimum_s, cap_s / 2);
  // Steadier than half of the precision that was asked for need it not be.
  options.tolerance = std::max(options.tolerance, settings.precision / 2);
  options.tick_s = tick_s;
  return options;
}

}  // namespace

Leader::Leader(Sampler& sampler, RankTeam& team, Clock& clock, LoopWatch& watch, const Traits& traits,
               const VisitSettings& settings)
    : sampler_(sampler),
      team_(team),
      clock_(clock),
      watch_(watch),
      traits_(traits),
      settings_(settings),
      began_s_(clock.now_s()),
      n_(traits.quantum) {}

bool Leader::run() {
  const bool done = calibrate() && grows_from_one() && settles() && (summary_.calibrated_n = n_, warm_up()) &&
                    begin_account() && sample() && accounts() && settled();
  summary_.calibrated_n = n_;
  return done;
}

bool Leader::take(Phase phase, std::uint64_t n, std::uint64_t samples) {
  Command command{Command::Kind::run, phase, n, samples, laps_ && phase == Phase::sample ? 1U : 0U};
  if (!team_.publish(command)) {
    sampler_.end(SamplingEnd::cancelled);
    return false;
  }
  if (!sampler_.take(command)) return false;
  const double own_s = sampler_.times().back();
  if (!team_.slowest(sampler_.times()) ||
      (phase == Phase::calibrate && !team_.overlap(sampler_.last_begin_ns(), own_s, overlap_))) {
    sampler_.end(SamplingEnd::cancelled);
    return false;
  }
  if (sampler_.times_are_laps()) {
    times_.clear();
    for (auto lap = sampler_.times().cbegin(); lap != sampler_.times().cend();
         lap += static_cast<std::ptrdiff_t>(n)) {
      double sum = 0;
      for (std::uint64_t i = 0; i < n; ++i) sum += lap[static_cast<std::ptrdiff_t>(i)];
      times_.push_back(sum);
    }
  } else {
    times_.swap(sampler_.times());
  }
  last_s_ = times_.back();
  per_iteration_s_ = last_s_ / static_cast<double>(n);
  // Half of one iteration is none, and takes no time: too short a reading says nothing of one.
  if (phase == Phase::calibrate && last_s_ >= kShortestSample_s) {
    const auto [least, is_first] = least_s_.try_emplace(n, last_s_);
    least->second = std::min(least->second, last_s_);
  }
  return true;
}

double Leader::least_per_iteration_s(std::uint64_t most_n) const {
  double least_s = 0;
  for (const auto& [n, reading_s] : least_s_) {
    const double each_s = reading_s / static_cast<double>(n);
    if (n <= most_n && (least_s == 0 || each_s < least_s)) least_s = each_s;
  }
  return least_s;
}

std::optional<double> Leader::reading_s() const {
  if (overlap_.skew_s <= kMostSkewOfReading * last_s_) return last_s_;
  if (traits_.clock == ClockKind::device) return std::nullopt;
  return overlap_.time_s;
}

bool Leader::warm_up() {
  summary_.phase = Phase::warmup;
  const double began_s = clock_.now_s();
  const bool until_steady = settings_.warmup < 0;
  bool done = true;
  if (!until_steady) {
    done = warm_up_exactly(static_cast<std::uint64_t>(settings_.warmup));
  } else if (settings_.thermal != Thermal::burst) {
    done = warm_up_until_steady();
  }
  summary_.warmup_s = clock_.now_s() - began_s;
  return done;
}

bool Leader::warm_up_exactly(std::uint64_t iterations) {
  while (summary_.warmup_iterations < iterations) {
    const std::uint64_t left = iterations - summary_.warmup_iterations;
    const std::uint64_t n = std::min(n_, round_up(static_cast<double>(left)));
    if (!take(Phase::warmup, n, 1)) return false;
    summary_.warmup_iterations += n;
  }
  return true;
}

bool Leader::warm_up_until_steady() {
  const bool sustained = settings_.thermal == Thermal::sustained;
  const double cap_s =
      std::min(kWarmupCap_s, (sustained ? kSustainedShare : kWarmupShare) * settings_.max_time_s);
  const auto options = steady_options(settings_, traits_.tick_s, cap_s);
  const double began_s = clock_.now_s();
  std::vector<double> series;
  for (;;) {
    const double elapsed_s = clock_.now_s() - began_s;
    if (elapsed_s >= cap_s) {
      summary_.warmup_capped = 1;
      return true;
    }
    // The rule reads the whole series, so it is asked at growing intervals.
    const double chunk_s = std::min(std::max(options.window_s, 0.1 * elapsed_s), cap_s - elapsed_s);
    const double samples =
        sample_s() > 0 ? std::clamp(chunk_s / sample_s(), 1.0, static_cast<double>(kMostTimes)) : 1;
    if (!take(Phase::warmup, n_, static_cast<std::uint64_t>(samples))) return false;
    summary_.warmup_iterations += n_ * times_.size();
    series.insert(series.end(), times_.begin(), times_.end());
    if (statistics::is_steady(series, options)) return true;
  }
}

bool Leader::sample() {
  summary_.phase = Phase::sample;
  if (traits_.laps) {
    double expected = static_cast<double>(statistics::StoppingOptions().maximum_samples);
    if (settings_.samples > 0) expected = static_cast<double>(settings_.samples);
    if (settings_.hold_s > 0 && sample_s() > 0) expected = settings_.hold_s / sample_s();
    laps_ = expected * static_cast<double>(n_) <= static_cast<double>(kMostLaps);
    if (!laps_) summary_.laps_omitted = 1;
  }
  sampling_began_s_ = clock_.now_s();
  next_check_s_ = kHoldCheck_s;
  if (settings_.thermal == Thermal::burst && !rest()) return false;
  for (;;) {
    std::uint64_t more = 0;
    summary_.stop = decide(more);
    if (summary_.stop != SamplingStop::none) return true;
    if (!sample_rest(more)) return false;
  }
}

// Takes up to `wanted` samples in pieces, and comes back early when the visit's time is up.
bool Leader::sample_rest(std::uint64_t wanted) {
  const double end_s =
      settings_.hold_s > 0 ? settings_.hold_s : settings_.max_time_s - (sampling_began_s_ - began_s_);
  while (wanted > 0) {
    const double left_s = end_s - (clock_.now_s() - sampling_began_s_);
    if (left_s <= 0 && !series_.empty()) return true;
    double count = 1;
    if (sample_s() > 0) {
      double piece_s = std::min(kChunk_s, left_s);
      if (settings_.thermal == Thermal::burst) piece_s = std::min(piece_s, kBurst_s - burst_s_);
      const std::uint64_t most = kMostTimes / (laps_ ? n_ : 1) + 1;
      count = std::clamp(std::ceil(piece_s / sample_s()), 1.0, static_cast<double>(most));
    }
    const std::uint64_t now = std::min(wanted, static_cast<std::uint64_t>(count));
    if (!take(Phase::sample, n_, now)) return false;
    wanted -= now;
    series_.insert(series_.end(), times_.begin(), times_.end());
    for (const double time : times_) burst_s_ += time;
    watch_.look(sampler_.series());
    if (settings_.hold_s > 0 && !check_held_load()) return false;
    if (settings_.thermal == Thermal::burst && burst_s_ >= kBurst_s && !rest()) return false;
  }
  return true;
}

SamplingStop Leader::decide(std::uint64_t& more) {
  const double elapsed_s = clock_.now_s() - sampling_began_s_;
  const double left_s = settings_.max_time_s - (sampling_began_s_ - began_s_);
  if (settings_.hold_s > 0) {
    more = ~std::uint64_t{0};
    return elapsed_s >= settings_.hold_s && !series_.empty() ? SamplingStop::held : SamplingStop::none;
  }
  if (settings_.samples > 0) {
    more = settings_.samples - std::min<std::uint64_t>(settings_.samples, series_.size());
    if (more == 0) return SamplingStop::samples;
    return elapsed_s >= left_s && !series_.empty() ? SamplingStop::max_time : SamplingStop::none;
  }
  statistics::StoppingOptions options;
  options.statistic = statistic_of(settings_.headline);
  options.precision = settings_.precision;
  options.tick_s = traits_.tick_s;
  if (settings_.thermal == Thermal::sustained) options.minimum_time_s = kSustainedMinimum_s;
  // A burst's samples lie between rests, so that their sum says nothing about what slow swings were seen.
  if (settings_.thermal == Thermal::burst) options.minimum_time_s = 0;
  options.maximum_time_s = std::max(left_s, 0.0);
  if (series_.empty()) {
    more = 1;
    if (sample_s() > 0) more = statistics::StoppingRule(options).next_look(1, sample_s());
    return SamplingStop::none;
  }
  const auto decision = statistics::StoppingRule(options).decide(series_, elapsed_s);
  more = decision.more;
  switch (decision.reason) {
    case statistics::StopReason::none:
      return elapsed_s >= options.maximum_time_s ? SamplingStop::max_time : SamplingStop::none;
    case statistics::StopReason::converged:
      return SamplingStop::converged;
    case statistics::StopReason::resolution_limited:
      summary_.resolution_limited = 1;
      return SamplingStop::resolution_limited;
    case statistics::StopReason::max_samples:
      return SamplingStop::max_samples;
    case statistics::StopReason::max_time:
      return SamplingStop::max_time;
  }
  return SamplingStop::none;
}

bool Leader::check_held_load() {
  const double began_s = clock_.now_s();
  if (began_s - sampling_began_s_ < next_check_s_) return true;
  Command command{Command::Kind::check, Phase::sample, 0, 0, 0};
  if (!team_.publish(command)) {
    sampler_.end(SamplingEnd::cancelled);
    return false;
  }
  if (!sampler_.check()) return false;
  const double now_s = clock_.now_s();
  next_check_s_ = now_s - sampling_began_s_ + std::max(kHoldCheck_s, 10 * (now_s - began_s));
  return true;
}

bool Leader::rest() {
  burst_s_ = 0;
  const double until_s = clock_.now_s() + kBurstGap_s;
  for (double left_s = kBurstGap_s; left_s > 0; left_s = until_s - clock_.now_s()) {
    if (!watch_.proceed(Phase::sample, series_.size())) {
      sampler_.end(SamplingEnd::cancelled);
      return false;
    }
    clock_.idle(std::min(left_s, kIdleSlice_s));
  }
  return true;
}

}  // namespace assay::measure
