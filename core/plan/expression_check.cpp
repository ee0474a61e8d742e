// SPDX-License-Identifier: Apache-2.0
#include "plan/expression_check.hpp"

#include "base/suggest.hpp"
#include "model/document_case.hpp"
#include "plan/case_names.hpp"
#include "plan/case_settings.hpp"
#include "plan/constant_relation.hpp"
#include "plan/one_value.hpp"
#include "suite/dimension.hpp"
#include "suite/undecidable.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace assay::plan {
namespace {

using suite::Expression;
using Kind = Expression::Kind;

class ExpressionChecker {
 public:
  ExpressionChecker(const suite::Suite& suite, const ResolvedCase& subject, Diagnostics& diagnostics)
      : names_(suite, subject),
        subject_(subject),
        benchmark_(*subject.benchmark),
        diagnostics_(diagnostics) {}

  // The dimension of an expression about this case. Reports what is wrong with it.
  std::optional<Dimension> check(const Expression& expression) {
    walk(expression);
    if (suite::has_share_of(expression, "peers")) peers(expression);
    if (suite::has_share_of(expression, "band") &&
        !(suite::is_relation(expression) && is_measured(*expression.operands[0])))
      error(expression.position, "a band is of one metric that is measured, by itself",
            "write it as bandwidth within band");
    const auto lookup = [this](const Expression& node) -> std::optional<Dimension> {
      const bool row = node.kind == Kind::selector;
      return names_.check(row ? node.metric : node.name, node.position, node.kind == Kind::percent_of,
                          diagnostics_);
    };
    return suite::dimension_of(expression, lookup, diagnostics_);
  }

 private:
  void error(const Position& position, std::string text, std::string hint) {
    diagnostics_.error("suite.expression", position, std::move(text), std::move(hint));
  }

  void walk(const Expression& expression) {
    const bool compares_text = std::any_of(expression.operands.begin(), expression.operands.end(),
                                           [](const auto& operand) { return operand->is_text; });
    for (const auto& operand : expression.operands) {
      if (!compares_text) {
        walk(*operand);
      } else if (operand->is_text) {
        value_of_parameter(expression, *operand);
      } else if (operand->kind == Kind::name && !names_.is_text(operand->name) &&
                 names_.resolves(operand->name)) {
        error(operand->position, "'" + operand->name + "' is a number and can't be compared with text",
              "write a quantity");
      }
    }
    const bool is_name = expression.kind == Kind::name || expression.kind == Kind::percent_of;
    if (is_name && names_.is_text(expression.name) && !names_.dimension(expression.name)) {
      error(expression.position, "'" + expression.name + "' is text and no number",
            "compare it with text: " + expression.name + " == \"…\"");
    }
    if (expression.kind == Kind::call) call(expression);
    if (expression.kind == Kind::percent_of && expression.name == "reference" &&
        subject_.suite_case->reference.empty()) {
      error(expression.position, "the case has no reference row", "name one with 'reference: {axis: value}'");
    }
    if (!suite::is_relation(expression)) return;
    constant(expression);
    group(expression);
    if (!is_share_of_several(expression)) peaks(expression);
    if (suite::has_share_of(expression, "baseline") && suite::has_percentile(expression))
      diagnostics_.error(suite::kNotOfLaps, expression.position, "a baseline has means, and no percentiles",
                         "compare the metric itself with it");
  }

  // "bandwidth >= 0 GB/s".
  void constant(const Expression& relation) {
    const Constancy found =
        constancy_of(relation, {[this](const std::string& name) { return names_.source(name); },
                                [this](const std::string& name) { return names_.is_positive(name); },
                                [this](const std::string& name) { return names_.is_one_number(name); }});
    if (found == Constancy::varies) return;
    diagnostics_.error(suite::kConstant, relation.position,
                       found == Constancy::always_holds ? "this holds whatever is measured"
                                                        : "this never holds, whatever is measured",
                       "compare a metric with a limit; times and rates are above 0");
  }

  // A text that the parameter never is makes the comparison the same whatever is measured.
  void value_of_parameter(const Expression& comparison, const Expression& text) {
    for (const auto& other : comparison.operands) {
      if (other->kind != Kind::name || names_.is_fact(other->name)) continue;
      const catalog::Parameter* parameter = benchmark_.parameter(other->name);
      if (parameter == nullptr || parameter->values.empty()) continue;
      const auto& values = parameter->values;
      if (contains(values, text.text)) continue;
      diagnostics_.error(suite::kNotAValue, text.position,
                         "'" + other->name + "' is never '" + printable(text.text) + "'",
                         suggestion(text.text, values, "one of: " + join(values, ", ")));
    }
  }

