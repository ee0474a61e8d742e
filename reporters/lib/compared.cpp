// SPDX-License-Identifier: Apache-2.0
#include "lib/compared.hpp"

#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

namespace assay::reporters {
namespace {

constexpr const char* kRatio = "×";
constexpr const char* kShare = "%";

// As many digits behind the point as the interval has one for, at least two below 10, one below 100.
int ratio_decimals(double value, std::optional<double> half_width) {
  const double size = std::abs(value);
  const int least = size < 10 ? 2 : size < 100 ? 1 : 0;
  if (!half_width || !(*half_width > 0)) return least;
  return std::clamp(static_cast<int>(-std::floor(std::log10(*half_width))), least, 4);
}

int share_decimals(std::optional<double> half_width) {
  if (!half_width || !(*half_width > 0)) return 1;
  return std::clamp(static_cast<int>(-std::floor(std::log10(*half_width * 100))), 0, 2);
}

std::string number_of(const Compared& compared, double value) {
  if (compared.unit.base == kRatio)
    return fixed(value, ratio_decimals(compared.value, compared.half_width()));
  return fixed(value * 100, share_decimals(compared.half_width()));
}

// A limit is exact: two decimals, or three where two would say something else.
std::string limit_text(double limit, const Unit& unit) {
  if (unit.base == kRatio) {
    const bool short_one =
        std::abs(limit * 100 - std::round(limit * 100)) < 1e-6 * std::max(1.0, std::abs(limit));
    return fixed(limit, short_one ? 2 : 3) + kRatio;
  }
  if (unit.base == kShare) {
    const bool whole = std::abs(limit * 100 - std::round(limit * 100)) < 1e-6;
    return fixed(limit * 100, whole ? 0 : 1) + " %";
  }
  return quantity(limit, unit);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  }) && std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The sides of a claim are compared with each other without the number that the claim writes in front: "bf16" of
// "1.8 * bf16", "b" of "95% of b". A quantity stays: "412 FLOP/B * read". "" of all but products of names.
// For documents that do not name sides.
std::string name_in(std::string_view side) {
  side = trimmed(side);
  const auto front = [&](std::string_view sign) { return trimmed(side.substr(0, side.find(sign))); };
  for (const std::string_view sign : {" of ", "*"}) {
    if (side.find(sign) == std::string_view::npos) continue;
    if (front(sign).find_first_not_of("0123456789.%") != std::string_view::npos) continue;
    side = trimmed(side.substr(side.find(sign) + sign.size()));
    break;
  }
  std::string_view names = side;
  if (!names.empty() && std::isdigit(static_cast<unsigned char>(names.front())) != 0)
    names.remove_prefix(std::min(names.size(), names.find('*') + 1));
  for (bool more = true; more;) {
    const std::size_t sign = names.find('*');
    more = sign != std::string_view::npos;
    if (!is_name(trimmed(names.substr(0, sign)))) return {};
    names.remove_prefix(more ? sign + 1 : names.size());
  }
  return std::string(side);
}

}  // namespace

std::optional<Compared> compared(const Finding& finding, const FindingRow& row) {
  if (row.measured) {
    Compared out{row.measured->value, known(row.measured->bounds), kRatio};
    if (finding.asks) out.unit = finding.asks->unit.base.empty() ? Unit("1") : finding.asks->unit;
    return out;
  }
  if (!row.effect) return std::nullopt;
  Compared out{*row.effect + 1, known(row.bounds), kRatio};
  if (out.bounds) out.bounds = Bounds{out.bounds->low + 1, out.bounds->high + 1};
  return out;
}

bool has_no_values(const Finding& finding) {
  if (finding.rows.size() != 1) return finding.rows.empty();
  const FindingRow& row = finding.rows.front();
  return !compared(finding, row) && !row.left.value && !row.right.value;
}

