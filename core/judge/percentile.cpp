// SPDX-License-Identifier: Apache-2.0
#include "judge/percentile.hpp"

#include "judge/case_scope.hpp"
#include "statistics/interval.hpp"
#include "statistics/quantile.hpp"
#include "text/quantity_text.hpp"

#include <limits>
#include <vector>

namespace assay::judge {

Evaluated percentile(const CaseResult& result, const std::string& metric, double p) {
  const MetricResult* found = result.metric(metric);
  if (!found) return Evaluated::not_judged("'" + metric + "' was not recorded");
  if (found->kind != "rate" && found->kind != "duration")
    return Evaluated::not_judged("'" + metric + "' has no samples to take a percentile of");
  if (found->reported)
    return Evaluated::not_judged(
        "'" + metric + "' is what the command reports, and percentiles are of iterations that Assay timed");
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
  std::vector<std::vector<double>> rounds;
  for (const VisitTimes& times : result.times) {
    std::vector<double>& values = rounds.emplace_back();
    for (const double seconds : times.iteration_s) values.push_back(rate ? work / seconds : seconds / work);
  }
  const statistics::Quantile quantile = statistics::quantile_over_rounds(rounds, p, result.level());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Estimate estimate;
  estimate.value = quantile.value;
  estimate.dimension = dimension_of(found->unit);
  estimate.interval = {quantile.low.value_or(0), quantile.high.value_or(kInfinity)};
  if (found->too_few) {
    estimate.interval.low /= kPriorFactor;
    estimate.interval.high *= kPriorFactor;
  } else if (found->rounds.size() < statistics::kFewestProcessesForInterval) {
    estimate.interval.low -= result.allowance * estimate.value;
    estimate.interval.high += result.allowance * estimate.value;
  }
  Evaluated evaluated = Evaluated::of(estimate);
  if (!quantile.high)
    evaluated.why = "> " + quantity_text(quantile.value, found->shown_unit()) +
                    ", n too small: " + std::to_string(quantile.n) + " iterations are worth " +
                    std::to_string(static_cast<std::size_t>(quantile.effective)) +
                    " independent ones, and an upper bound of p" + quantity_text(p * 100, "1") + " takes " +
                    std::to_string(statistics::fewest_for_upper_bound(p));
  return evaluated;
}

}  // namespace assay::judge