  // "min(bandwidth over kernel) >= …" is about several rows: nothing in it may be of one of them.
  void group(const Expression& relation) {
    std::vector<const Expression*> over, of_one_row;
    const std::function<void(const Expression&, bool)> look = [&](const Expression& node, bool in_call) {
      const bool call = node.kind == Kind::call;
      if (call && !node.axis.empty()) (in_call ? of_one_row : over).push_back(&node);
      const bool share =
          node.kind == Kind::percent_of &&
          (node.name == "reference" || node.name == "baseline" || !suite::is_share_target(node.name));
      if (!in_call && (node.kind == Kind::name || share)) of_one_row.push_back(&node);
      for (const auto& operand : node.operands) look(*operand, in_call || call);
    };
    look(relation, false);
    if (over.empty()) return;
    for (const Expression* node : of_one_row)
      diagnostics_.error(suite::kNotInGroup, node->position,
                         "'" + suite::to_text(*node) + "' is of one row, and " +
                             suite::to_text(*over.front()) + " of several",
                         "compare rows with a quantity, a share of the peak, or another function over '" +
                             over.front()->axis + "'");
    for (const Expression* node : over)
      if (node->axis != over.front()->axis)
        diagnostics_.error(suite::kNotInGroup, node->position,
                           "one check goes over one axis, and this one over '" + over.front()->axis +
                               "' and '" + node->axis + "'",
                           "write two expectations");
  }

  // "read + write >= 90% of reference": of the reference's read, of its write, or of both?
  bool is_share_of_several(const Expression& relation) {
    const std::vector<std::string> metrics = suite::metrics_of_share(relation);
    if (metrics.size() < 2) return false;
    diagnostics_.error(suite::kShareOfSeveral, relation.position,
                       "a share is of one metric, and this names " + join(metrics, ", "),
                       "compare each of them with its own share, or name what they make under 'derive'");
    return true;
  }

  // What devices read has no indices: the sum of one row's readings would be one of them.
  void sum(const Expression& call) {
    for (const Expression* named : suite::names(*call.operands.front())) {
      const std::string& name = named->name;
      if (benchmark_.metric(name) != nullptr || names_.derived(name) != nullptr ||
          names_.quantity(name) == nullptr)
        continue;
      diagnostics_.error(
          suite::kNoSum, call.position,
          "sum() adds what stands at different indices, and what is read of '" + name + "' has none",
          "compare each device with the limit, or take a row for each: sum(" + name + " over device)");
    }
  }

  void call(const Expression& call) {
    const Expression& operand = *call.operands.front();
    if (call.name == "sum" && call.axis.empty()) sum(call);
    if (suite::is_percentile(call)) {
      const std::string& name = operand.kind == Kind::selector ? operand.metric : operand.name;
      const catalog::MetricDeclaration* metric = benchmark_.metric(name);
      const auto not_of_laps = [&](const char* is, const char* hint) {
        diagnostics_.error(
            suite::kNotOfLaps, call.position,
            call.name + "() looks at single iterations that Assay timed, and '" + name + "' is " + is, hint);
      };
      if (metric != nullptr && metric->reported)
        not_of_laps("what the command prints",
                    "let the command print the percentile, too, and take it as a metric");
      else if (metric == nullptr && (names_.derived(name) != nullptr || names_.quantity(name) != nullptr))
        not_of_laps(names_.derived(name) != nullptr ? "derived" : "read beside them", "compare it itself");
      const bool once = metric != nullptr && !metric->reported && metric->kind == catalog::MetricKind::value;
      if (once || (metric != nullptr && metric->kind == catalog::MetricKind::part)) {
        error(call.position,
              call.name + "() looks at single iterations, and '" + metric->name +
                  (once ? "' is recorded once" : "' is a part of samples"),
              "compare the metric itself");
      }
    }
    const auto& axes = subject_.axes;
    if (call.axis.empty() || contains(axes, call.axis)) return;
    std::string hint = suggestion(call.axis, axes,
                                  axes.empty() ? "the case has no axis" : "its axes are " + join(axes, ", "));
    if (call.axis == "device") hint = "rows tell devices apart with 'devices: each' or 'pairs'";
    error(call.position, "'" + printable(call.axis) + "' is not an axis of this case", std::move(hint));
  }

  // The name of a metric, and neither observed nor telemetry.
  [[nodiscard]] bool is_measured(const Expression& expression) const {
    if (expression.kind != Kind::name) return false;
    const catalog::MetricDeclaration* metric = benchmark_.metric(expression.name);
    return (metric == nullptr || metric->kind != catalog::MetricKind::value || metric->measured) &&
           names_.quantity(expression.name) == nullptr;
  }

