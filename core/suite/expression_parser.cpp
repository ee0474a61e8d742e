// SPDX-License-Identifier: Apache-2.0
//
// Operator precedence, loosest first: comparison (one, at the top), + -, * /, unary minus.
#include "base/suggest.hpp"
#include "suite/expression.hpp"
#include "suite/lexer.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <string>

namespace assay::suite {

namespace {

using Kind = Expression::Kind;

const Operator* infix(Token::Kind token) {
  return find_in(kOperators, [&](const Operator& each) { return each.token == token; });
}

constexpr const char* kWithin = "within";

bool is_of_laps(std::string_view function) { return function.starts_with("p"); }
bool takes_axis(std::string_view function) { return !is_of_laps(function) && function != "best"; }
class ExpressionParser {
 public:
  ExpressionParser(const std::vector<Token>& tokens, const std::vector<Position>& places)
      : tokens_(tokens), places_(places) {}

  // Throws ExpressionProblem.
  ExpressionPtr run() {
    ExpressionPtr expression = parse(0);
    if (peek().kind == Token::Kind::close)
      throw ExpressionProblem{peek().offset, "a ')' too many", "remove it"};
    if (peek().kind != Token::Kind::end)
      throw ExpressionProblem{peek().offset, "an operator must stand before " + named(peek()),
                              "one of: + - * / < <= > >= == !="};
    if (expression->is_text)
      throw ExpressionProblem{0, "a text alone says nothing", "compare it: dtype == \"bf16\""};
    return expression;
  }

 private:
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() { return tokens_[std::min(next_++, tokens_.size() - 1)]; }
  [[nodiscard]] static std::string named(const Token& token) {
    if (token.kind == Token::Kind::end) return "the end";
    return "'" +
           printable(token.kind == Token::Kind::selector ? token.text + "[…]." + token.metric : token.text) +
           "'";
  }
  [[nodiscard]] std::shared_ptr<Expression> node(Kind kind, const Token& token) const {
    auto made = std::make_shared<Expression>();
    made->kind = kind;
    made->position = places_.at(std::min(token.offset, places_.size() - 1));
    return made;
  }

  struct Depth {
    explicit Depth(ExpressionParser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaximumExpressionDepth)
        throw ExpressionProblem{
            parser_.peek().offset,
            "the expression is nested deeper than " + std::to_string(kMaximumExpressionDepth) + " levels",
            "use names in 'derive' or 'let'"};
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    ExpressionParser& parser_;
  };

  ExpressionPtr parse(int power) {
    const Depth depth(*this);
    ExpressionPtr left = prefix();
    for (;;) {
      if (power < kRelation && peek().kind == Token::Kind::name && peek().text == kWithin) {
        left = within(std::move(left));
        continue;
      }
      const Operator* const found = infix(peek().kind);
      if (!found || found->power <= power) return left;
      const Token& sign = take();
      if (found->power == kRelation) begin_comparison(sign);
      ExpressionPtr right = parse(found->power);
      check_text(*found, *left, *right, sign);
      auto made = node(found->kind, sign);
      made->operands = {std::move(left), std::move(right)};
      left = std::move(made);
    }
  }

  void begin_comparison(const Token& sign) {
    if (parentheses_ > 0)
      throw ExpressionProblem{sign.offset, "a comparison can't stand in parentheses",
                              "it joins the two whole sides"};
    if (compared_)
      throw ExpressionProblem{sign.offset, "a second comparison", "write one entry for each comparison"};
    compared_ = true;
  }

  // `a within 1% of b`: equal, but for that share. `metric within band`: which of its ends is looked at, the metric's direction says.
  ExpressionPtr within(ExpressionPtr left) {
    const Token& sign = take();
    begin_comparison(sign);
    const Token& share = take();
    if (share.kind == Token::Kind::name && share.text == "band")
      return within_band(std::move(left), sign, share);
    if (share.kind != Token::Kind::quantity || !share.quantity.percent || !(share.quantity.value > 0))
      throw ExpressionProblem{share.offset, "a share or 'band' must follow 'within'",
                              "write a within 1% of b, or a within band"};
    const Token& of = take();
    if (of.kind != Token::Kind::name || of.text != "of")
      throw ExpressionProblem{of.offset, "'of' must stand before " + named(of), "write a within 1% of b"};
    ExpressionPtr right = parse(kRelation);
    if (left->is_text || right->is_text)
      throw ExpressionProblem{sign.offset, "'within' can't be used with text",
                              "text is compared with == or !="};
    auto made = node(Kind::equal, sign);
    made->quantity = share.quantity;
    made->operands = {std::move(left), std::move(right)};
    return made;
  }

