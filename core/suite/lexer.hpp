// SPDX-License-Identifier: Apache-2.0
//
// Words of an expression. A unit belongs to the number before it; a selector is one token, with its terms.
#pragma once

#include "base/diagnostics.hpp"
#include "base/quantity.hpp"
#include "suite/expression.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace assay::suite {

struct Token {
  enum class Kind {
    end,
    quantity,
    name,
    selector,
    text,
    plus,
    minus,
    times,
    divide,
    open,
    close,
    comma,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal
  } kind = Kind::end;
  std::string text;  // as written; without quotes for text; the case's id for a selector
  Quantity quantity;
  std::string unit;                 // of the quantity, as written
  std::vector<SelectorTerm> terms;  // with their positions
  std::string metric;
  std::size_t offset = 0;
};

// How tightly operators bind.
inline constexpr int kRelation = 10, kSum = 20, kProduct = 30, kNegation = 40;

// What stands between two operands.
struct Operator {
  Token::Kind token;
  Expression::Kind kind;
  int power;
  std::string_view sign;
};
inline constexpr std::array<Operator, 10> kOperators{{
    {Token::Kind::plus, Expression::Kind::add, kSum, " + "},
    {Token::Kind::minus, Expression::Kind::subtract, kSum, " - "},
    {Token::Kind::times, Expression::Kind::multiply, kProduct, " * "},
    {Token::Kind::divide, Expression::Kind::divide, kProduct, " / "},
    {Token::Kind::less, Expression::Kind::less, kRelation, " < "},
    {Token::Kind::less_equal, Expression::Kind::less_equal, kRelation, " <= "},
    {Token::Kind::greater, Expression::Kind::greater, kRelation, " > "},
    {Token::Kind::greater_equal, Expression::Kind::greater_equal, kRelation, " >= "},
    {Token::Kind::equal, Expression::Kind::equal, kRelation, " == "},
    {Token::Kind::not_equal, Expression::Kind::not_equal, kRelation, " != "},
}};

// What is wrong with an expression, and where in its text. Lexer and parser throw it; it never leaves
// parse_expression().
struct ExpressionProblem {
  std::size_t offset;
  std::string text, hint;
};

// Everything of the text, with an end token last. Throws ExpressionProblem.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text, const std::vector<Position>& places);

}  // namespace assay::suite