  // "bandwidth >= 97% of peers", or the other way round.
  void peers(const Expression& expression) {
    const auto& axes = subject_.axes;
    if (!contains(axes, "device"))
      return error(expression.position,
                   "the rows of this case don't tell devices apart, so none of them has peers",
                   "measure each device by itself: 'devices: each' or 'pairs'");
    const bool least = expression.kind == Kind::greater || expression.kind == Kind::greater_equal;
    const bool most = expression.kind == Kind::less || expression.kind == Kind::less_equal;
    const Expression *name = (least || most) ? expression.operands[0].get() : nullptr,
                     *share = name ? expression.operands[1].get() : nullptr;
    const bool turned = share != nullptr && share->kind != Kind::percent_of;
    if (turned) std::swap(name, share);
    if (name == nullptr || share == nullptr || share->kind != Kind::percent_of || !is_measured(*name))
      return error(expression.position,
                   "a comparison with peers is of one metric that is measured, by itself",
                   "write it as bandwidth >= 97% of peers, or time <= 103% of peers");
    if (least != turned ? share->quantity.value < 1 : share->quantity.value > 1) return;
    error(share->position, "half of all healthy devices lie beyond this share of their peers",
          "leave them room: 'at least' less than 100 %, 'at most' more");
  }

  // "60% of peak" is about the first metric that the comparison names.
  void peaks(const Expression& relation) {
    const Expression* share = nullptr;
    const std::function<void(const Expression&)> find = [&](const Expression& node) {
      if (node.kind == Kind::percent_of && node.name == "peak") share = &node;
      for (const auto& operand : node.operands) find(*operand);
    };
    find(relation);
    if (share == nullptr) return;
    for (const Expression* node : suite::names(relation)) {
      const catalog::MetricDeclaration* metric = benchmark_.metric(node->name);
      if (metric == nullptr) continue;
      if (metric->peak.empty()) {
        error(share->position, "no peak is defined for '" + metric->name + "' of '" + benchmark_.name + "'",
              "write the limit as a quantity, in " + metric->unit);
      }
      return;
    }
    error(share->position, "this doesn't say the peak of what", "name a metric: throughput >= 60% of peak");
  }

