// SPDX-License-Identifier: Apache-2.0
#include "judge/publish.hpp"

#include "statistics/summary.hpp"

namespace assay::judge {
namespace {

Spread spread_of(const std::vector<RoundValue>& rounds) {
  std::vector<double> all;
  for (const RoundValue& round : rounds) all.insert(all.end(), round.samples.begin(), round.samples.end());
  const std::vector<double> ascending = statistics::sorted(all);
  return {ascending.front(), statistics::quantile_of_sorted(ascending, 0.05),
          statistics::quantile_of_sorted(ascending, 0.95), ascending.back()};
}

}  // namespace

void refuse(CaseResult& result, std::string code, std::string text) {
  if (!result.reason.code.empty()) return;  // the first cause
  result.outcome = result::Outcome::error;
  result.reason.code = std::move(code);
  result.reason.text = std::move(text);
}

MetricResult described(const catalog::MetricDeclaration& metric) {
  MetricResult result;
  result.name = metric.name;
  result.unit = metric.unit.empty() ? "1" : metric.unit;
  result.written_unit = metric.written_unit;
  result.written_scale = metric.written_scale;
  result.direction = metric.direction;
  result.kind = model::kMetricKinds[static_cast<std::size_t>(metric.kind)];
  result.headline = metric.headline;
  result.counting = metric.counting;
  result.flow = metric.flow;
  result.mechanism = metric.mechanism;
  result.reported = metric.reported;
  result.observed = metric.reported ? !metric.measured : metric.kind == catalog::MetricKind::value;
  return result;
}

void set_unit(const UnitText& unit, MetricResult& metric) {
  metric.unit = unit.base;
  metric.written_unit = unit.as_written.unit;
  metric.written_scale = unit.as_written.scale;
}

std::optional<ValueRange> plain(const std::optional<statistics::ConfidenceInterval>& interval) {
  if (!interval) return std::nullopt;
  return ValueRange{interval->low, interval->high};
}

MetricResult& add_sampled(CaseResult& result, MetricResult metric, const std::vector<RoundValue>& rounds,
                          double allowance) {
  across_rounds(rounds, allowance, result.level(), metric);
  metric.spread = spread_of(rounds);
  result.metrics.push_back(std::move(metric));
  return result.metrics.back();
}

}  // namespace assay::judge
