// SPDX-License-Identifier: Apache-2.0
#include "judge/deltas.hpp"

#include "statistics/change.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

DeltaVerdict word(statistics::ChangeVerdict verdict, catalog::Direction direction) {
  switch (verdict) {
    case statistics::ChangeVerdict::same:
      return DeltaVerdict::same;
    case statistics::ChangeVerdict::better:
      return direction == catalog::Direction::none ? DeltaVerdict::different : DeltaVerdict::better;
    case statistics::ChangeVerdict::worse:
      return direction == catalog::Direction::none ? DeltaVerdict::different : DeltaVerdict::worse;
    case statistics::ChangeVerdict::changed_small:
      return DeltaVerdict::small;
    case statistics::ChangeVerdict::undecided:
      break;
  }
  return DeltaVerdict::undecided;
}

ValueRange without_allowance(const MetricResult& metric) {
  const double widening = metric.allowance * metric.value;
  return {metric.verdict_interval.low + widening, metric.verdict_interval.high - widening};
}

}  // namespace

std::optional<Delta> compare_metric(const MetricResult& row, const std::vector<int>& row_rounds,
                                    const MetricResult& reference, const std::vector<int>& reference_rounds,
                                    double level) {
  if (!(row.value > 0) || !(reference.value > 0)) return std::nullopt;
  std::vector<double> left, right;
  for (std::size_t i = 0; i < std::min(row_rounds.size(), row.rounds.size()); ++i) {
    const auto at = std::find(reference_rounds.begin(), reference_rounds.end(), row_rounds[i]);
    const std::size_t j = static_cast<std::size_t>(at - reference_rounds.begin());
    if (j >= reference.rounds.size() || !(row.rounds[i] > 0) || !(reference.rounds[j] > 0)) continue;
    left.push_back(row.rounds[i]);
    right.push_back(reference.rounds[j]);
  }
  const bool higher = row.direction != catalog::Direction::lower;
  Delta delta;
  delta.ratio = row.value / reference.value;
  if (left.size() >= statistics::kFewestProcessesForInterval) {
    const statistics::Ratio paired = statistics::paired_ratio(left, right, level);
    delta.ratio = paired.ratio;
    delta.bounds = {paired.interval->low, paired.interval->high};
    delta.verdict = word(statistics::verdict_of(*paired.interval, kTheta, higher), row.direction);
    return delta;
  }
  if (!(row.verdict_interval.low > 0) || !(reference.verdict_interval.low > 0)) return std::nullopt;
  // Each row may be off by its allowance, and the two independently of each other: together by less than the sum.
  const ValueRange left_seen = without_allowance(row), right_seen = without_allowance(reference);
  const double together =
      1 + std::sqrt(row.allowance * row.allowance + reference.allowance * reference.allowance);
  delta.bounds = {left_seen.low / right_seen.high / together, left_seen.high / right_seen.low * together};
  statistics::ConfidenceInterval ratio;
  ratio.low = delta.bounds.low;
  ratio.high = delta.bounds.high;
  // Without an interval over rounds a difference is shown only where it is beyond theta.
  const statistics::ChangeVerdict verdict = statistics::verdict_of(ratio, kTheta, higher);
  const bool small = verdict == statistics::ChangeVerdict::changed_small;
  delta.verdict = word(small ? statistics::ChangeVerdict::undecided : verdict, row.direction);
  return delta;
}

void compute_deltas(CaseResult& result, const CaseResult& reference) {
  if (&result == &reference || !result.measured || !reference.measured) return;
  const std::vector<int> rounds = result.rounds();
  const std::vector<int> reference_rounds = reference.rounds();
  for (MetricResult& metric : result.metrics) {
    const MetricResult* other = reference.metric(metric.name);
    if (!other || !metric.indices.empty() || !other->indices.empty()) continue;
    metric.delta =
        compare_metric(metric, rounds, *other, reference_rounds, std::max(result.level(), reference.level()));
    if (metric.delta) metric.delta->reference = reference.planned->id;
  }
}

}  // namespace assay::judge