  const CaseNames names_;
  const ResolvedCase& subject_;
  const catalog::Benchmark& benchmark_;
  Diagnostics& diagnostics_;
};

const ResolvedCase* subject_of(const std::vector<ResolvedCase>& subjects, const std::string& id) {
  return find_in(subjects, [&](const ResolvedCase& each) { return each.suite_case->id.value == id; });
}

// What is computed exists for each case that has all its metrics; it must exist for one.
void check_exists_for_one(const suite::Suite& suite, const Expression& expression,
                          const std::vector<const ResolvedCase*>& subjects, Diagnostics& diagnostics) {
  if (subjects.empty()) return;
  const auto used = suite::names(expression);
  const ResolvedCase* nearest_subject = subjects.front();
  std::size_t most = 0;
  for (const ResolvedCase* subject : subjects) {
    const CaseNames known(suite, *subject);
    const auto count = static_cast<std::size_t>(std::count_if(
        used.begin(), used.end(), [&](const Expression* node) { return known.resolves(node->name); }));
    if (count <= most) continue;
    nearest_subject = subject;
    most = count;
  }
  // Reports what is missing where the least is missing.
  (void)ExpressionChecker(suite, *nearest_subject, diagnostics).check(expression);
}

// Else a limit on it would be one on what the benchmark measures under that name.
void check_has_a_name_of_its_own(const suite::Derive& one, const std::vector<ResolvedCase>& subjects,
                                 Diagnostics& diagnostics) {
  const std::string& name = one.name.value;
  for (const ResolvedCase& subject : subjects) {
    const catalog::Manifest* const backend = subject.backend;
    const bool is_metric = subject.benchmark->metric(name) != nullptr;
    const bool is_energy =
        name == model::kEnergyPerIteration && backend != nullptr && backend->counts_energy();
    if (!is_metric && !is_energy && (backend == nullptr || backend->quantity(name) == nullptr)) continue;
    diagnostics.error(suite::kNotDerived, one.name.position,
                      "'" + name + "' is " +
                          (is_metric   ? "a metric of '"
                           : is_energy ? "made of the telemetry of '"
                                       : "telemetry of '") +
                          (is_metric ? subject.benchmark->name : subject.backend->provides_backend) +
                          "' already, and would not be derived in case '" + subject.suite_case->id.value +
                          "'",
                      "take another name");
    return;
  }
}

void check_derive(const suite::Suite& suite, const std::vector<ResolvedCase>& subjects,
                  Diagnostics& diagnostics) {
  std::vector<const ResolvedCase*> all;
  for (const ResolvedCase& subject : subjects) all.push_back(&subject);
  for (const suite::Derive& one : suite.derive) {
    check_has_a_name_of_its_own(one, subjects, diagnostics);
    check_exists_for_one(suite, *one.expression, all, diagnostics);
    check_one_value(suite, *one.expression, all, diagnostics);
  }
}

void check_table(const suite::Suite& suite, const suite::SuiteTable& table,
                 const std::vector<ResolvedCase>& subjects, Diagnostics& diagnostics) {
  std::vector<const ResolvedCase*> shown;
  for (const suite::TableRows& rows : table.rows) {
    const ResolvedCase* const subject = subject_of(subjects, rows.case_id.value);
    if (subject == nullptr) return;  // what it has is not known
    shown.push_back(subject);
  }
  for (const suite::Derive& column : table.columns) {
    check_exists_for_one(suite, *column.expression, shown, diagnostics);
    check_one_value(suite, *column.expression, shown, diagnostics);
  }
}

// best() picks on odd rounds and is judged on even ones, and a verdict needs three rounds.
void check_rounds(const suite::Suite& suite, const suite::SuiteFinding& finding, const Expression& expression,
                  bool best, const std::vector<ResolvedCase>& subjects, Diagnostics& diagnostics) {
  for (const auto& operand : expression.operands)
    check_rounds(suite, finding, *operand,
                 best || (expression.kind == Kind::call && expression.name == "best"), subjects, diagnostics);
  if (expression.kind != Kind::selector) return;
  const ResolvedCase* subject = subject_of(subjects, expression.name);
  if (subject == nullptr) return;
  const int rounds = rounds_of(suite, *subject->suite_case, false);
  if (best && rounds / 2 < 3)
    diagnostics.error(suite::kTooFewRounds, expression.position,
                      "best() picks on the odd rounds and is judged on the even ones, and '" +
                          expression.name + "' has " + count_of(rounds, "round"),
                      "give the case 'processes: 6' or more");
  else if (rounds < 3)
    diagnostics.warning(suite::kTooFewRounds, expression.position,
                        "the claim of '" + finding.id.value + "' will be undecided: '" + expression.name +
                            "' has " + count_of(rounds, "round"),
                        "give the case 'processes: 3' or more");
}

void check_finding(const suite::Suite& suite, const suite::SuiteFinding& finding,
                   const std::vector<ResolvedCase>& subjects, bool rounds_are_the_suites,
                   Diagnostics& diagnostics) {
  std::map<std::string, Dimension> dimensions;
  for (const auto& [name, expression] : finding.let) {
    if (rounds_are_the_suites) check_rounds(suite, finding, *expression, false, subjects, diagnostics);
    bool known = true;
    const auto lookup = [&](const Expression& node) -> std::optional<Dimension> {
      const ResolvedCase* subject = subject_of(subjects, node.name);
      if (subject == nullptr) {
        known = false;
        return std::nullopt;
      }
      for (const suite::SelectorTerm& term : node.terms) {
        const auto& axes = subject->axes;
        if (term.axis == "device" && !contains(axes, term.axis)) {
          diagnostics.error("suite.reference", node.position,
                            "the rows of case '" + node.name + "' don't tell devices apart",
                            "give it 'devices: each', or leave 'device' out");
        }
      }
      return CaseNames(suite, *subject).check(node.metric, node.position, false, diagnostics);
    };
    const auto dimension = suite::dimension_of(*expression, lookup, diagnostics);
    if (known && dimension) dimensions.emplace(name.value, *dimension);
  }
  const auto lookup = [&](const Expression& node) -> std::optional<Dimension> {
    const auto found = dimensions.find(node.name);
    return found == dimensions.end() ? std::nullopt : std::optional(found->second);
  };
  if (finding.claim) (void)suite::dimension_of(*finding.claim, lookup, diagnostics);
}

}  // namespace

void check_expressions(const suite::Suite& suite, const std::vector<ResolvedCase>& subjects,
                       bool some_are_absent, bool rounds_are_the_suites, Diagnostics& diagnostics) {
  for (const ResolvedCase& subject : subjects) {
    for (const suite::SuiteExpectation& expectation : subject.suite_case->expect) {
      if (!expectation.that) continue;
      (void)ExpressionChecker(suite, subject, diagnostics).check(*expectation.that);
      check_one_value(suite, *expectation.that, {&subject}, diagnostics);
    }
  }
  if (!some_are_absent) check_derive(suite, subjects, diagnostics);
  for (const suite::SuiteFinding& finding : suite.findings)
    check_finding(suite, finding, subjects, rounds_are_the_suites, diagnostics);
  for (const suite::SuiteTable& table : suite.tables) check_table(suite, table, subjects, diagnostics);
}

}  // namespace assay::plan
