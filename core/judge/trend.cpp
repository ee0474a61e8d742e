// SPDX-License-Identifier: Apache-2.0
#include "judge/trend.hpp"

#include "statistics/stationarity.hpp"
#include "statistics/trend.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

constexpr double kByChance = 0.01;

// Logarithms of the time that its work took, a round each; empty for what is not a rate or time of Assay's.
std::vector<double> times_of(const CaseResult& result) {
  const MetricResult* const metric = result.measured ? result.headline() : nullptr;
  if (!metric || !metric->clocked || (metric->kind != "rate" && metric->kind != "duration")) return {};
  if (std::any_of(metric->rounds.begin(), metric->rounds.end(), [](double value) { return !(value > 0); }))
    return {};
  std::vector<double> times;
  for (const double value : metric->rounds)
    times.push_back(metric->kind == "rate" ? -std::log(value) : std::log(value));
  return times;
}

}  // namespace

std::optional<model::RoundTrend> trend_of(const std::vector<CaseResult>& cases) {
  std::vector<std::vector<double>> rows;
  for (const CaseResult& each : cases) rows.push_back(times_of(each));
  const statistics::Trend found = statistics::trend(rows);
  const double change = std::expm1(found.change);
  if (found.p >= kByChance || std::fabs(change) <= statistics::kSmallestChange) return std::nullopt;
  return model::RoundTrend{found.rows, change, found.p};
}

}  // namespace assay::judge
