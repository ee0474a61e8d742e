// SPDX-License-Identifier: Apache-2.0
#include "plan/one_value.hpp"

#include "plan/case_names.hpp"
#include "suite/undecidable.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace assay::plan {
namespace {

using suite::Expression;

constexpr std::array<std::string_view, 5> kOverSeveral = {"min", "max", "mean", "spread", "cv"};

bool is_of_one_value(const Expression& call, const CaseNames& known) {
  if (!contains(kOverSeveral, std::string_view(call.name)) || !call.axis.empty()) return false;
  const auto names = suite::names(call);
  return !names.empty() && std::all_of(names.begin(), names.end(), [&](const Expression* name) {
    return name->kind != Expression::Kind::selector && known.has_one_value(name->name);
  });
}

bool resolves_all(const Expression& call, const CaseNames& known) {
  const auto names = suite::names(call);
  return std::all_of(names.begin(), names.end(), [&](const Expression* name) {
    return name->kind == Expression::Kind::selector || known.resolves(name->name);
  });
}

// What to write instead.
std::string advice(const Expression& call, const CaseNames& known, const catalog::Benchmark& benchmark) {
  const Expression& operand = *call.operands.front();
  const std::string rows = call.name + "(" + suite::to_text(operand) + " over AXIS)";
  if (call.name == "spread" || call.name == "cv")
    return "write " + rows + " for how far rows lie apart; rounds are in the interval";
  const catalog::MetricDeclaration* metric =
      operand.kind == Expression::Kind::name ? benchmark.metric(operand.name) : nullptr;
  if (metric != nullptr && metric->reported)
    return "leave " + call.name + "() out; with 'as: observed' every value that the command prints is judged";
  const bool timed = operand.kind == Expression::Kind::name && known.source(operand.name) == nullptr &&
                     (metric == nullptr ? operand.name == "time"
                                        : metric->kind == catalog::MetricKind::rate ||
                                              metric->kind == catalog::MetricKind::duration);
  return "leave " + call.name + "() out" +
         (timed ? ", write p99(" + operand.name + ") for single iterations" : std::string()) + ", or " +
         rows + " for several rows";
}

}  // namespace

void check_one_value(const suite::Suite& suite, const Expression& expression,
                     const std::vector<const ResolvedCase*>& subjects, Diagnostics& diagnostics) {
  if (expression.kind == Expression::Kind::call) {
    const ResolvedCase* one = nullptr;
    const bool everywhere = std::all_of(subjects.begin(), subjects.end(), [&](const ResolvedCase* subject) {
      const CaseNames known(suite, *subject);
      if (!resolves_all(expression, known)) return true;
      if (one == nullptr) one = subject;
      return is_of_one_value(expression, known);
    });
    if (everywhere && one != nullptr)
      return diagnostics.error(suite::kOneValue, expression.position,
                               expression.name + "() goes over several values, and '" +
                                   suite::to_text(*expression.operands.front()) + "' has one",
                               advice(expression, CaseNames(suite, *one), *one->benchmark));
  }
  for (const suite::ExpressionPtr& operand : expression.operands)
    check_one_value(suite, *operand, subjects, diagnostics);
}

}  // namespace assay::plan
