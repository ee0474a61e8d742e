// SPDX-License-Identifier: Apache-2.0
#include "judge/findings.hpp"

#include "judge/case_scope.hpp"
#include "judge/claim.hpp"
#include "judge/deciding_rows.hpp"
#include "judge/finding_operands.hpp"
#include "judge/finding_rounds.hpp"
#include "judge/found_value.hpp"
#include "judge/left_out_rows.hpp"
#include "judge/sides.hpp"
#include "statistics/interval.hpp"
#include "statistics/summary.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace assay::judge {
namespace {

using suite::Expression;

// best(): the candidate with the best geometric mean over the rounds to pick on.
const CaseResult* pick(const std::vector<const CaseResult*>& cases, const std::string& metric,
                       const std::vector<int>& rounds) {
  const CaseResult* best = nullptr;
  double best_score = -std::numeric_limits<double>::infinity();
  for (const CaseResult* each : cases) {
    double score = 0;
    for (const int round : rounds) score += std::log(round_value(*each, metric, round).value_or(0));
    if (each->metric(metric)->direction == catalog::Direction::lower) score = -score;
    if (score > best_score) {
      best_score = score;
      best = each;
    }
  }
  return best ? best : cases.front();
}

// What stands for an operand in a row: one case, or those that a function goes over.
struct Chosen {
  std::vector<const CaseResult*> cases;
  const Expression* over = nullptr;

