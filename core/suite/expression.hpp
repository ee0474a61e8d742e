// SPDX-License-Identifier: Apache-2.0
//
// The one small language of expect, claim, derive and let. Grammar in docs/reference/expressions.md.
#pragma once

#include "base/diagnostics.hpp"
#include "base/quantity.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::suite {

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

// One value of a selector: `axis=text`, `axis=~` (unset), `axis=*` (every value but unset).
struct SelectorTerm {
  std::string axis;
  enum class Kind { value, unset, any } kind = Kind::value;
  std::string text;
  Position position;        // of the axis
  Position value_position;  // of what stands behind '='
};

struct Expression {
  enum class Kind {
    quantity,    // quantity
    name,        // name: a metric, a telemetry quantity, a fact, or a `let` name
    selector,    // name = case id, terms, metric
    percent_of,  // quantity (a share), name = peak | reference | baseline | peers | band | a metric
    negate,      // operands[0]
    add,
    subtract,
    multiply,
    divide,  // operands[0..1]
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,  // operands[0..1]; only at the top
    call,  // name = p50 p90 p95 p99 min max mean sum spread cv best argmax argmin; operands[0]; axis if "over axis"
    text  // text, is_text: one side of == or !=, as in dtype == "bf16"
  };
  Kind kind = Kind::quantity;
  Quantity quantity;
  std::string unit;  // of the quantity, as written
  std::string name;
  std::string metric;
  std::string axis;
  std::vector<SelectorTerm> terms;
  std::vector<ExpressionPtr> operands;
  std::string text;  // without quotes
  bool is_text = false;
  Position position;  // of the operator, or where the operand begins
};

// Longer or deeper expressions are refused.
inline constexpr std::size_t kMaximumExpressionLength = 4096;
inline constexpr int kMaximumExpressionDepth = 64;

// Parses a whole expression. On a syntax error reports it at its place inside `at` and gives nullptr.
// `at` is where the text begins in the file (a plain YAML scalar on one line).
[[nodiscard]] ExpressionPtr parse_expression(std::string_view text, const Position& at,
                                             Diagnostics& diagnostics);

// The same for text whose bytes lie anywhere in the file: places has text.size() + 1 entries.
[[nodiscard]] ExpressionPtr parse_expression(std::string_view text, const std::vector<Position>& places,
                                             Diagnostics& diagnostics);

[[nodiscard]] bool is_relation(const Expression& expression);
// `a within 1% of b`: an equality that has its own tolerance in `quantity`.
[[nodiscard]] bool is_within(const Expression& expression);
// A function that makes one value of a selector's rows along an axis: `mean(case[a=1].metric over device)`.
[[nodiscard]] bool reduces_rows(const Expression& expression);
// `argmax(rate over axis)` or argmin: the value of an axis at which what it goes over is the largest or the smallest.
[[nodiscard]] bool finds_value(const Expression& expression);
// Of `argmax(rate over axis) == 8`, whichever side it stands on: the call, and what it is compared with. Null of any
// other relation.
struct FoundValue {
  const Expression* call = nullptr;
  const Expression* value = nullptr;  // a quantity or a text
  std::string text;                   // the same, as a selector would have it
};
[[nodiscard]] FoundValue found_value(const Expression& relation);
// Canonical text: one space around operators, no needless parentheses.
[[nodiscard]] std::string to_text(const Expression& expression);
// Every metric, fact, telemetry and `let` name used, with its node (name, selector, or percent_of a metric),
// from left to right; for checking against the catalog. The nodes live as long as the expression.
[[nodiscard]] std::vector<const Expression*> names(const Expression& expression);
// What stands outside of shares, from left to right: names, and functions of names as a whole, p99(time).
[[nodiscard]] std::vector<const Expression*> named_quantities(const Expression& expression);
// Of a relation with a share of the peak, of the reference or of a baseline, which are of one metric: the metrics that it
// names, each once; of one metric beside a share of the reference, what is made of it. Nothing of other relations. More than one leave open
// which of them the share is of.
[[nodiscard]] std::vector<std::string> metrics_of_share(const Expression& relation);

// p50(time) to p999(time).
[[nodiscard]] bool is_percentile(const Expression& expression);
[[nodiscard]] bool has_percentile(const Expression& expression);
// "p50", "spread", …: the functions, in the order of the reference page.
[[nodiscard]] const std::vector<std::string>& function_names();
// What a share can be of beside a metric: peak, reference, baseline, peers; band, as in `metric within band`.
[[nodiscard]] bool is_share_target(std::string_view name);
// Whether `N% of target` stands anywhere in it.
[[nodiscard]] bool has_share_of(const Expression& expression, std::string_view target);
// True for names that an expression can use for a metric or a `let` entry: no function, no keyword.
[[nodiscard]] bool is_free_name(std::string_view name);

}  // namespace assay::suite
