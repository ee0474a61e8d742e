// SPDX-License-Identifier: Apache-2.0
#include "judge/found_value.hpp"

#include "judge/finding_rounds.hpp"
#include "judge/selection.hpp"
#include "statistics/change.hpp"
#include "statistics/interval.hpp"
#include "statistics/summary.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

struct Candidate {
  const CaseResult* result = nullptr;
  std::string text;  // of its value on the axis
  std::vector<double> values;
  double mean = 0;  // geometric
};

// The named value beside another one.
struct Beside {
  const Candidate* other = nullptr;
  statistics::Ratio ratio;
  FindingVerdict verdict = FindingVerdict::undecided;
};

std::string at_value(const ValueClaim& claim, const std::string& value) { return claim.axis + "=" + value; }

std::string shown_name(const ValueClaim& claim) {
  for (const auto& [name, label] : claim.finding->labels)
    if (name.value == claim.name) return label;
  return claim.name;
}

std::vector<Candidate> candidates_of(const ValueClaim& claim, const std::vector<const CaseResult*>& cases,
                                     const std::vector<int>& rounds) {
  std::vector<Candidate> found;
  for (const CaseResult* each : cases) {
    const plan::AxisPoint* const point = point_of(*each, claim.axis);
    Candidate& one = found.emplace_back(Candidate{each, point ? point->text : each->planned->id, {}, 0});
    for (const int round : rounds)
      one.values.push_back(round_value(*each, claim.selector->metric, round).value_or(0));
  }
  return found;
}

// The level of each comparison by which that of all together is theirs.
double level_of(std::size_t comparisons, double together) {
  return 1 - (1 - together) / static_cast<double>(comparisons);
}

int rank_of_verdict(FindingVerdict verdict, FindingVerdict alone) {
  return verdict == alone ? 2 : is_answered(verdict) ? 0 : 1;
}

FindingOperand operand_of_candidate(const Candidate& one, const std::string& metric) {
  FindingOperand operand;
  operand.id = one.result->planned->id;
  operand.metric = metric;
  operand.value = one.mean;
  operand.unit = one.result->metric(metric)->shown_unit();
  return operand;
}

// Which value is the best, and which cannot be distinguished from it.
void tell_best(const ValueClaim& claim, const std::vector<Candidate>& candidates, FindingRow& row) {
  const auto worse = [&](const Candidate& a, const Candidate& b) {
    return claim.largest ? a.mean < b.mean : a.mean > b.mean;
  };
  const Candidate& best = *std::max_element(candidates.begin(), candidates.end(), worse);
  row.best = best.text;
  for (const Candidate& each : candidates) {
    if (&each == &best) continue;
    const statistics::Ratio ratio =
        statistics::paired_ratio(best.values, each.values, level_of(candidates.size() - 1, row.level));
    if (ratio.interval && (claim.largest ? ratio.interval->low <= 1 : ratio.interval->high >= 1))
      row.tied.push_back(each.text);
  }
  row.why = shown_name(claim) + " is " + (claim.largest ? "largest" : "smallest") + " at " +
            at_value(claim, row.best);
  if (!row.tied.empty()) row.why += "; " + join(row.tied, ", ") + " cannot be distinguished from it";
}

std::size_t rounds_that_decide(const Claim& of_each, const Beside& beside, double theta) {
  // The interval is about many comparisons; as if it were about one that scatters more.
  const double half = std::log(beside.ratio.interval->high / beside.ratio.interval->low) / 2;
  const double distance = std::fabs(std::log(beside.ratio.ratio) - claim_limits(of_each, theta).front());
  return statistics::further_rounds(beside.ratio.n, statistics::scatter_of(half, beside.ratio.n), distance);
}

}  // namespace

std::optional<ValueClaim> read_value_claim(const suite::SuiteFinding& finding) {
  const suite::FoundValue found = finding.claim ? suite::found_value(*finding.claim) : suite::FoundValue{};
  if (!found.call) return std::nullopt;
  ValueClaim claim;
  claim.finding = &finding;
  claim.name = found.call->operands.front()->name;
  for (const auto& [name, let] : finding.let)
    if (name.value == claim.name) claim.selector = let.get();
  claim.axis = found.call->axis;
  claim.value = found.text;
  claim.largest = found.call->name == "argmax";
  claim.is_it = finding.claim->kind == suite::Expression::Kind::equal;
  return claim;
}

