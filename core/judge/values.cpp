// SPDX-License-Identifier: Apache-2.0
#include "judge/values.hpp"

#include "judge/members.hpp"
#include "judge/publish.hpp"
#include "statistics/autocorrelation.hpp"
#include "statistics/interval.hpp"
#include "statistics/summary.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

std::string of_index(const Indices& indices) { return indices.empty() ? "" : " for " + index_text(indices); }

std::string in_round(const result::Visit& visit) { return " in round " + std::to_string(visit.round); }

// What is missing of a metric that somebody gave, as a sentence; "" if nothing is.
std::string missing_of(const CaseResult& result, const std::string& metric) {
  const auto known = indices_by_rank(result, metric);
  if (known.empty()) return {};
  for (const result::Visit* visit : result.last_attempts)
    for (const result::RankRecord& rank : visit->ranks) {
      const std::string who = visit->ranks.size() > 1 ? "rank " + std::to_string(rank.rank) : "the case";
      const auto expected = known.find(rank.rank);
      if (expected == known.end())
        return who + " gave no '" + metric + "', and rank " + std::to_string(known.begin()->first) + " did";
      const CountByIndex counts = counts_of(rank, metric);
      for (const Indices& indices : expected->second)
        if (!counts.contains(indices))
          return who + " gave no '" + metric + "'" + of_index(indices) + in_round(*visit) +
                 ", and did in another round";
    }
  return {};
}

// The same of numbers that a command gives once a sample, or more often: at every index as often.
std::string missing_in_samples(const CaseResult& result, const std::string& metric) {
  for (const result::Visit* visit : result.last_attempts)
    for (const result::RankRecord& rank : visit->ranks) {
      const CountByIndex counts = counts_of(rank, metric);
      std::size_t most = rank.series.device_s.size();
      for (const auto& [indices, count] : counts) most = std::max(most, count);
      for (const auto& [indices, count] : counts)
        if (count < most)
          return "the command gave '" + metric + "'" + of_index(indices) + " " + count_of(count, "time") +
                 in_round(*visit) + ", and " + std::to_string(most) + " are to be expected of " +
                 std::to_string(rank.series.device_s.size()) + " samples";
    }
  return {};
}

// What a limit faces of an observation is every value that was seen, and they are as they are.
void judge_by_value(const CaseResult& result, const std::vector<GivenValue>& given, MetricResult& metric) {
  metric.members = observed(given, metric.indices, result.last_attempts.size());
  double least = metric.members.front().estimate.value, most = least;
  for (const ValueEntry& member : metric.members) {
    least = std::min(least, member.estimate.value);
    most = std::max(most, member.estimate.value);
  }
  metric.verdict_interval = {std::min(least, metric.value), std::max(most, metric.value)};
  metric.too_few = false;
}

// The values of one visit among those that were given at an index, as they lie behind one another.
std::vector<double> given_in(const result::Visit& visit, const std::vector<GivenValue>& given) {
  const auto is_of = [&](const GivenValue& one) { return one.visit == &visit; };
  const auto begin = std::find_if(given.begin(), given.end(), is_of);
  std::vector<double> values;
  for (auto one = begin; one != given.end() && is_of(*one); ++one) values.push_back(one->value);
  return values;
}

// The least if higher is better, else the largest; no value of no values.
std::optional<double> worst_of(const std::vector<double>& values, catalog::Direction direction) {
  std::optional<double> worst;
  for (const double value : values)
    if (!worst || std::isnan(value) ||
        (direction == catalog::Direction::higher ? value < *worst : value > *worst))
      worst = value;
  return worst;
}

// What a command gave at one index in one visit, if it is observed: the worst stands for all.
RoundValue reported_observation(std::vector<double> values, catalog::Direction direction) {
  RoundValue round;
  round.samples = std::move(values);
  round.value = *worst_of(round.samples, direction);
  round.no_interval = kSeenAsItIs;
  round.n = round.samples.size();
  return round;
}

// The same of what is measured.
RoundValue reported_measurement(std::vector<double> values) {
  RoundValue round;
  round.samples = std::move(values);
  // The command's own number: the accuracy of Assay's clock is not in it, and no tick.
  round.value = statistics::median(round.samples);
  round.interval = plain(statistics::median_interval(round.samples));
  if (!round.interval) round.no_interval = kFewSamples;
  round.n = round.samples.size();
  round.autocorrelation_time = statistics::sign_autocorrelation_time(round.samples);
  return round;
}

// A mean of counts is no count that was seen.
void publish_worst(MetricResult& metric) {
  metric.value = *worst_of(metric.rounds, metric.direction);
  if (!metric.interval) return;
  metric.interval.reset();
  metric.between_process = false;
  metric.no_interval = kSeenAsItIs;
}

// False, and the case is refused, if a value is missing or is none.
bool usable(CaseResult& result, const catalog::MetricDeclaration& metric) {
  std::string missing = missing_of(result, metric.name);
  if (missing.empty() && metric.reported) missing = missing_in_samples(result, metric.name);
  if (!missing.empty()) {
    refuse(result, "result.missing", std::move(missing));
    return false;
  }
  for (const result::Visit* visit : result.last_attempts)
    for (const result::RankRecord& rank : visit->ranks)
      for (const result::Value& value : rank.values) {
        if (value.metric != metric.name || std::isfinite(value.value)) continue;
        refuse(result, "result.not-finite", "'" + metric.name + "' is not a finite number");
        return false;
      }
  return true;
}

}  // namespace

void add_recorded(CaseResult& result, const catalog::MetricDeclaration& metric) {
  const GivenByIndex all = given_values(result.last_attempts, metric.name);
  if (all.empty() && metric.headline)
    refuse(result, "result.missing", "the benchmark declares '" + metric.name + "' and gave no value for it");
  if (!usable(result, metric)) return;
  for (const auto& [indices, given] : all) {
    MetricResult published = described(metric);
    published.statistic = "recorded";
    published.indices = indices;
    std::vector<RoundValue> rounds;
    for (const result::Visit* visit : result.last_attempts)
      if (const auto value = worst_of(given_in(*visit, given), metric.direction))
        rounds.emplace_back().value = *value;
    across_rounds(rounds, 0, result.level(), published);
    judge_by_value(result, given, published);
    result.metrics.push_back(std::move(published));
  }
}

void add_reported(CaseResult& result, const catalog::MetricDeclaration& metric) {
  const GivenByIndex all = given_values(result.last_attempts, metric.name);
  if (all.empty()) refuse(result, "result.missing", "the command gave no value for '" + metric.name + "'");
  if (!usable(result, metric)) return;
  for (const auto& [indices, given] : all) {
    MetricResult published = described(metric);
    published.statistic = "reported";
    published.indices = indices;
    std::vector<RoundValue> rounds;
    for (const result::Visit* visit : result.last_attempts)
      rounds.push_back(metric.measured ? reported_measurement(given_in(*visit, given))
                                       : reported_observation(given_in(*visit, given), metric.direction));
    // What was observed is what it is; a time or a rate varies from run to run.
    MetricResult& added =
        add_sampled(result, std::move(published), rounds, metric.measured ? result.allowance : 0);
    if (!added.observed) continue;
    publish_worst(added);
    judge_by_value(result, given, added);
  }
}

}  // namespace assay::judge
