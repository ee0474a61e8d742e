// SPDX-License-Identifier: Apache-2.0
#include "judge/percentile.hpp"

#include "judge/case_scope.hpp"
#include "statistics/autocorrelation.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace assay::judge {

Evaluated percentile(const CaseResult& result, const std::string& metric, double p) {
  const MetricResult* found = result.metric(metric);
  if (!found) return Evaluated::not_judged("'" + metric + "' was not recorded");
  if (found->kind != "rate" && found->kind != "duration")
    return Evaluated::not_judged("'" + metric + "' has no samples to take a percentile of");
  if (!result.laps)
    return Evaluated::not_judged(
        "percentiles need the duration of each iteration, and here a sample holds several (" +
        std::to_string(result.times.empty() ? 0 : result.times.front().iterations) +
        "): a percentile of batches says nothing of single ones");

  // Of a duration: time / work. Of a rate: work / time, whose quantile p is at the times' quantile 1 - p.
  const bool rate = found->kind == "rate";
  const auto declared = result.work.find(metric);
  const double work = (declared == result.work.end() ? 1.0 : declared->second) *
                      (rate ? static_cast<double>(result.planned->placement.ranks.size()) : 1.0);
  std::vector<double> values;
  values.reserve(result.iteration_s.size());
  for (const double seconds : result.iteration_s) values.push_back(rate ? work / seconds : seconds / work);

  const double n = static_cast<double>(values.size());
  const double tau = statistics::sign_autocorrelation_time(values);
  const std::vector<double> ascending = statistics::sorted(values);
  const double margin = 1.96 * std::sqrt(n * p * (1 - p) * tau);
  const double low = std::floor(n * p - margin);
  const double high = std::ceil(n * p + margin) + 1;
  Estimate estimate;
  estimate.value = statistics::quantile_of_sorted(ascending, p);
  estimate.dimension = dimension_of(found->unit);
  estimate.interval.low = low < 1 ? 0 : ascending[static_cast<std::size_t>(low) - 1];
  estimate.interval.high =
      high > n ? std::numeric_limits<double>::infinity() : ascending[static_cast<std::size_t>(high) - 1];
  estimate.interval.low = std::min(estimate.interval.low, estimate.value);
  estimate.interval.high = std::max(estimate.interval.high, estimate.value);
  if (found->too_few) {
    estimate.interval.low /= kPriorFactor;
    estimate.interval.high *= kPriorFactor;
  } else if (found->rounds.size() < 3) {
    estimate.interval.low -= result.allowance * estimate.value;
    estimate.interval.high += result.allowance * estimate.value;
  }
  Evaluated evaluated = Evaluated::of(estimate);
  if (high > n)
    evaluated.why = std::to_string(values.size()) + " iterations are too few for an upper bound of p" +
                    std::to_string(static_cast<int>(std::lround(p * 100)));
  return evaluated;
}

}  // namespace assay::judge
