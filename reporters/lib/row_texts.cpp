// SPDX-License-Identifier: Apache-2.0
#include "lib/row_texts.hpp"

#include "lib/axis_text.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"
#include "text/quote.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

bool is_percent(const Group& group) {
  return group.unit == "1" &&
         (group.text.find('%') != std::string::npos || group.text.substr(0, 6) == "spread");
}

// The number N of "N% of WHAT" in an expectation's text, as it is written there; and WHAT.
std::optional<std::pair<std::string, std::string>> share_of(std::string_view text) {
  const std::size_t sign = text.find('%');
  if (sign == std::string_view::npos) return std::nullopt;
  std::size_t end = sign;
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && ((text[begin - 1] >= '0' && text[begin - 1] <= '9') || text[begin - 1] == '.')) --begin;
  const std::size_t of = text.find("of ", sign);
  if (begin == end || of == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(of + 3);
  return std::pair(std::string(text.substr(begin, end - begin)), std::string(rest.substr(0, rest.find(' '))));
}

// "≠ 5 GB/s" of the one relation that a value equal to its limit misses.
std::string limit_of(const Expectation& expectation, const std::string& text) {
  return ", limit " + (expectation.op == "!=" ? sign_of("!=") + " " : std::string()) + text;
}

// The digits behind the point of a percentage that tell it from the one beside it.
int percent_digits(double share, double beside, int digits) {
  constexpr int kMostBehindPoint = 6;
  while (share != beside && digits < kMostBehindPoint &&
         fixed(share * 100, digits) == fixed(beside * 100, digits))
    ++digits;
  return digits;
}

// A value and its limit, in the digits that tell both apart.
std::pair<std::string, std::string> told_apart(double value, double limit, const Unit& unit) {
  const Scale scale = scale_for(unit, value), of_limit = scale_beside(scale, unit, limit);
  std::pair<std::string, std::string> out{quantity(value, scale), quantity(limit, of_limit)};
  if (value == limit || quantity_text(value, scale) != quantity_text(limit, of_limit)) return out;
  const int digits = digits_apart(value, limit, scale);
  return {quantity_text(value, scale, digits), quantity_text(limit, of_limit, digits)};
}

// "bandwidth" of "bandwidth >= 3 GB/s", and of "3 GB/s <= bandwidth".
std::string name_in(std::string_view text) {
  const std::size_t op = text.find_first_of("<>=!");
  if (op == std::string_view::npos) return one_line(text);
  // A number, perhaps with a unit: "3 GB/s", but neither "2 * bandwidth" nor "50% of width".
  const std::string left = one_line(text.substr(0, op));
  const auto spaces = std::count(left.begin(), left.end(), ' ') - (left.ends_with(' ') ? 1 : 0);
  const bool limit_first = !left.empty() && left.front() >= '0' && left.front() <= '9' && spaces < 2 &&
                           left.find('*') == std::string::npos;
  std::string_view name = text.substr(0, op);
  if (limit_first) {
    name = text.substr(op);
    name.remove_prefix(std::min(name.size(), name.find_first_not_of("<>=! ")));
  }
  return one_line(name);
}

// Such as a percentile's or a clock's, which stands in no column.
bool has_missed_another_limit(const Row& row) {
  return std::any_of(row.members.begin(), row.members.end(), [](const Case* one) {
    return std::any_of(one->expectations.begin(), one->expectations.end(), [&](const Expectation& each) {
      return each.status == ExpectationStatus::failed &&
             std::none_of(one->metrics.begin(), one->metrics.end(),
                          [&](const Metric& metric) { return is_about(each, metric.name); });
    });
  });
}

}  // namespace

std::string mixed_outcomes(const Row& row) {
  std::map<Outcome, std::size_t, std::greater<>> counts;
  for (const Case* one : row.not_passed()) ++counts[one->outcome];
  if (counts.size() < 2) return {};
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : counts)
    parts.push_back(std::to_string(count) + " " + outcome_text(outcome));
  return join(parts, ", ");
}

std::string mean_beside(const Metric& metric, const Scale& scale) {
  return metric.mean ? quantity(*metric.mean, scale, half_width(metric)) : std::string();
}

