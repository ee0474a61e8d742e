// SPDX-License-Identifier: Apache-2.0
#include "judge/paired.hpp"

#include "judge/case_scope.hpp"
#include "judge/only_round.hpp"
#include "statistics/change.hpp"
#include "statistics/interval.hpp"
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

// Every name is a metric that was measured, in each round.
bool is_measured_by_round(const Expression& expression, const CaseResult& result) {
  const std::vector<const Expression*> names = suite::names(expression);
  return std::all_of(names.begin(), names.end(), [&](const Expression* name) {
    bool found = false;
    for (const MetricResult& metric : result.metrics) {
      if (metric.name != name->name) continue;
      if (metric.observed || metric.rounds.size() != result.last_attempts.size()) return false;
      found = true;
    }
    return found;
  });
}

// Places in both lists of rounds.
std::vector<std::pair<std::size_t, std::size_t>> common_rounds(const CaseResult& row,
                                                               const CaseResult& reference) {
  std::vector<std::pair<std::size_t, std::size_t>> common;
  for (std::size_t i = 0; i < row.last_attempts.size(); ++i)
    for (std::size_t j = 0; j < reference.last_attempts.size(); ++j)
      if (row.last_attempts[i]->round == reference.last_attempts[j]->round) common.emplace_back(i, j);
  return common;
}

// What both sides of one pair were, round by round.
struct Sides {
  std::vector<double> measured, limit;
  bool are_equal = true;  // in every round

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
      const auto& [measured, limit] = found[p];
      sides[p].measured.push_back(measured.value);
      sides[p].limit.push_back(limit.value);
      sides[p].are_equal = sides[p].are_equal && agree(measured, limit);
    }
  }
  return sides;
}

// Measured over limit, against 1; where there are no logarithms their difference, against 0.
struct Faced {
  Estimate value;
  double against = 1;
  std::size_t further_rounds = 0;  // that should decide it; 0: over 1000
};

Faced faced(const Sides& sides, double level) {
  const std::size_t rounds = sides.measured.size();
  if (sides.are_equal) return sides.positive() ? Faced{exact(1, {}), 1} : Faced{exact(0, {}), 0};
  if (sides.positive()) {
    const statistics::Ratio ratio = statistics::paired_ratio(sides.measured, sides.limit, level);
    return {{ratio.ratio, {ratio.interval->low, ratio.interval->high}, {}},
            1,
            statistics::further_rounds(rounds, ratio.scatter, std::fabs(std::log(ratio.ratio)), level)};
  }
  std::vector<double> differences;
  for (std::size_t i = 0; i < rounds; ++i) differences.push_back(sides.measured[i] - sides.limit[i]);
  const double mean = statistics::mean(differences);
  const auto interval = statistics::mean_interval(differences, level);
  return {{mean, {interval->low, interval->high}, {}},
          0,
          statistics::further_rounds(rounds, statistics::stdev(differences), std::fabs(mean), level)};
}

// "round by round 98.6 % [97.9 %, 99.2 %] of it".
std::string ratio_text(const Faced& faced) {
  if (faced.against == 0) return "compared round by round";
  const Estimate& ratio = faced.value;
  return "round by round " + percent_text(ratio.value) + " [" + percent_text(ratio.interval.low) + ", " +
         percent_text(ratio.interval.high) + "] of it";
}

}  // namespace

bool faces_peak_beside_the_work(const Expression& expression, const CaseResult& row) {
  if (!suite::has_share_of(expression, "peak")) return false;
  const std::vector<const Expression*> names = suite::names(expression);
  return std::any_of(names.begin(), names.end(), [&](const Expression* name) {
    const MetricResult* metric = row.metric(name->name);
    return metric != nullptr && metric->peak && metric->peak->is_beside_the_work();
  });
}

void compare_round_by_round(const Expression& expression, const CaseResult& row, const CaseResult& reference,
                            Relation& relation) {
  if (relation.is_text || !relation.measured.ok() || !relation.limit.ok() ||
      suite::has_percentile(expression))
    return;
  if (!is_measured_by_round(expression, row) || !is_measured_by_round(expression, reference)) return;
  if (common_rounds(row, reference).size() < statistics::kFewestProcessesForInterval) return;
  const std::vector<Sides> sides = by_round(expression, row, reference, pairs_of(relation).size());
  if (sides.empty()) return;
  const double level = std::max(row.level(), reference.level());
  std::vector<Faced> pairs;
  for (const Sides& each : sides) pairs.push_back(faced(each, level));
  const auto decided = decide(relation, [&](std::size_t pair) {
    return compare(pairs[pair].value, relation.comparison, exact(pairs[pair].against, {}));
  });
  if (!decided) return;
  relation.further_rounds = pairs[*decided].further_rounds;
  relation.limit.why += (relation.limit.why.empty() ? "" : "; ") + ratio_text(pairs[*decided]) + " in " +
                        std::to_string(sides[*decided].limit.size()) + " rounds";
}

}  // namespace assay::judge
