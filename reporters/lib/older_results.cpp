// SPDX-License-Identifier: Apache-2.0
#include "lib/older_results.hpp"

#include "lib/text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::string_view kIntensity = "FLOP/B";  // the one unit that claims of older results have
constexpr double kOldMargin = 0.02;

bool is_name(const std::string& word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
         std::all_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// "1.8", "95%".
std::optional<double> factor_of(const std::string& word) {
  double number = 0;
  const char* const end = word.data() + word.size();
  const auto [last, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || !(number > 0)) return std::nullopt;
  if (last == end) return number;
  return last + 1 == end && *last == '%' ? std::optional(number / 100) : std::nullopt;
}

// "fp8 >= 1.8 * bf16": `factor` and `unit` stand before `names`, of which there may be several.
struct OldClaim {
  std::string left, op, unit;
  std::optional<double> factor;
  std::vector<std::string> names;
};

std::optional<OldClaim> old_claim(const std::string& claim) {
  const std::vector<std::string> words = split(claim, ' ');
  if (words.size() < 3 || !is_name(words[0])) return std::nullopt;
  constexpr std::array<std::string_view, 4> kSigns = {">", ">=", "<", "<="};
  if (std::find(kSigns.begin(), kSigns.end(), words[1]) == kSigns.end()) return std::nullopt;
  OldClaim out{words[0], words[1], {}, factor_of(words[2]), {}};
  std::size_t at = 2;
  if (out.factor && ++at < words.size() && words[at] == kIntensity) out.unit = words[at++];
  if (out.factor && (at == words.size() || words[at++] != "*")) return std::nullopt;
  for (; at < words.size(); at += 2) {
    if (!is_name(words[at]) || (at + 1 < words.size() && words[at + 1] != "*")) return std::nullopt;
    out.names.push_back(words[at]);
  }
  return out.names.empty() || words.back() == "*" ? std::nullopt : std::optional(std::move(out));
}

// Their effect was the one against the whole side, with the number in it: of one name and a factor alone it was not.
void take_out(double factor, FindingRow& row) {
  if (!row.effect || row.measured) return;
  const auto times = [&](double effect) { return factor * (1 + effect); };
  row.measured = model::Measured{times(*row.effect), {times(row.bounds.low), times(row.bounds.high)}};
}

}  // namespace

void add_what_is_asked(Finding& finding) {
  const std::optional<OldClaim> claim = finding.asks ? std::nullopt : old_claim(finding.claim);
  if (!claim) return;
  model::Threshold asks;
  asks.op = claim->op;
  asks.factor = claim->factor.value_or(1);
  asks.tolerance = claim->factor ? 0 : finding.theta.value_or(kOldMargin);
  const bool of_whole_side = !claim->unit.empty() || (claim->factor && claim->names.size() > 1);
  if (of_whole_side) {
    const std::string names = join(claim->names, " * ");
    asks.left = claim->left;
    asks.right = one_line(finding.claim.substr(finding.claim.find(claim->op) + claim->op.size() + 1));
    asks.measured = claim->left + " / " + (claim->names.size() > 1 ? "(" + names + ")" : names);
    asks.limits = {asks.factor};
    asks.unit = claim->unit.empty() ? "×" : claim->unit;
    for (FindingRow& row : finding.rows) take_out(asks.factor, row);
  }
  finding.asks = std::move(asks);
}

std::string with_few_names(const std::string& why) {
  constexpr std::size_t kMost = 5;
  constexpr std::string_view kDiffer = " differ in ", kEnd = ": more than one thing";
  const std::size_t begin = why.find(kDiffer);
  if (begin == std::string::npos || !why.ends_with(kEnd)) return why;
  const std::size_t names = begin + kDiffer.size();
  std::size_t at = names, cut = 0, count = 1;
  for (; (at = why.find(", ", at)) != std::string::npos; at += 2)
    if (++count == kMost + 1) cut = at;
  return cut == 0
             ? why
             : why.substr(0, cut) + " and " + std::to_string(count - kMost) + " more" + std::string(kEnd);
}

std::string in_todays_words(const std::string& text) {
  if (text == "Follow the text.") return {};
  if (text == "Sampling ended at `max_time` before the precision that was asked for was reached.")
    return "The case stopped after its `max_time`, with an interval wider than the suite asked for.";
  constexpr std::string_view kBegin = "warm-up ended at its cap, and ",
                             kEnd = " samples are too few to tell whether a transient is among them";
  if (text.starts_with(kBegin) && text.ends_with(kEnd) && text.size() > kBegin.size() + kEnd.size())
    return "may include effects of the warm-up: times were still changing when the samples began, and " +
           text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size()) +
           " samples are too few to check";
  return text;
}

bool tells_nothing(const Flag& flag) {
  if (flag.code == "not_steady") return flag.text.find(" 0.0 % ") != std::string::npos;
  constexpr std::string_view kStates = "two states: ", kAnd = " and ";
  if (flag.code != "bimodal" || !flag.text.starts_with(kStates)) return false;
  const std::string_view both = std::string_view(flag.text).substr(kStates.size());
  const std::string_view first = both.substr(0, both.find(kAnd));
  return both.substr(std::min(both.size(), first.size() + kAnd.size()))
      .starts_with(std::string(first) + " (");
}

}  // namespace assay::reporters