  ExpressionPtr within_band(ExpressionPtr left, const Token& word, const Token& band) {
    auto share = node(Kind::percent_of, band);
    share->quantity.value = 1;
    share->quantity.percent = true;
    share->name = band.text;
    auto made = node(Kind::greater_equal, word);
    made->operands = {std::move(left), std::move(share)};
    return made;
  }

  static void check_text(const Operator& found, const Expression& left, const Expression& right,
                         const Token& sign) {
    if (!left.is_text && !right.is_text) return;
    if (found.kind != Kind::equal && found.kind != Kind::not_equal)
      throw ExpressionProblem{sign.offset, "'" + sign.text + "' can't be used with text",
                              "text is compared with == or !="};
    const Expression& other = left.is_text ? right : left;
    if (other.kind != Kind::name && other.kind != Kind::selector && !finds_value(other))
      throw ExpressionProblem{sign.offset, "text can only be compared with a name", "write name == \"text\""};
  }

  ExpressionPtr prefix() {
    const Token& token = take();
    switch (token.kind) {
      case Token::Kind::quantity:
        return quantity(token);
      case Token::Kind::name:
        return name(token);
      case Token::Kind::selector: {
        auto made = node(Kind::selector, token);
        made->name = token.text;
        made->metric = token.metric;
        made->terms = token.terms;
        return made;
      }
      case Token::Kind::text: {
        auto made = node(Kind::text, token);
        made->text = token.text;
        made->is_text = true;
        return made;
      }
      case Token::Kind::minus: {
        auto made = node(Kind::negate, token);
        ExpressionPtr operand = parse(kNegation);
        if (operand->is_text) throw ExpressionProblem{token.offset, "'-' can't be used with text", ""};
        made->operands = {std::move(operand)};
        return made;
      }
      case Token::Kind::open: {
        ++parentheses_;
        ExpressionPtr inside = parse(0);
        if (peek().kind != Token::Kind::close)
          throw ExpressionProblem{peek().offset, "')' must stand before " + named(peek()),
                                  "it closes the '(' before it"};
        take();
        --parentheses_;
        return inside;
      }
      case Token::Kind::end:
        throw ExpressionProblem{token.offset, "a number, a name or '(' must follow",
                                "the expression ends too early"};
      default:
        throw ExpressionProblem{token.offset, "a number, a name or '(' must stand before " + named(token),
                                ""};
    }
  }

  ExpressionPtr quantity(const Token& token) {
    const bool share = peek().kind == Token::Kind::name && peek().text == "of";
    auto made = node(share ? Kind::percent_of : Kind::quantity, token);
    made->quantity = token.quantity;
    made->unit = token.unit;
    if (!share) return made;
    const Token& of = take();
    if (!token.quantity.percent)
      throw ExpressionProblem{of.offset, "'of' must follow a percentage", "write 60% of peak"};
    const Token& target = take();
    if (target.kind != Token::Kind::name)
      throw ExpressionProblem{target.offset, "a name must follow 'of'",
                              "one of: peak, reference, baseline, peers, or a metric"};
    if (!is_share_target(target.text) || target.text == "band") check_free(target);
    if (peek().kind == Token::Kind::open)
      throw ExpressionProblem{target.offset, "'of' takes a name, not a function",
                              "multiply instead: 0.6 * " + target.text + "(…)"};
    made->name = target.text;
    return made;
  }

  static void check_free(const Token& token) {
    if (is_free_name(token.text)) return;
    if (token.text == kWithin)
      throw ExpressionProblem{token.offset, "'within' is out of place",
                              "write a within 1% of b, or a within band"};
    if (token.text == "of" || token.text == "over")
      throw ExpressionProblem{token.offset, "'" + token.text + "' is out of place",
                              token.text == "of" ? "write 60% of peak" : "write spread(metric over axis)"};
    if (token.text == "band")
      throw ExpressionProblem{token.offset, "'" + token.text + "' is out of place",
                              "write metric within band"};
    if (is_share_target(token.text))
      throw ExpressionProblem{token.offset, "'" + token.text + "' needs a share",
                              "write 100% of " + token.text};
    throw ExpressionProblem{token.offset, "'" + token.text + "' is a function",
                            "write " + token.text + "(metric)"};
  }

  ExpressionPtr name(const Token& token) {
    if (peek().kind == Token::Kind::open) return call(token);
    check_free(token);
    auto made = node(Kind::name, token);
    made->name = token.text;
    return made;
  }

