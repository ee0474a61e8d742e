// SPDX-License-Identifier: Apache-2.0
#include "judge/finding_rounds.hpp"

#include "suite/expression.hpp"
#include "text/lookup.hpp"

#include <algorithm>

namespace assay::judge {

std::optional<double> round_value(const CaseResult& result, const std::string& metric, int round) {
  const MetricResult* found = result.metric(metric);
  if (!found || !found->indices.empty()) return std::nullopt;
  for (std::size_t i = 0; i < std::min(result.last_attempts.size(), found->rounds.size()); ++i)
    if (result.last_attempts[i]->round == round) return found->rounds[i];
  return std::nullopt;
}

ValueRange round_range(const CaseResult& result, const MetricResult& metric, int round) {
  const double value = round_value(result, metric.name, round).value_or(0);
  ValueRange range{value, value};
  if (!metric.observed) return range;
  for (const result::Visit* visit : result.last_attempts) {
    if (visit->round != round) continue;
    for (const result::RankRecord& rank : visit->ranks)
      for (const result::Value& given : rank.values)
        if (given.metric == metric.name && given.indices.empty())
          range = {std::min(range.low, given.value), std::max(range.high, given.value)};
  }
  return range;
}

std::vector<int> common_rounds(const JoinedRow& row) {
  std::vector<int> rounds;
  bool first = true;
  for (const auto& [selector, cases] : row.chosen)
    for (const CaseResult* each : cases) {
      std::vector<int> own;
      for (const result::Visit* visit : each->last_attempts)
        if (round_value(*each, selector->metric, visit->round)) own.push_back(visit->round);
      if (first) {
        rounds = own;
      } else {
        rounds.erase(std::remove_if(rounds.begin(), rounds.end(), [&](int r) { return !contains(own, r); }),
                     rounds.end());
      }
      first = false;
    }
  return rounds;
}

std::string prepare(JoinedRow& row, const std::vector<ClaimOperand>& operands) {
  for (auto& [selector, cases] : row.chosen) {
    if (cases.empty()) return "no case of this run matches '" + suite::to_text(*selector) + "'";
    const bool candidates =
        std::any_of(operands.begin(), operands.end(), [&, &of = selector](const ClaimOperand& each) {
          return each.selector == of && (each.best || (each.over && suite::finds_value(*each.over)));
        });
    if (candidates)
      cases.erase(
          std::remove_if(cases.begin(), cases.end(),
                         [](const CaseResult* each) { return each->outcome == result::Outcome::skipped; }),
          cases.end());
    if (cases.empty()) return "all cases of '" + suite::to_text(*selector) + "' were skipped";
    for (const CaseResult* each : cases) {
      if (!each->measured)
        return each->planned->id + " has no result (" + std::string(result::to_text(each->outcome)) + ")";
      if (!each->metric(selector->metric)) return each->planned->id + " has no '" + selector->metric + "'";
    }
  }
  return {};
}

}  // namespace assay::judge
