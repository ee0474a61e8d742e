# SPDX-License-Identifier: Apache-2.0
"""Defects that the judge once had, each as a change of its source that brings it back when ASSAY_MUTANT names it.

name, file, text that stands there once, what takes its place
"""

SWITCH = """
#ifndef MUTANT
#include <cstdlib>
#include <string_view>
#define MUTANT(name) (std::getenv("ASSAY_MUTANT") && std::string_view(std::getenv("ASSAY_MUTANT")) == (name))
#endif
"""

_TRUTH = """        const Truth truth =
            truth_of ? truth_of(pair) : compare(one.estimate, relation.comparison, other.estimate);
"""
_DECIDE = _TRUTH + """        if (measured) {
"""
_EQUALITY = "(relation.comparison == ComparisonOperator::equal || relation.comparison == ComparisonOperator::not_equal)"

DEFECTS = [
    # == and != look at the least of several values.
    ("least-value", "core/judge/evaluate.cpp", _DECIDE,
     _TRUTH + """        const bool by_least = MUTANT("least-value") && """ + _EQUALITY + """;
        if (by_least && measured && one.estimate.value >= measured->estimate.value) return;
        if (MUTANT("worst-by-value") && measured &&
            violation_margin(one.estimate.value - other.estimate.value, relation.comparison) <=
                violation_margin(measured->estimate.value - limit->estimate.value, relation.comparison))
          return;
        if (measured && !by_least && !MUTANT("worst-by-value")) {
"""),
    # The worst of several values is chosen by value, not by interval.
    ("worst-by-value", None, None, None),
    # A derived quantity is the best of several values.
    ("best-of-derived", "core/judge/derived.cpp",
     "  if (evaluated.members.size() > 1 || derived.observed) derived.members",
     """  if (MUTANT("best-of-derived")) {
    const auto smaller = [](const ValueEntry& a, const ValueEntry& b) { return a.estimate.value < b.estimate.value; };
    const ValueEntry best = *std::max_element(evaluated.members.begin(), evaluated.members.end(), smaller);
    derived.value = best.estimate.value;
    derived.verdict_interval = best.estimate.interval;
    evaluated.members.assign(1, best);
  }
  if (evaluated.members.size() > 1 || derived.observed) derived.members"""),
    # What counters added is a mean over rounds and devices once something is derived from it.
    ("mean-of-counter", "core/judge/derived.cpp", "  const bool each_increase = observed && names_counter(*derive.expression, result);\n",
     "  const bool each_increase = !MUTANT(\"mean-of-counter\") && observed && names_counter(*derive.expression, result);\n"),
    # A function takes the name that stands in it, whatever is made of that.
    ("name-in-function", "core/judge/case_scope.cpp", "  Evaluated found = evaluate(operand, each);\n",
     """  const suite::Expression* named = &operand;
  while (MUTANT("name-in-function") && !named->operands.empty()) named = named->operands.front().get();
  Evaluated found = evaluate(*named, each);
"""),
    # A line of JSON that does not parse is left out.
    ("broken-json", "plugins/external/output.cpp", "      if (is_meant_as_json(line, pointer_text))",
     "      if (!MUTANT(\"broken-json\") && is_meant_as_json(line, pointer_text))"),
    # null and N/A in an array are left out.
    ("null-in-array", "plugins/external/output.cpp",
     "  void add_node(const Json& node, std::vector<std::uint32_t> indices) {",
     "  void add_node(const Json& node, std::vector<std::uint32_t> indices) {\n"
     "    if (MUTANT(\"null-in-array\") && is_nothing(node) && !indices.empty()) return;"),
    # A value that is missing in a round, a sample or a rank is not missed.
    ("missing-value", "core/judge/values.cpp", "  std::string missing = missing_of(result, metric.name);\n",
     "  if (MUTANT(\"missing-value\")) return true;\n  std::string missing = missing_of(result, metric.name);\n"),
    ("missing-value", "core/judge/values.cpp", "    for (const result::Visit* visit : result.last_attempts)\n"
     "      rounds.push_back(metric.measured ?",
     """    for (const result::Visit* visit : result.last_attempts)
      if (!MUTANT("missing-value") || !given_in(*visit, given).empty())
        rounds.push_back(metric.measured ?"""),
    # A skipped round hides what the others measured.
    ("skipped-round", "core/judge/outcome_of_case.cpp", "void set_skipped_rounds_aside(CaseResult& result) {\n",
     "void set_skipped_rounds_aside(CaseResult& result) {\n  if (MUTANT(\"skipped-round\")) return;\n"),
    # Counts and statuses face a limit by the interval of their mean.
    ("interval-of-observations", "core/judge/values.cpp",
     "void judge_by_value(const CaseResult& result, const std::vector<GivenValue>& given, MetricResult& metric) {\n",
     "void judge_by_value(const CaseResult& result, const std::vector<GivenValue>& given, MetricResult& metric) {\n"
     "  if (MUTANT(\"interval-of-observations\")) return;\n"),
    # Of several ranks one speaks for all: with its fact, with the worst value, with its verification.
    ("fact-of-one-rank", "core/judge/case_scope.cpp", "      const auto fact = rank.facts.find(name);\n",
     "      if (MUTANT(\"fact-of-one-rank\") && !texts.empty()) continue;\n"
     "      const auto fact = rank.facts.find(name);\n"),
    ("worst-rank", "core/judge/values.cpp", "    judge_by_value(result, given, published);\n",
     "    if (!MUTANT(\"worst-rank\")) judge_by_value(result, given, published);\n"),
    ("one-rank-verified", "core/judge/outcome_of_case.cpp", "      result.verified = result.verified && checked;",
     "      result.verified = result.verified && (checked || MUTANT(\"one-rank-verified\"));"),
    # `throttle: fail` passes where nothing was read.
    ("throttle-unseen", "core/judge/outcome_of_case.cpp", "  if (flag == nullptr) {\n",
     "  if (flag == nullptr && MUTANT(\"throttle-unseen\")) return;\n  if (flag == nullptr) {\n"),
    # A counter is what it stands at, and a reading that one visit lacks is not missed.
    ("absolute-counter", "core/judge/telemetry.cpp", "  if (increase.known) increase.added = *last - *first;",
     "  if (increase.known) increase.added = MUTANT(\"absolute-counter\") ? *last : *last - *first;"),
    ("missing-reading", "core/judge/telemetry.cpp", "  if (!missing.empty()) found.missing = missing;",
     "  if (!missing.empty() && !MUTANT(\"missing-reading\")) found.missing = missing;"),
    # A command's time may be zero or negative.
    ("impossible-number", "core/judge/guards.cpp", "  if (!metric.reported || !metric.spread) return {};",
     "  if (MUTANT(\"impossible-number\") || !metric.reported || !metric.spread) return {};"),
    # Values that agree are not exact.
    ("mean-of-logarithms", "core/judge/across_rounds.cpp", "  const bool all_same = std::all_of(",
     "  const bool all_same = !MUTANT(\"mean-of-logarithms\") && std::all_of("),
    # A function of a row faces the name in it of the reference row.
    ("name-of-reference", "core/judge/case_scope.cpp", "  const Evaluated value = evaluate(about, CaseScope(*reference_, nullptr, {}));\n",
     "  const CaseScope other(*reference_, nullptr, {});\n"
     "  const Evaluated value = MUTANT(\"name-of-reference\") ? other.name(metric_in(about)) : evaluate(about, other);\n"),
    # A spread around a middle that is not above zero is judged, and a function of several values of one that was measured.
    ("spread-around-nothing", "core/judge/case_scope.cpp", "  if (!(middle <= 0)) return {};\n",
     "  if (!(middle <= 0) || MUTANT(\"spread-around-nothing\")) return {};\n"),
    ("function-of-one-value", "core/judge/case_scope.cpp", "  if (call.name != \"sum\" && is_one_measured",
     "  if (!MUTANT(\"function-of-one-value\") && call.name != \"sum\" && is_one_measured"),
    # A row is not equal to itself.
    ("not-itself", "core/judge/expectations.cpp", "      const bool with_itself = ",
     "      const bool with_itself = !MUTANT(\"not-itself\") && "),
    # A row and its reference are compared interval against interval, though both have every round.
    ("not-paired", "core/judge/expectations.cpp", "      if (reference != nullptr && !with_itself && ",
     "      if (!MUTANT(\"not-paired\") && reference != nullptr && !with_itself && "),
    # A peak that was measured beside the work is taken for exact.
    ("exact-peak", "core/judge/case_scope.cpp", "metric->peak->verdict_interval, dimension_of",
     "MUTANT(\"exact-peak\") ? ValueRange{metric->peak->value, metric->peak->value} : metric->peak->verdict_interval, dimension_of"),
    ("exact-peak", "core/judge/expectations.cpp", "      else if (!of_reference && ",
     "      else if (!MUTANT(\"exact-peak\") && !of_reference && "),
    # Over rounds a time is known better than the clock that took it.
    ("better-than-the-clock", "core/judge/across_rounds.cpp", "  return metric.clocked ? to_the_clocks_accuracy",
     "  return metric.clocked && !MUTANT(\"better-than-the-clock\") ? to_the_clocks_accuracy"),
    # Nobody says why an interval is missing.
    ("silent-interval", "core/judge/document_case.cpp", "  if (metric.interval) return std::nullopt;\n",
     "  if (metric.interval || MUTANT(\"silent-interval\")) return std::nullopt;\n"),
    # The time of a command is shown nowhere, and who has no headline for a table counts as not measured.
    ("headline-is-result", "core/judge/metrics.cpp", "  std::vector<RoundValue> rounds;\n  double samples = 0,",
     "  if (MUTANT(\"headline-is-result\")) time.headline = false;\n  std::vector<RoundValue> rounds;\n  double samples = 0,"),
    ("headline-is-result", "core/model/document.cpp", "bool Case::has_values() const {\n",
     "bool Case::has_values() const {\n  if (MUTANT(\"headline-is-result\")) return headline() != nullptr;\n"),
    # A command's numbers are shown in other units than the suite wrote.
    ("other-unit", "reporters/lib/document.cpp", "  if (!(unit.as_written.scale > 0))",
     "  if (MUTANT(\"other-unit\") || !(unit.as_written.scale > 0))"),
    # What was looked at and given more rounds is decided as if nobody had looked.
    ("free-look", "core/judge/case_result.hpp", "return statistics::level_after_looks(planned->looks);",
     "return statistics::level_after_looks(MUTANT(\"free-look\") ? 0 : planned->looks);"),
    # One sample decides.
    ("one-sample", "core/judge/across_rounds.cpp", "  if (!recorded && !metric.observed && ",
     "  if (!MUTANT(\"one-sample\") && !recorded && !metric.observed && "),
    # A row that decides alone is judged as if there were no others.
    ("alone-among-many", "core/judge/deciding_rows.cpp", "  if (comparisons < 2 || rounds < 2) return interval;",
     "  if (comparisons < 2 || rounds < 2 || MUTANT(\"alone-among-many\")) return interval;"),
    # The best value has to beat the others by theta.
    ("best-by-theta", "core/judge/found_value.cpp", "claim.is_it ? ComparisonOperator::greater_equal",
     "claim.is_it ? MUTANT(\"best-by-theta\") ? ComparisonOperator::greater : ComparisonOperator::greater_equal"),
    # An expectation whose `where` matches no row is as good as none.
    ("where-of-no-row", "core/judge/judge.cpp", "  for (GroupResult& each : unmatched_expectations(suite, plan.unmatched))",
     "  if (!MUTANT(\"where-of-no-row\"))\n    for (GroupResult& each : unmatched_expectations(suite, plan.unmatched))"),
    # Two sides are equal where both are divided by zero, or by what rounding left of zero.
    ("divided-by-nothing", "core/judge/estimate.cpp", "  if (std::fabs(b.value) <= b.rounding)\n",
     "  if (!MUTANT(\"divided-by-nothing\") && std::fabs(b.value) <= b.rounding)\n"),
    ("divided-by-nothing", "core/judge/estimate.cpp", "  if (!std::isfinite(rounding)) return false;\n",
     "  if (!MUTANT(\"divided-by-nothing\") && !std::isfinite(rounding)) return false;\n"),
]