std::string fixed_cost_text(const Case& one) {
  if (!one.measurement || !one.measurement->fixed_cost) return {};
  const model::FixedCost& cost = *one.measurement->fixed_cost;
  return "fixed cost " +
         quantity_with_interval(cost.value, Unit(cost.unit), cost.interval.low, cost.interval.high) + ", " +
         percent(cost.share) + " of a sample";
}

std::string tail_text(const Case& one) {
  std::vector<std::string> parts;
  const Unit seconds("s");
  if (one.time)
    for (const model::Percentile& each : one.time->tail)
      parts.push_back("p" + quantity(each.share * 100, Unit("1")) + " " +
                      (each.high ? quantity_with_interval(each.value, seconds, each.low, *each.high)
                                 : "> " + quantity(each.value, seconds) + ", n too small"));
  return join(parts, ", ");
}

bool is_run_wide(const Flag& flag) { return flag.code == "quick"; }

std::optional<Bounds> bounds_beside(const Metric& metric) {
  if (!metric.interval) return std::nullopt;
  if (metric.interval->kind != kWithinProcess) return Bounds{metric.interval->low, metric.interval->high};
  if (!metric.spread) return std::nullopt;
  return Bounds{metric.spread->p5, metric.spread->p95};
}

std::string bounds_heading(const Metric& metric) {
  if (metric.interval && metric.interval->kind == kWithinProcess) return "p5–p95 of samples";
  return "95 % over " + count_of(metric.rounds.size(), "round");
}

std::string no_interval_words(const Metric& metric) {
  if (metric.interval || !metric.no_interval) return {};
  const std::string code = one_line(metric.no_interval->code);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWords{{
      {"interval.few-samples", "few samples"},
      {"interval.no-end", "scatter too wide"},
      {"interval.one-value", "one value"},
      {"interval.observed", "as seen"},
      {"interval.derived", "few rounds"},
  }};
  for (const auto& [known, words] : kWords)
    if (known == code) return std::string(words);
  return "no interval";
}

const Expectation* limit_on(const Row& row, std::string_view metric) {
  const auto weight = [](const Expectation& one) {
    return one.status == ExpectationStatus::failed ? 2 : one.status == ExpectationStatus::passed ? 0 : 1;
  };
  const Expectation* chosen = nullptr;
  for (const Case* one : row.members) {
    for (const Expectation& expectation : one->expectations) {
      if (!is_about(expectation, metric)) continue;
      const bool is_worse = chosen != nullptr && weight(expectation) == weight(*chosen) &&
                            expectation.status == ExpectationStatus::failed &&
                            margin_of(expectation) < margin_of(*chosen);
      if (chosen == nullptr || weight(expectation) > weight(*chosen) || is_worse) chosen = &expectation;
    }
  }
  return chosen;
}

std::string limit_text(const Row& row, std::string_view metric, const std::optional<Scale>& beside) {
  const Expectation* const chosen = limit_on(row, metric);
  // One that holds would read as the one that the row misses.
  if (chosen == nullptr || (chosen->status == ExpectationStatus::passed && has_missed_another_limit(row)))
    return {};
  std::string out = sign_of(chosen->op) + " ";
  if (const auto share = share_of(chosen->text)) {
    return out + share->first + " %" + (share->second == "peak" ? "" : " of " + share->second);
  }
  const double limit = chosen->limit.get<double>();
  const bool stands_beside = beside && chosen->unit.as_written.empty();
  return out + quantity(limit, stands_beside ? scale_beside(*beside, chosen->unit, limit)
                                             : scale_for(chosen->unit, limit));
}

std::string value_beside_limit(const Expectation& expectation) {
  if (!expectation.value.is_number() || !expectation.limit.is_number()) {
    const Json both{{"value", expectation.value}, {"limit", expectation.limit}};
    const std::string value = one_line(scalar(both, "value")), limit = one_line(scalar(both, "limit"));
    return value.empty() || limit.empty() ? std::string() : value + ", asked for " + limit;
  }
  const auto value = expectation.value.get<double>(), limit = expectation.limit.get<double>();
  const bool is_of_limit = name_in(expectation.text).find('%') == std::string::npos;
  if (const auto share = share_of(expectation.text); share && limit != 0 && is_of_limit) {
    double asked = 0;
    std::from_chars(share->first.data(), share->first.data() + share->first.size(), asked);
    const double got = value / limit * asked / 100;
    const bool reads_alike = percent(got) == share->first + " %";
    const std::string shown =
        reads_alike ? fixed(got * 100, percent_digits(got, asked / 100, 0)) + " %" : percent(got);
    return shown + " of " + share->second + limit_of(expectation, share->first + " %");
  }
  const auto [shown, asked] = told_apart(value, limit, expectation.unit);
  return shown + limit_of(expectation, asked);
}

