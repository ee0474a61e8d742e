// SPDX-License-Identifier: Apache-2.0
//
// The one small language of expect, claim, derive and let. Grammar in docs/reference/expressions.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.hpp"
#include "base/quantity.hpp"

namespace assay::suite {

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

// One value of a selector: `axis=text`, `axis=~` (unset), `axis=*` (every value but unset).
struct SelectorTerm {
  std::string axis;
  enum class Kind { value, unset, any } kind = Kind::value;
  std::string text;
};

struct Expression {
  enum class Kind {
    quantity,    // quantity
    name,        // name: a metric, a telemetry quantity, a fact, or a `let` name
    selector,    // name = case id, terms, metric
    percent_of,  // quantity (a share), name = peak | reference | baseline | a metric
    negate,      // operands[0]
    add, subtract, multiply, divide,           // operands[0..1]
    less, less_equal, greater, greater_equal, equal, not_equal,  // operands[0..1]; only at the top
    call         // name = p50 p90 p95 p99 min max mean sum spread best; operands[0]; axis if "over axis"
  };
  Kind kind = Kind::quantity;
  Quantity quantity;
  std::string name;
  std::string metric;
  std::string axis;
  std::vector<SelectorTerm> terms;
  std::vector<ExpressionPtr> operands;
  std::string text;  // string operand: dtype == "bf16"
  bool is_text = false;
  Position position;
};

// Parses a whole expression. On a syntax error reports it at its place inside `at` and gives nullptr.
// `at` is where the text begins in the file (a plain YAML scalar on one line).
[[nodiscard]] ExpressionPtr parse_expression(std::string_view text, const Position& at, Diagnostics& diagnostics);

[[nodiscard]] bool is_relation(const Expression& expression);
// Canonical text: one space around operators, no needless parentheses.
[[nodiscard]] std::string to_text(const Expression& expression);
// Every metric, fact and telemetry name used, with its node; for checking against the catalog.
[[nodiscard]] std::vector<const Expression*> names(const Expression& expression);

}  // namespace assay::suite