  [[nodiscard]] const CaseResult& first() const { return *cases.front(); }
  [[nodiscard]] std::vector<Estimate> values(const std::string& metric, int round) const {
    std::vector<Estimate> values;
    for (const CaseResult* each : cases) {
      const MetricResult& of = *each->metric(metric);
      values.push_back(
          {*round_value(*each, metric, round), round_range(*each, of, round), dimension_of(of.unit)});
    }
    return values;
  }
  [[nodiscard]] Estimate value(const std::string& metric, int round) const {
    const std::vector<Estimate> all = values(metric, round);
    return over ? aggregate(over->name, all) : all.front();
  }
};
using ChosenCases = std::map<const Expression*, Chosen>;

// Whether all that the claim is about was observed, so that no interval of a mean speaks for it.
bool are_observed(const ChosenCases& chosen) {
  return std::all_of(chosen.begin(), chosen.end(), [](const auto& each) {
    const auto& [selector, of] = each;
    return std::all_of(
        of.cases.begin(), of.cases.end(),
        [&, &metric = selector->metric](const CaseResult* one) { return one->metric(metric)->observed; });
  });
}

// How far a single row lies from itself, or a share of what is not above zero in one of the rounds.
std::string why_no_spread(const ChosenCases& chosen, const std::vector<int>& rounds) {
  for (const auto& [selector, of] : chosen) {
    if (!of.over) continue;
    if ((of.over->name == "spread" || of.over->name == "cv") && of.cases.size() == 1)
      return "nothing to compare: '" + suite::to_text(*of.over) + "' has one row";
    for (const int round : rounds)
      if (std::string why = why_no_share(*of.over, of.values(selector->metric, round)); !why.empty())
        return why;
  }
  return {};
}

std::string not_comparable(const std::vector<ClaimOperand>& operands, const ChosenCases& chosen) {
  const std::set<std::string> written = written_axes(operands);
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (std::size_t j = i + 1; j < operands.size(); ++j) {
      const CaseResult& a = chosen.at(operands[i].selector).first();
      const CaseResult& b = chosen.at(operands[j].selector).first();
      const std::vector<std::string> differ = differences(a, b, written);
      // Operands that name two cases of the suite say with it that one thing differs; a second one confounds
      // the first.
      const std::size_t allowed = operands[i].selector->name == operands[j].selector->name ? 0 : 1;
      if (differ.size() > allowed)
        return a.planned->id + " and " + b.planned->id + " differ in " + few_names(differ) +
               (allowed ? ": more than one thing" : ", which no selector names");
    }
  return {};
}

// Rates that count differently, one way and both ways for instance, make no ratio of what is measured; a factor of
// two between them is the counting's.
std::string counted_otherwise(const std::vector<ClaimOperand>& operands, const ChosenCases& chosen) {
  const MetricResult* first = nullptr;
  for (const ClaimOperand& operand : operands) {
    const MetricResult* metric = chosen.at(operand.selector).first().metric(operand.selector->metric);
    if (metric == nullptr || metric->flow.empty()) continue;
    if (first == nullptr) first = metric;
    if (first->unit == metric->unit && first->flow != metric->flow)
      return "'" + first->name + "' counts " + first->flow + " and '" + metric->name + "' counts " +
             metric->flow;
  }
  return {};
}

std::vector<std::string> two_rows_differ(const std::vector<ClaimOperand>& operands,
                                         const ChosenCases& chosen) {
  if (operands.size() != 2 || operands[0].selector->name != operands[1].selector->name) return {};
  std::vector<std::string> differ =
      differences(chosen.at(operands[0].selector).first(), chosen.at(operands[1].selector).first(), {});
  // More ranks are more devices.
  if (contains(differ, "ranks"))
    differ.erase(std::remove(differ.begin(), differ.end(), "devices"), differ.end());
  return differ;
}

double mean_of(const std::vector<double>& values) {
  const auto is_first = [&](double value) { return value == values.front(); };
  if (std::all_of(values.begin(), values.end(), is_first)) return values.front();
  const bool positive = std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
  return positive ? statistics::geometric_mean(values) : statistics::mean(values);
}

double mean_over(const Chosen& chosen, const std::string& metric, const std::vector<int>& rounds) {
  std::vector<double> values;
  for (const int round : rounds) values.push_back(chosen.value(metric, round).value);
  return mean_of(values);
}

// A side that reads one number of one case is shown as that case and its number, whatever the claim makes of
// it. One that is made of several is shown as the claim writes it, so that no case is said to have measured
// what it did not.
FindingOperand operand_of(const ClaimSide& side, const ChosenCases& chosen) {
  FindingOperand operand;
  std::vector<std::string> metrics;
  for (const Expression* selector : side.selectors) {
    const Chosen& of = chosen.at(selector);
    const std::string id = of.over ? suite::to_text(*of.over) : of.first().planned->id;
    if (operand.id.find(id) == std::string::npos) operand.id += (operand.id.empty() ? "" : ", ") + id;
    add_once(metrics, selector->metric);
  }
  if (side.selectors.size() > 1) operand.id = to_text(side) + " of " + operand.id;
  operand.metric = assay::join(metrics, ", ");
  return operand;
}

void show_own_value(const ClaimSide& side, const ChosenCases& chosen, const std::vector<int>& rounds,
                    FindingOperand& operand) {
  if (side.selectors.size() != 1) return;
  const Chosen& of = chosen.at(side.selectors.front());
  const std::string& metric = side.selectors.front()->metric;
  operand.value = mean_over(of, metric, rounds);
  const bool keeps_unit =
      of.value(metric, rounds.front()).dimension == dimension_of(of.first().metric(metric)->unit);
  operand.unit = keeps_unit ? of.first().metric(metric)->shown_unit() : UnitText("1");
}

std::string label_of(const AxisTexts& axes) {
  std::string label;
  for (const auto& [name, text] : axes) label += (label.empty() ? "" : ", ") + name + "=" + text;
  return label;
}

FindingRow judge_row(JoinedRow joined, const std::vector<ClaimOperand>& operands, const Claim& claim,
                     const std::optional<ValueClaim>& value_claim, double theta) {
  FindingRow row;
  row.axes = joined.axes;
  row.label = label_of(joined.axes);
  row.verdict = FindingVerdict::undecided;
  row.why = left_out_of(joined, operands);
  if (row.why.empty()) row.why = prepare(joined, operands);
  if (!row.why.empty()) return row;
  if (value_claim) {
    judge_found_value(*value_claim, claim, joined.chosen.front().second, common_rounds(joined), row);
    return row;
  }

  std::vector<int> rounds = common_rounds(joined);
  const bool best =
      std::any_of(operands.begin(), operands.end(), [](const ClaimOperand& each) { return each.best; });
  std::vector<int> picking = rounds;
  if (best) {
    // What is picked and what is judged must not be the same noise.
    const auto odd = [](int round) { return round % 2 == 1; };
    picking.clear();
    std::copy_if(rounds.begin(), rounds.end(), std::back_inserter(picking), odd);
    rounds.erase(std::remove_if(rounds.begin(), rounds.end(), odd), rounds.end());
  }
  ChosenCases chosen;
  for (const ClaimOperand& operand : operands)
    for (const auto& [selector, cases] : joined.chosen)
      if (selector == operand.selector)
        chosen[selector] = operand.over        ? Chosen{cases, operand.over}
                           : cases.size() == 1 ? Chosen{cases}
                                               : Chosen{{pick(cases, selector->metric, picking)}};

  row.left = operand_of(claim.left, chosen);
  row.right = operand_of(claim.right, chosen);
  row.why = not_comparable(operands, chosen);
  if (row.why.empty()) row.why = counted_otherwise(operands, chosen);
  if (row.why.empty()) row.why = why_no_spread(chosen, rounds);
  row.differ = two_rows_differ(operands, chosen);
  if (!row.why.empty()) {
    row.verdict = FindingVerdict::not_comparable;
    return row;
  }
  std::vector<double> left, right;
  std::vector<ValueRange> left_ranges, right_ranges;
  for (const int round : rounds) {
    const ClaimValues values = evaluate_claim(claim, [&](const Expression& selector) {
      return chosen.at(&selector).value(selector.metric, round);
    });
    if (!values.problem.empty()) {
      row.why = values.problem;
      row.has_no_ratio = values.has_no_ratio;
      show_own_value(claim.left, chosen, rounds, row.left);
      show_own_value(claim.right, chosen, rounds, row.right);
      return row;
    }
    left.push_back(values.left);
    right.push_back(values.right);
    left_ranges.push_back(values.left_range);
    right_ranges.push_back(values.right_range);
    row.left.unit = values.left_unit;
    row.right.unit = values.right_unit;
  }
  row.rounds = rounds.size();
  if (rounds.empty()) {
    row.why = best ? "best() picks on odd rounds and is judged on even ones; there is no even round"
                   : "no round has a value of every operand";
    return row;
  }
  row.left.value = mean_of(left);
  row.right.value = mean_of(right);
  show_own_value(claim.left, chosen, rounds, row.left);
  show_own_value(claim.right, chosen, rounds, row.right);
  double level = statistics::level_after_looks(0);
  for (const auto& [selector, cases] : joined.chosen)
    for (const CaseResult* each : cases) level = std::max(level, each->level());
  row.level = level;
  row.observed = are_observed(chosen);
  const SidesCompared sides = row.observed ? compare_observations(claim, left_ranges, right_ranges, theta)
                                           : compare_sides(claim, left, right, theta, level);
  row.measured = sides.measured;
  row.effect = sides.effect;
  if (!sides.interval) {
    row.why = count_of(rounds.size(), "round") + (best ? " to judge on (best() picks on the odd ones)" : "") +
              "; a verdict needs at least three";
    row.more_rounds = (statistics::kFewestProcessesForInterval - rounds.size()) * (best ? 2 : 1);
    return row;
  }
  row.interval = sides.interval;
  row.verdict = sides.verdict;
  if (!is_open(row.verdict)) return row;
  if (!row.observed)
    for (const auto& [selector, of] : chosen)
      row.too_wide.insert(row.too_wide.end(), of.cases.begin(), of.cases.end());
  row.more_rounds = sides.more_rounds * (best ? 2 : 1);
  row.why =
      std::string(
          row.verdict == FindingVerdict::small
              ? "there is a difference, and the interval does not tell whether it is as large as the claim's"
              : "the interval holds values on both sides of what the claim asks for") +
      (row.more_rounds > 0 ? std::string() : "; at this scatter not even 1000 rounds should decide it");
  return row;
}

// Where rows differ the finding says how they are divided.
void summarize(FindingResult& result) {
  std::vector<std::pair<FindingVerdict, std::size_t>> counts;
  for (const FindingRow& row : result.rows) ++entry_of(counts, row.verdict);
  if (counts.size() == 1) {
    result.verdict = counts.front().first;
    if (!is_answered(result.verdict) || result.rows.size() == 1) result.why = result.rows.front().why;
    return;
  }
  const bool decided = std::all_of(result.rows.begin(), result.rows.end(),
                                   [](const FindingRow& row) { return is_answered(row.verdict); });
  result.verdict = decided ? FindingVerdict::mixed : FindingVerdict::undecided;
  for (const auto& [verdict, count] : counts)
    result.why += (result.why.empty() ? "" : ", ") + std::string(to_text(verdict)) + " in " +
                  std::to_string(count) + " of " + std::to_string(result.rows.size()) + " rows";
}

// In which all that the claim is about is shown; nothing where it is not one unit.
std::optional<UnitText> common_unit(const std::vector<ClaimOperand>& operands) {
  std::optional<UnitText> unit;
  for (const ClaimOperand& operand : operands)
    for (const CaseResult* each : operand.cases) {
      const MetricResult* metric = each->metric(operand.selector->metric);
      if (metric == nullptr) continue;
      if (unit && !(*unit == metric->shown_unit())) return std::nullopt;
      unit = metric->shown_unit();
    }
  return unit;
}

// What has the dimension of the metrics is shown as they are, in tokens/s and not in items/s: a limit, a difference, a sum.
void take_unit(const std::vector<ClaimOperand>& operands, FindingResult& result) {
  const std::optional<UnitText> unit = common_unit(operands);
  if (!unit) return;
  const std::string base = base_unit(dimension_of(unit->base));
  const auto take = [&](UnitText& other) {
    if (other.base == base) other = *unit;
  };
  take(result.limit->unit);
  for (FindingRow& row : result.rows) take(row.left.unit), take(row.right.unit);
}

FindingResult judge_finding(const suite::SuiteFinding& finding, const suite::Suite& suite,
                            const std::vector<CaseResult>& cases, const std::vector<plan::LeftOut>& left_out,
                            bool quick) {
  FindingResult result;
  result.finding = &finding;
  result.verdict = FindingVerdict::undecided;
  std::string problem;
  const std::vector<ClaimOperand> operands = find_operands(finding, suite, cases, left_out, &problem);
  const std::optional<ValueClaim> value_claim = read_value_claim(finding);
  std::optional<Claim> claim;
  if (problem.empty()) claim = value_claim ? claim_of(*value_claim) : read_claim(finding, &problem);
  if (claim) result.limit = value_claim ? limit_of(*value_claim, *claim) : limit_of(*claim, finding.over);
  if (quick) {
    result.why = "findings are not judged in a quick run";
  } else if (!problem.empty()) {
    result.why = problem;
  } else if (std::any_of(operands.begin(), operands.end(), [](const ClaimOperand& operand) {
               return std::any_of(operand.cases.begin(), operand.cases.end(),
                                  [](const CaseResult* each) { return !each->judged; });
             })) {
    result.why = "cases measured under --wrap are not judged";
  } else if (std::vector<JoinedRow> rows = join_rows(operands); rows.size() > kMostFindingRows) {
    result.why = "its operands make more than " + std::to_string(kMostFindingRows) +
                 " rows, each with each; give the cases the same axes, or name values in its selectors";
  } else {
    const auto judge_rows = [&] {
      result.rows.clear();
      for (const JoinedRow& row : rows)
        result.rows.push_back(judge_row(row, operands, *claim, value_claim, finding.over));
    };
    judge_rows();
    if (may_be_difference(*claim) && std::any_of(result.rows.begin(), result.rows.end(),
                                                 [](const FindingRow& row) { return row.has_no_ratio; })) {
      claim = as_difference(std::move(*claim));
      result.limit = limit_of(*claim, finding.over);
      judge_rows();
    }
    take_unit(operands, result);
    if (finding.decided_by.empty())
      summarize(result);
    else
      decide_by_rows(*claim, result);
    open_for_left_out(operands, result);
  }
  const std::optional<suite::VerdictWords>& text =
      result.verdict == FindingVerdict::confirmed                ? finding.confirmed
      : result.verdict == FindingVerdict::refuted                ? finding.refuted
      : result.verdict == FindingVerdict::mixed && finding.mixed ? finding.mixed
                                                                 : finding.undecided;
  if (text && result.verdict != FindingVerdict::not_comparable) result.text = &*text;
  return result;
}

bool misses_an_operand(const suite::SuiteFinding& finding, const suite::Suite& suite,
                       const std::vector<CaseResult>& cases) {
  std::string problem;
  const std::vector<ClaimOperand> operands = find_operands(finding, suite, cases, {}, &problem);
  return std::any_of(operands.begin(), operands.end(),
                     [](const ClaimOperand& operand) { return operand.cases.empty(); });
}

}  // namespace

std::vector<FindingResult> judge_findings(const suite::Suite& suite, const std::vector<CaseResult>& cases,
                                          const std::vector<plan::LeftOut>& left_out, bool quick,
                                          bool partial) {
  std::vector<FindingResult> results;
  for (const suite::SuiteFinding& finding : suite.findings)
    if (!partial || !misses_an_operand(finding, suite, cases))
      results.push_back(judge_finding(finding, suite, cases, left_out, quick));
  return results;
}

}  // namespace assay::judge