std::string compared_value(const Compared& compared) {
  if (compared.unit.base == kRatio) return number_of(compared, compared.value) + kRatio;
  if (compared.unit.base == kShare) return number_of(compared, compared.value) + " %";
  return quantity(compared.value, compared.unit, compared.half_width());
}

std::string compared_interval(const Compared& compared) {
  if (!compared.bounds || compared.bounds->low == compared.bounds->high)
    return {};  // what is counted is exact
  const auto& [low, high] = *compared.bounds;
  if (compared.unit.base == kRatio || compared.unit.base == kShare)
    return "[" + number_of(compared, low) + ", " + number_of(compared, high) + "]";
  return interval(compared.value, low, high, scale_for(compared.unit, compared.value));
}

std::string compared_text(const Compared& compared) {
  const std::string beside = compared_interval(compared);
  return compared_value(compared) + (beside.empty() ? "" : " " + beside);
}

std::vector<double> asked_limits(const Finding& finding) {
  if (!finding.asks) return {};
  const model::Threshold& asks = *finding.asks;
  if (!asks.limits.empty()) return asks.limits;
  // Of an older version: a quantity in the claim is a side of its own, and nothing tells how large it is.
  if (asks.factor == 1 && asks.tolerance == 0) return {};
  const double most = asks.factor * (1 + asks.tolerance), least = asks.factor / (1 + asks.tolerance);
  if (asks.op == ">" || asks.op == "<=") return {most};
  if (asks.op == ">=" || asks.op == "<") return {least};
  return {least, most};
}

std::string asked_text(const Finding& finding) {
  const std::vector<double> limits = asked_limits(finding);
  if (limits.empty()) return {};
  const model::Threshold& asks = *finding.asks;
  const Unit unit = asks.limits.empty() ? Unit(kRatio) : asks.unit.base.empty() ? Unit("1") : asks.unit;
  const std::string first = limit_text(limits.front(), unit);
  if (limits.size() > 1)
    return (asks.op == "!=" ? "outside " : "") + first + " to " + limit_text(limits.back(), unit);
  const std::string sign = asks.op == ">="   ? "≥"
                           : asks.op == "<=" ? "≤"
                           : asks.op == "==" ? "="
                           : asks.op == "!=" ? "≠"
                                             : one_line(asks.op);
  return sign + " " + first;
}

std::pair<std::string, std::string> side_names(const Finding& finding) {
  if (finding.asks && !finding.asks->left.empty())
    return {one_line(finding.asks->left), one_line(finding.asks->right)};
  const std::size_t sign = finding.claim.find_first_of("<>=!");
  if (sign == std::string::npos) return {"left", "right"};
  const std::size_t behind = finding.claim.find_first_not_of("<>=!", sign);
  std::string left = name_in(std::string_view(finding.claim).substr(0, sign));
  std::string right =
      behind == std::string::npos ? std::string() : name_in(std::string_view(finding.claim).substr(behind));
  if (left.empty() || right.empty() || left == right) return {"left", "right"};
  return {std::move(left), std::move(right)};
}

ShownSides shown_sides(const Finding& finding) {
  auto [left, right] = side_names(finding);
  ShownSides sides{std::move(left), std::move(right)};
  const auto is_limit = [](const FindingRow& row) { return row.right.id.empty() && row.right.value; };
  sides.has_right = !std::all_of(finding.rows.begin(), finding.rows.end(), is_limit);
  // Of several cases nothing is shown but what the claim makes of them.
  const bool several = sides.left.find(' ') != std::string::npos;
  sides.has_left = sides.has_right || !(several || sides.left == compared_name(finding));
  return sides;
}

std::string compared_name(const Finding& finding) {
  if (finding.asks && !finding.asks->measured.empty()) return one_line(finding.asks->measured);
  const auto [left, right] = side_names(finding);
  if (left == "left") return "ratio";
  return left + " / " + (right.find(' ') == std::string::npos ? right : "(" + right + ")");
}

}  // namespace assay::reporters
