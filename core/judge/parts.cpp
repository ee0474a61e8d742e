// SPDX-License-Identifier: Apache-2.0
#include "judge/parts.hpp"

#include "judge/members.hpp"
#include "judge/publish.hpp"
#include "statistics/estimate.hpp"
#include "statistics/interval.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace assay::judge {
namespace {

// By index: one value a sample.
using Parts = std::map<Indices, std::vector<double>>;

// Two clocks may have timed the part and the sample.
constexpr double kPartTolerance = 1.005;

Parts parts_of(const result::RankRecord& rank, const std::string& metric) {
  Parts parts;
  for (const result::Value& value : rank.values)
    if (value.metric == metric) parts[value.indices].push_back(value.value);
  return parts;
}

std::string subject(const result::Visit& visit, const result::RankRecord& rank) {
  return visit.ranks.size() > 1 ? "rank " + std::to_string(rank.rank) : "the benchmark";
}

// What is missing of a part that somebody recorded, as a sentence; "" if nothing is.
std::string missing_part(const CaseResult& result, const std::string& metric) {
  std::map<int, std::set<Indices>> known = indices_by_rank(result, metric);
  if (known.empty()) return {};
  for (const result::Visit* visit : result.last_attempts)
    for (const result::RankRecord& rank : visit->ranks) {
      CountByIndex counts = counts_of(rank, metric);
      const std::size_t samples = rank.series.device_s.size();
      std::set<Indices> expected = known[rank.rank];
      if (expected.empty()) expected.insert(Indices());
      for (const Indices& indices : expected)
        if (const std::size_t values = counts[indices]; values != samples)
          return subject(*visit, rank) + " recorded the part '" + metric + "'" +
                 (indices.empty() ? "" : " for " + index_text(indices)) + " " + count_of(values, "time") +
                 " in round " + std::to_string(visit->round) + ", for " + count_of(samples, "sample");
    }
  return {};
}

// In each sample the longest time that a rank has for the part.
std::vector<double> longest_of_ranks(const result::Visit& visit, const std::string& metric,
                                     const Indices& indices) {
  std::vector<double> longest;
  for (const result::RankRecord& rank : visit.ranks) {
    const Parts parts = parts_of(rank, metric);
    const auto found = parts.find(indices);
    if (found == parts.end()) continue;
    if (longest.empty()) longest = found->second;
    for (std::size_t i = 0; i < std::min(longest.size(), found->second.size()); ++i)
      longest[i] = std::max(longest[i], found->second[i]);
  }
  return longest;
}

RoundValue round_of_parts(std::vector<double> samples, double tick) {
  const statistics::SampleEstimate estimate =
      statistics::estimate(samples, statistics::Statistic::median, tick);
  RoundValue round;
  round.value = estimate.value;
  round.interval = plain(estimate.interval);
  if (!round.interval)
    round.no_interval = samples.size() < statistics::kSmallestSeriesForInterval ? kFewSamples : kNoEnd;
  round.n = samples.size();
  round.autocorrelation_time = estimate.autocorrelation_time;
  round.samples = std::move(samples);
  return round;
}

}  // namespace

void add_part(CaseResult& result, const catalog::MetricDeclaration& metric, double tick_s) {
  if (std::string missing = missing_part(result, metric.name); !missing.empty())
    return refuse(result, "result.missing", std::move(missing));
  std::set<Indices> all;
  for (const auto& [rank, indices] : indices_by_rank(result, metric.name))
    all.insert(indices.begin(), indices.end());
  for (const Indices& indices : all) {
    MetricResult published = described(metric);
    published.clocked = true;
    published.statistic = "median";
    published.indices = indices;
    std::vector<RoundValue> rounds;
    for (const result::Visit* visit : result.last_attempts) {
      const double iterations = static_cast<double>(visit->ranks.front().series.iterations);
      rounds.push_back(round_of_parts(longest_of_ranks(*visit, metric.name, indices), tick_s / iterations));
    }
    add_sampled(result, std::move(published), rounds, result.allowance);
  }
}

std::string impossible_part(const CaseResult& result) {
  for (const catalog::MetricDeclaration& metric : result.planned->benchmark->metrics) {
    if (metric.kind != catalog::MetricKind::part) continue;
    for (const result::Visit* visit : result.last_attempts)
      for (const result::RankRecord& rank : visit->ranks)
        for (const auto& [indices, values] : parts_of(rank, metric.name))
          for (std::size_t i = 0; i < std::min(values.size(), rank.series.host_s.size()); ++i) {
            const double iteration_s = rank.series.host_s[i] / static_cast<double>(rank.series.iterations);
            if (values[i] >= 0 && values[i] <= iteration_s * kPartTolerance + 2 * visit->measurement.tick_s)
              continue;
            return "the part " + metric.name + " of sample " + std::to_string(i + 1) + " took " +
                   quantity_text(values[i], "s") + ", and an iteration of that sample " +
                   quantity_text(iteration_s, "s");
          }
  }
  return {};
}

}  // namespace assay::judge