std::optional<double> margin_of(double value, double limit, std::string_view op) {
  if (limit == 0 || !std::isfinite(value) || !std::isfinite(limit)) return std::nullopt;
  const double above = (value - limit) / std::abs(limit);
  if (op.starts_with('>')) return above;
  if (op.starts_with('<')) return -above;
  return std::nullopt;
}

std::optional<double> margin_of(const Expectation& expectation) {
  std::optional<double> out;
  if (expectation.value.is_number() && expectation.limit.is_number())
    out = margin_of(expectation.value.get<double>(), expectation.limit.get<double>(), expectation.op);
  return !out && expectation.status == ExpectationStatus::failed ? kMissedByAll : out;
}

std::string missed_text(const Expectation& expectation) {
  const std::string why = one_line(expectation.why);
  const std::string both = value_beside_limit(expectation);
  const bool is_judged =
      expectation.status == ExpectationStatus::failed || expectation.status == ExpectationStatus::undecided;
  const std::string told =
      is_judged && !both.empty() ? name_in(expectation.text) + " " + both : one_line(expectation.text);
  if (!is_judged) return told + (why.empty() ? ": " + in_words(expectation.status) : ": " + why);
  return told + (expectation.status == ExpectationStatus::undecided ? ": undecided" : "") +
         (why.empty() ? "" : "; " + why);
}

std::string value_and_limit(const Expectation& expectation) {
  const std::string name = one_line(expectation.text.substr(0, expectation.text.find_first_of("<>=!")));
  const std::string both = value_beside_limit(expectation);
  // "59 % of peak" says of what it is.
  const bool is_share = share_of(expectation.text) && both.find(" % of ") != std::string::npos;
  return is_share ? both : both.empty() ? name : name + " " + both;
}

std::string command_text(const Case& one) {
  std::vector<std::string> words;
  for (const std::string& word : one.command) words.push_back(shell_word(one_line(word)));
  return join(words, " ");
}

std::string member_label(const Case& one) {
  for (const Axis& axis : one.axes) {
    if (is_device_axis(axis.name)) return one_line(axis.text);
  }
  return one_line(join(one.placement.devices, "+"));
}

std::string group_label(const Group& group) {
  std::vector<std::string> parts;
  for (const auto& [axis, value] : group.where) {
    if (!is_device_axis(axis)) parts.push_back(axis_text(value));
  }
  const std::size_t end = group.text.find('(');
  parts.push_back(end == std::string::npos ? "check" : one_line(group.text.substr(0, end)));
  return join(parts, ", ");
}

std::string group_value(const Group& group) {
  if (!group.value) return {};
  const double limit = group.limit.value_or(*group.value);
  if (is_percent(group))
    return fixed(*group.value * 100, percent_digits(*group.value, limit, *group.value < 0.0995 ? 2 : 1)) +
           " %";
  return told_apart(*group.value, limit, group.unit).first;
}

std::string group_limit(const Group& group) {
  if (!group.limit) return {};
  const std::string sign = sign_of(group.op) + " ";
  const double value = group.value.value_or(*group.limit);
  if (!is_percent(group)) return sign + told_apart(value, *group.limit, group.unit).second;
  const double limit = *group.limit * 100;
  const bool is_whole = limit == static_cast<double>(static_cast<long>(limit));
  return sign + fixed(limit, is_whole ? 0 : percent_digits(value, *group.limit, 1)) + " %";
}

std::string sign_of(std::string_view op) {
  if (op == ">=") return "≥";
  if (op == "<=") return "≤";
  if (op == "!=") return "≠";
  if (op == "==") return "=";
  return std::string(op);
}

}  // namespace assay::reporters
