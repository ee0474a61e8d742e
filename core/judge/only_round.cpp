// SPDX-License-Identifier: Apache-2.0
#include "judge/only_round.hpp"

#include <utility>

namespace assay::judge {

CaseResult only_round(const CaseResult& result, std::size_t round) {
  CaseResult one;
  one.planned = result.planned;
  one.measured = result.measured;
  one.facts = result.facts;
  one.lacking = result.lacking;
  one.last_attempts = {result.last_attempts[round]};
  one.visits = one.last_attempts;
  for (MetricResult metric : result.metrics) {
    if (metric.rounds.size() != result.last_attempts.size()) continue;
    metric.value = metric.rounds[round];
    metric.verdict_interval = {metric.value, metric.value};
    metric.too_few = false;
    metric.members.clear();
    if (metric.peak && metric.peak->rounds.size() == result.last_attempts.size()) {
      const double peak = metric.peak->rounds[round];
      metric.peak->value = peak;
      metric.peak->verdict_interval = {peak, peak};
    }
    one.metrics.push_back(std::move(metric));
  }
  return one;
}

}  // namespace assay::judge
