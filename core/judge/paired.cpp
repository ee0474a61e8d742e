// SPDX-License-Identifier: Apache-2.0
#include "judge/paired.hpp"

#include "judge/case_scope.hpp"
#include "judge/only_round.hpp"
#include "statistics/compare.hpp"
#include "statistics/distribution.hpp"
#include "statistics/summary.hpp"
#include "text/quantity_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace assay::judge {
namespace {

using suite::Expression;

bool has_percentile(const Expression& expression) {
  const std::string& name = expression.name;
  if (expression.kind == Expression::Kind::call && name.size() > 1 && name[0] == 'p' && name[1] >= '0' &&
      name[1] <= '9')
    return true;
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [](const suite::ExpressionPtr& operand) { return has_percentile(*operand); });
}

// Every name is a metric that was measured, in each round.
bool is_measured_by_round(const Expression& expression, const CaseResult& result) {
  const std::vector<const Expression*> names = suite::names(expression);
  return std::all_of(names.begin(), names.end(), [&](const Expression* name) {
    bool found = false;
    for (const MetricResult& metric : result.metrics) {
      if (metric.name != name->name) continue;
      if (metric.observed || metric.rounds.size() != result.finals.size()) return false;
      found = true;
    }
    return found;
  });
}

// Places in both lists of rounds.
std::vector<std::pair<std::size_t, std::size_t>> common_rounds(const CaseResult& row,
                                                               const CaseResult& reference) {
  std::vector<std::pair<std::size_t, std::size_t>> common;
  for (std::size_t i = 0; i < row.finals.size(); ++i)
    for (std::size_t j = 0; j < reference.finals.size(); ++j)
      if (row.finals[i]->round == reference.finals[j]->round) common.emplace_back(i, j);
  return common;
}

// What both sides of one pair were, round by round.
struct Sides {
  std::vector<double> measured, limit;

  [[nodiscard]] bool positive() const {
    const auto above_zero = [](double value) { return value > 0; };
    return std::all_of(measured.begin(), measured.end(), above_zero) &&
           std::all_of(limit.begin(), limit.end(), above_zero);
  }
};

// Of each pair of the relation; none if a round does not have the same pairs.
std::vector<Sides> by_round(const Expression& expression, const CaseResult& row, const CaseResult& reference,
                            std::size_t pairs) {
  std::vector<Sides> sides(pairs);
  for (const auto& [i, j] : common_rounds(row, reference)) {
    const CaseResult one = only_round(row, i), other = only_round(reference, j);
    const auto found = pairs_of(evaluate_relation(expression, CaseScope(one, &other, {})));
    if (found.size() != pairs) return {};
    for (std::size_t p = 0; p < pairs; ++p) {
      sides[p].measured.push_back(found[p].first);
      sides[p].limit.push_back(found[p].second);
    }
  }
  return sides;
}

// measured over limit, against 1; the difference, against 0, where there are no logarithms.
Truth truth_of(const Sides& sides, ComparisonOperator comparison, double level) {
  if (sides.positive()) {
    const statistics::Ratio ratio = statistics::paired_ratio(sides.measured, sides.limit, level);
    const ValueRange interval{ratio.interval->low, ratio.interval->high};
    return compare({ratio.ratio, interval, {}}, comparison, exact(1, {}));
  }
  std::vector<double> differences;
  for (std::size_t i = 0; i < sides.measured.size(); ++i)
    differences.push_back(sides.measured[i] - sides.limit[i]);
  const double n = static_cast<double>(differences.size()), mean = statistics::mean(differences);
  const double half =
      statistics::student_t_quantile(0.5 + level / 2, n - 1) * statistics::stdev(differences) / std::sqrt(n);
  return compare({mean, {mean - half, mean + half}, {}}, comparison, exact(0, {}));
}

// "round by round 98.6 % [97.9 %, 99.2 %] of it".
std::string ratio_text(const Sides& sides, double level) {
  if (!sides.positive()) return "compared round by round";
  const statistics::Ratio ratio = statistics::paired_ratio(sides.measured, sides.limit, level);
  return "round by round " + percent_text(ratio.ratio) + " [" + percent_text(ratio.interval->low) + ", " +
         percent_text(ratio.interval->high) + "] of it";
}

}  // namespace

void compare_round_by_round(const Expression& expression, const CaseResult& row, const CaseResult& reference,
                            Relation& relation) {
  if (relation.is_text || !relation.measured.ok() || !relation.limit.ok() || has_percentile(expression))
    return;
  if (!is_measured_by_round(expression, row) || !is_measured_by_round(expression, reference)) return;
  if (common_rounds(row, reference).size() < statistics::kFewestProcessesForInterval) return;
  const std::vector<Sides> sides = by_round(expression, row, reference, pairs_of(relation).size());
  if (sides.empty()) return;
  const double level = std::max(row.level(), reference.level());
  std::vector<Truth> truths;
  for (const Sides& each : sides) truths.push_back(truth_of(each, relation.comparison, level));
  const auto decided = decide(relation, [&](std::size_t pair) { return truths[pair]; });
  if (!decided) return;
  relation.limit.why += (relation.limit.why.empty() ? "" : "; ") + ratio_text(sides[*decided], level) +
                        " in " + std::to_string(sides[*decided].limit.size()) + " rounds";
}

}  // namespace assay::judge
