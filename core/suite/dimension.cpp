// SPDX-License-Identifier: Apache-2.0
#include "suite/dimension.hpp"

#include "text/text.hpp"

#include <string>

namespace assay::suite {

namespace {

using Kind = Expression::Kind;

// What is known of a part: its dimension, that it fits any ("60% of peak"), or nothing.
struct KnownDimension {
  enum class State { dimension, any, unknown } state = State::unknown;
  Dimension dimension;
};

KnownDimension known(Dimension dimension) { return {KnownDimension::State::dimension, dimension}; }

std::string operand_text(const Expression& operand) {
  std::string text = to_text(operand);
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest) text = text.substr(0, kLongest - 2) + "…";
  return printable(text);
}

class DimensionChecker {
 public:
  DimensionChecker(const DimensionLookup& lookup, Diagnostics& diagnostics)
      : lookup_(lookup), diagnostics_(diagnostics) {}

  KnownDimension check(const Expression& expression) {
    switch (expression.kind) {
      case Kind::quantity:
        return known(expression.quantity.dimension);
      case Kind::text:
        return {KnownDimension::State::any, {}};
      case Kind::percent_of:
        return is_share_target(expression.name) ? KnownDimension{KnownDimension::State::any, {}}
                                                : look_up(expression);
      case Kind::name:
      case Kind::selector:
        return look_up(expression);
      case Kind::negate:
        return check(*expression.operands[0]);
      case Kind::call: {
        const KnownDimension operand = check(*expression.operands[0]);
        // A value of an axis: whether it has this one, its case says.
        if (finds_value(expression)) return {KnownDimension::State::any, {}};
        return expression.name == "spread" || expression.name == "cv" ? known({}) : operand;
      }
      case Kind::multiply:
      case Kind::divide:
        return product(expression);
      case Kind::add:
      case Kind::subtract:
        return join(expression, expression.kind == Kind::add ? "adds" : "subtracts");
      case Kind::less:
      case Kind::less_equal:
      case Kind::greater:
      case Kind::greater_equal:
      case Kind::equal:
      case Kind::not_equal:
        return compare(expression);
    }
    return {};
  }

 private:
  KnownDimension look_up(const Expression& expression) {
    const auto found = lookup_(expression);
    return found ? known(*found) : KnownDimension{};
  }

  KnownDimension product(const Expression& expression) {
    const KnownDimension left = check(*expression.operands[0]);
    const KnownDimension right = check(*expression.operands[1]);
    const bool both =
        left.state == KnownDimension::State::dimension && right.state == KnownDimension::State::dimension;
    if (both)
      return known(expression.kind == Kind::multiply ? left.dimension * right.dimension
                                                     : left.dimension / right.dimension);
    const bool any =
        left.state != KnownDimension::State::unknown && right.state != KnownDimension::State::unknown;
    return {any ? KnownDimension::State::any : KnownDimension::State::unknown, {}};
  }

  // The common dimension of both sides; an error if they differ.
  KnownDimension join(const Expression& expression, const char* does) {
    const Expression& first = *expression.operands[0];
    const Expression& second = *expression.operands[1];
    const KnownDimension left = check(first);
    const KnownDimension right = check(second);
    if (left.state == KnownDimension::State::unknown || right.state == KnownDimension::State::unknown)
      return {};
    if (left.state == KnownDimension::State::any) return right;
    if (right.state == KnownDimension::State::any || left.dimension == right.dimension) return left;
    const auto side = [](const Expression& operand, const Dimension& dimension) {
      return describe(dimension) + " (" + operand_text(operand) + ")";
    };
    const std::string_view between = does == std::string_view("subtracts") ? " and "
                                     : does == std::string_view("adds")    ? " and "
                                                                           : " with ";
    std::string hint = "both sides must be of one kind";
    const Dimension& wanted = left.dimension.none() ? right.dimension : left.dimension;
    if (left.dimension.none() || right.dimension.none())
      hint = "write a unit, like " + base_unit(wanted) + ", or a share, like 60% of peak";
    diagnostics_.error("suite.dimension", expression.position,
                       std::string("this ") + does + " " + side(first, left.dimension) +
                           std::string(between) + side(second, right.dimension),
                       hint);
    return {};
  }

  KnownDimension compare(const Expression& expression) {
    if (!expression.operands[0]->is_text && !expression.operands[1]->is_text) {
      if (join(expression, "compares").state == KnownDimension::State::unknown) return {};
      return known({});
    }
    // A text has no dimension, but the name beside it must still resolve.
    const KnownDimension left = check(*expression.operands[0]);
    const KnownDimension right = check(*expression.operands[1]);
    if (left.state == KnownDimension::State::unknown || right.state == KnownDimension::State::unknown)
      return {};
    return known({});
  }

  const DimensionLookup& lookup_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Dimension> dimension_of(const Expression& expression, const DimensionLookup& lookup,
                                      Diagnostics& diagnostics) {
  const KnownDimension result = DimensionChecker(lookup, diagnostics).check(expression);
  if (result.state != KnownDimension::State::dimension) return std::nullopt;
  return result.dimension;
}

}  // namespace assay::suite
