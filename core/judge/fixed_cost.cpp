// SPDX-License-Identifier: Apache-2.0
#include "judge/fixed_cost.hpp"

#include "judge/publish.hpp"
#include "statistics/rate.hpp"
#include "statistics/summary.hpp"
#include "text/quantity_text.hpp"

#include <algorithm>

namespace assay::judge {
namespace {

constexpr double kShareThatMatters = 0.05;

// Every sample is longer than what does not grow; where a round stands for itself, than the most that it may be.
bool leaves_time(const std::vector<VisitTimes>& times, const std::vector<statistics::FixedTime>& costs) {
  const bool is_over_rounds = costs.size() >= statistics::kFewestProcessesForInterval;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double most_s = is_over_rounds ? costs[i].value : costs[i].interval.high;
    if (*std::min_element(times[i].sample_s.begin(), times[i].sample_s.end()) <= most_s) return false;
  }
  return true;
}

bool grows_evenly(const CaseResult& result) {
  return std::none_of(result.last_attempts.begin(), result.last_attempts.end(), [](const auto& visit) {
    const std::vector<std::string>& flags = visit->measurement.flags;
    return std::find(flags.begin(), flags.end(), "uneven_time") != flags.end();
  });
}

}  // namespace

std::optional<FixedCost> fixed_cost_of(const CaseResult& result) {
  std::vector<statistics::PairedTimes> pairs;
  double tick_s = 0, sample_s = 0;
  for (std::size_t i = 0; i < result.times.size(); ++i) {
    const result::Measurement& measurement = result.last_attempts[i]->measurement;
    if (measurement.once_s.size() != measurement.twice_s.size()) return std::nullopt;
    pairs.push_back({measurement.once_s, measurement.twice_s});
    tick_s = std::max(tick_s, measurement.tick_s);
    sample_s += statistics::mean(result.times[i].sample_s) / static_cast<double>(result.times.size());
  }
  const auto all = statistics::fixed_cost(pairs, tick_s);
  // Pairs that took longer than the samples were of another state of the machine, and say nothing of these.
  if (!all || all->value >= sample_s) return std::nullopt;
  FixedCost cost{all->value,
                 {all->interval.low, all->interval.high},
                 result.times.size() >= statistics::kFewestProcessesForInterval,
                 all->value / sample_s,
                 all->interval.low / sample_s > kShareThatMatters,
                 {}};
  for (const statistics::PairedTimes& each : pairs)
    if (const auto of_round = statistics::fixed_cost({&each, 1}, tick_s)) cost.rounds.push_back(*of_round);
  if (!cost.matters || cost.rounds.size() < pairs.size() || !leaves_time(result.times, cost.rounds) ||
      !grows_evenly(result))
    cost.rounds.clear();
  return cost;
}

RoundValue rate_by_slope(const VisitTimes& times, double work, const statistics::FixedTime& cost) {
  const auto rate_without = [&](double cost_s) {
    std::vector<double> growing_s = times.sample_s;
    for (double& seconds : growing_s) seconds -= cost_s;
    return statistics::rate(work, growing_s);
  };
  const statistics::Rate rate = rate_without(cost.value);
  RoundValue value;
  value.value = rate.value;
  value.n = times.sample_s.size();
  value.autocorrelation_time = rate.autocorrelation_time;
  const auto low = rate_without(cost.interval.low).interval, high = rate_without(cost.interval.high).interval;
  if (low && high)
    value.interval = ValueRange{low->low, high->high};
  else
    value.no_interval = value.n < statistics::kSmallestSeriesForInterval ? kFewSamples : kNoEnd;
  for (const double seconds : times.sample_s) value.samples.push_back(work / (seconds - cost.value));
  return value;
}

std::string to_text(const FixedCost& cost) {
  return quantity_text(cost.value_s, "s") + " [" + quantity_text(cost.interval.low, "s") + ", " +
         quantity_text(cost.interval.high, "s") + "] of a sample, " + percent_text(cost.share) +
         ", do not grow with its iterations";
}

}  // namespace assay::judge
