// SPDX-License-Identifier: Apache-2.0
#include "judge/across_rounds.hpp"

#include "statistics/estimate.hpp"
#include "statistics/interval.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

constexpr double kPublishedLevel = 0.95;

// What a verdict relies on when no interval can be given: everything that was seen.
ValueRange range_of(const RoundValue& round) {
  if (round.samples.empty()) return {round.value, round.value};
  const auto [least, most] = std::minmax_element(round.samples.begin(), round.samples.end());
  return {std::min(*least, round.value), std::max(*most, round.value)};
}

// Is every value that was seen the same?
bool is_one_value(const std::vector<RoundValue>& rounds) {
  const double first = rounds.front().value;
  return std::all_of(rounds.begin(), rounds.end(), [&](const RoundValue& round) {
    const ValueRange range = range_of(round);
    return range.low == first && range.high == first;
  });
}

// "5 [5, 5]" says no more than 5.
void no_interval_around_one_value(MetricResult& metric) {
  metric.interval.reset();
  metric.no_interval = kOneValue;
}

ValueRange to_the_clocks_accuracy(const ValueRange& interval, double value) {
  const statistics::ConfidenceInterval widened =
      statistics::widened_to_timing_accuracy({interval.low, interval.high}, value);
  return {widened.low, widened.high};
}

ValueRange between_rounds(const MetricResult& metric, bool all_same, bool positive, double level) {
  ValueRange interval{metric.value, metric.value};
  if (!all_same) {
    // Of values that may be zero or negative a logarithm knows nothing.
    const auto between = positive ? statistics::between_process_interval(metric.rounds, level)
                                  : statistics::mean_interval(metric.rounds, level);
    interval = {between->low, between->high};
  }
  return metric.clocked ? to_the_clocks_accuracy(interval, metric.value) : interval;
}

// Three rounds or more.
void set_between_rounds(bool all_same, bool positive, double level, MetricResult& metric) {
  metric.between_process = true;
  metric.interval = between_rounds(metric, all_same, positive, kPublishedLevel);
  metric.verdict_interval = between_rounds(metric, all_same, positive, level);
  if (std::isfinite(metric.interval->low) && std::isfinite(metric.interval->high)) return;
  metric.interval.reset();  // an end is beyond all numbers
  metric.no_interval = kNoEnd;
}

ValueRange hull(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

ValueRange within_prior(const ValueRange& interval) {
  return {interval.low > 0 ? interval.low / kPriorFactor : interval.low * kPriorFactor,
          interval.high > 0 ? interval.high * kPriorFactor : interval.high / kPriorFactor};
}

}  // namespace

void across_rounds(const std::vector<RoundValue>& rounds, double allowance, double level,
                   MetricResult& metric) {
  bool positive = true;
  for (const RoundValue& round : rounds) {
    metric.rounds.push_back(round.value);
    metric.n += round.n;
    positive = positive && round.value > 0;
  }
  metric.value = rounds.size() == 1 ? rounds.front().value
                 : positive         ? statistics::geometric_mean(metric.rounds)
                                    : statistics::mean(metric.rounds);

  const bool recorded = rounds.front().samples.empty();
  const bool all_same = std::all_of(rounds.begin(), rounds.end(),
                                    [&](const RoundValue& r) { return r.value == rounds.front().value; });
  if (all_same) metric.value = rounds.front().value;  // a mean of logarithms is not quite that
  const bool one_value = !metric.clocked && is_one_value(rounds);
  if (metric.observed && one_value) {
    metric.no_interval = rounds.size() == 1 && metric.n <= 1 ? kSeenAsItIs : kOneValue;
    metric.verdict_interval = {metric.value, metric.value};
    return;
  }
  if (rounds.size() >= statistics::kFewestProcessesForInterval) {
    set_between_rounds(all_same, positive, level, metric);
    if (one_value) no_interval_around_one_value(metric);
    return;
  }
  ValueRange verdict = rounds.front().interval.value_or(range_of(rounds.front()));
  if (rounds.front().interval) metric.interval = verdict;
  for (const RoundValue& round : rounds)
    if (!round.interval && metric.no_interval.empty())
      metric.no_interval = recorded ? kSeenAsItIs : round.no_interval;
  for (std::size_t i = 1; i < rounds.size(); ++i) {
    verdict = hull(verdict, rounds[i].interval.value_or(range_of(rounds[i])));
    if (metric.interval && rounds[i].interval)
      metric.interval = hull(*metric.interval, *rounds[i].interval);
    else
      metric.interval.reset();
  }
  if (one_value && metric.interval) no_interval_around_one_value(metric);
  if (!recorded && !metric.observed && metric.n < kFewestSamplesForVerdict) {
    metric.too_few = true;
    metric.verdict_interval = within_prior(verdict);
    return;
  }
  metric.allowance = allowance;
  const double widening = allowance * std::fabs(metric.value);
  metric.verdict_interval = {verdict.low - widening, verdict.high + widening};
}

}  // namespace assay::judge