  ExpressionPtr call(const Token& function) {
    const auto& functions = function_names();
    if (!contains(functions, function.text)) {
      throw ExpressionProblem{function.offset, "'" + function.text + "' is not a function",
                              suggestion(function.text, functions, "functions are " + join(functions, ", "))};
    }
    take();
    ++parentheses_;
    const Token& argument = peek();
    if (argument.kind == Token::Kind::close)
      throw ExpressionProblem{argument.offset, function.text + "() needs a metric",
                              "write " + function.text + "(metric)"};
    ExpressionPtr operand = parse(0);
    const bool is_row = operand->kind == Kind::name || operand->kind == Kind::selector;
    if (operand->is_text)
      throw ExpressionProblem{argument.offset, function.text + "() of a text", "name a metric"};
    if (is_of_laps(function.text) && !is_row)
      throw ExpressionProblem{argument.offset, function.text + "() takes a metric, not a computation",
                              "it looks at single laps"};
    const bool finds = function.text == "argmax" || function.text == "argmin";
    if (finds && (operand->kind != Kind::name || peek().kind != Token::Kind::name || peek().text != "over"))
      throw ExpressionProblem{argument.offset, function.text + "() takes a name of 'let' and an axis",
                              "write " + function.text + "(rate over batch) == 8"};
    if (function.text == "best" && operand->kind != Kind::selector)
      throw ExpressionProblem{argument.offset, "best() takes a selector", "write best(case[axis=*].metric)"};
    auto made = node(Kind::call, function);
    made->name = function.text;
    made->operands = {std::move(operand)};
    if (peek().kind == Token::Kind::name && peek().text == "over") made->axis = axis(function.text);
    if (peek().kind == Token::Kind::comma)
      throw ExpressionProblem{peek().offset, function.text + "() takes one operand",
                              "write " + function.text + "(metric over axis)"};
    if (peek().kind != Token::Kind::close)
      throw ExpressionProblem{peek().offset, "')' must stand before " + named(peek()),
                              "it closes " + function.text + "("};
    take();
    --parentheses_;
    return made;
  }

  std::string axis(const std::string& function) {
    const Token& over = take();
    if (!takes_axis(function))
      throw ExpressionProblem{over.offset, function + "() takes no 'over'",
                              "min, max, mean, sum, spread, cv, argmax and argmin do"};
    const Token& named_axis = take();
    if (named_axis.kind != Token::Kind::name)
      throw ExpressionProblem{named_axis.offset, "an axis must follow 'over'",
                              "write spread(metric over device)"};
    return named_axis.text;
  }

  const std::vector<Token>& tokens_;
  const std::vector<Position>& places_;
  std::size_t next_ = 0;
  int depth_ = 0;
  int parentheses_ = 0;
  bool compared_ = false;
};

}  // namespace

ExpressionPtr parse_expression(std::string_view text, const std::vector<Position>& places,
                               Diagnostics& diagnostics) {
  if (text.size() > kMaximumExpressionLength) {
    diagnostics.error("suite.limit", places.front(),
                      "the expression has " + std::to_string(text.size()) +
                          " characters, more than the limit of " + std::to_string(kMaximumExpressionLength),
                      "use names in 'derive' or 'let'");
    return nullptr;
  }
  try {
    const std::vector<Token> tokens = tokenize(text, places);
    return ExpressionParser(tokens, places).run();
  } catch (const ExpressionProblem& problem) {
    diagnostics.error("suite.expression", places.at(std::min(problem.offset, text.size())), problem.text,
                      problem.hint);
    return nullptr;
  }
}

ExpressionPtr parse_expression(std::string_view text, const Position& at, Diagnostics& diagnostics) {
  std::vector<Position> places(std::min(text.size(), kMaximumExpressionLength) + 1, at);
  for (std::size_t i = 0; i < places.size(); ++i) places[i].column += static_cast<int>(i);
  return parse_expression(text, places, diagnostics);
}

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = {"p50",  "p90", "p95",    "p99", "p999", "min",    "max",
                                                 "mean", "sum", "spread", "cv",  "best", "argmax", "argmin"};
  return names;
}

bool is_share_target(std::string_view name) {
  return name == "peak" || name == "reference" || name == "baseline" || name == "peers" || name == "band";
}

bool has_share_of(const Expression& expression, std::string_view target) {
  if (expression.kind == Kind::percent_of && expression.name == target) return true;
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [&](const ExpressionPtr& operand) { return has_share_of(*operand, target); });
}

bool is_free_name(std::string_view name) {
  const auto& functions = function_names();
  return !contains(functions, name) && name != "of" && name != kWithin && name != "over" && name != "and" &&
         name != "or" && name != "not" && !is_share_target(name);
}

}  // namespace assay::suite