Claim claim_of(const ValueClaim& claim) {
  Claim each;
  each.finding = claim.finding;
  each.quantity = exact(1, {});
  each.comparison = claim.largest ? claim.is_it ? ComparisonOperator::greater_equal : ComparisonOperator::less
                    : claim.is_it ? ComparisonOperator::less_equal
                                  : ComparisonOperator::greater;
  each.left_name = shown_name(claim) + " at " + at_value(claim, claim.value);
  each.right_name = std::string(claim.largest ? "largest" : "smallest") + " of the others";
  each.measured = each.left_name + " / " + each.right_name;
  return each;
}

model::Threshold limit_of(const ValueClaim& claim, const Claim& of_each) {
  const double theta = claim.finding->over;
  return {to_text(of_each.comparison),     1,  theta, of_each.left_name, of_each.right_name, of_each.measured,
          measured_limits(of_each, theta), "×"};
}

void judge_found_value(const ValueClaim& claim, const Claim& of_each,
                       const std::vector<const CaseResult*>& cases, const std::vector<int>& rounds,
                       FindingRow& row) {
  row.rounds = rounds.size();
  for (const CaseResult* each : cases) row.level = std::max(row.level, each->level());
  std::vector<Candidate> candidates = candidates_of(claim, cases, rounds);
  suite::SelectorTerm term;
  term.axis = claim.axis;
  term.text = claim.value;
  const auto named = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate& each) { return matches(*each.result, term); });
  const auto stop = [&](std::string why) { row.why = std::move(why); };
  if (named == candidates.end()) return stop("no row has a value at " + at_value(claim, claim.value));
  if (candidates.size() == 1)
    return stop("there is no other value to compare " + at_value(claim, claim.value) + " with");
  if (rounds.empty()) return stop("no round has a value of every row");
  for (Candidate& each : candidates) {
    if (!std::all_of(each.values.begin(), each.values.end(), [](double value) { return value > 0; }))
      return stop("rows are compared by their ratio, and " + each.result->planned->id + " is not above zero");
    each.mean = statistics::geometric_mean(each.values);
  }

  const double theta = claim.finding->over;
  // What one comparison decides for the whole.
  const FindingVerdict alone = claim.is_it ? FindingVerdict::refuted : FindingVerdict::confirmed,
                       together = claim.is_it ? FindingVerdict::confirmed : FindingVerdict::refuted;
  std::vector<Beside> all;
  for (const Candidate& other : candidates) {
    if (&other == &*named) continue;
    Beside& one = all.emplace_back();
    one.other = &other;
    one.ratio =
        statistics::paired_ratio(named->values, other.values, level_of(candidates.size() - 1, row.level));
    one.verdict = one.ratio.interval
                      ? claim_verdict(of_each, {one.ratio.interval->low, one.ratio.interval->high}, theta)
                      : FindingVerdict::undecided;
  }
  const Beside& deciding = *std::max_element(all.begin(), all.end(), [&](const Beside& a, const Beside& b) {
    const int first = rank_of_verdict(a.verdict, alone), second = rank_of_verdict(b.verdict, alone);
    if (first != second) return first < second;
    return claim.largest ? a.other->mean < b.other->mean : a.other->mean > b.other->mean;
  });
  row.left = operand_of_candidate(*named, claim.selector->metric);
  row.right = operand_of_candidate(*deciding.other, claim.selector->metric);
  row.measured = deciding.ratio.ratio;
  row.effect = deciding.ratio.ratio - 1;
  tell_best(claim, candidates, row);
  if (!deciding.ratio.interval) {
    row.why += "; a verdict needs at least three rounds";
    row.more_rounds = statistics::kFewestProcessesForInterval - rounds.size();
    return;
  }
  row.interval = ValueRange{deciding.ratio.interval->low, deciding.ratio.interval->high};
  row.verdict = deciding.verdict;
  if (row.verdict == alone || row.verdict == together) return;
  for (const Beside& each : all)
    if (rank_of_verdict(each.verdict, alone) == 1)
      row.more_rounds = std::max(row.more_rounds, rounds_that_decide(of_each, each, theta));
}

}  // namespace assay::judge
