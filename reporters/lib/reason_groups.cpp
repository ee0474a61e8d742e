// SPDX-License-Identifier: Apache-2.0
#include "lib/reason_groups.hpp"

#include "lib/every_limit.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

namespace assay::reporters {
namespace {

// Said once behind the lines that share them: two lines at least a place, and few places.
std::string common_places(const std::vector<ReasonLine>& lines) {
  constexpr std::size_t kMostPlaces = 3;
  std::vector<std::string> places;
  for (const ReasonLine& line : lines) {
    const std::string place = to_text(line.position);
    if (place.empty()) return {};
    add_once(places, place);
  }
  return places.size() <= kMostPlaces && 2 * places.size() <= lines.size() ? join(places, ", ")
                                                                           : std::string();
}

// "nvlink_crc 12, limit 10" around its value.
struct MissedLimit {
  std::string before, number, behind;
  double value = 0;
};

std::optional<MissedLimit> missed_limit(const std::string& text) {
  const std::size_t limit = text.find(", limit ");
  const std::size_t digit = text.find_first_of("0123456789");
  std::size_t begin = digit;
  // A name may hold digits.
  while (begin != std::string::npos && begin > 0 && text[begin - 1] != ' ')
    begin = text.find_first_of("0123456789", text.find(' ', begin));
  if (limit == std::string::npos || begin >= limit) return std::nullopt;
  MissedLimit out;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + limit, out.value);
  if (error != std::errc()) return std::nullopt;
  out.before = text.substr(0, begin);
  out.number = std::string(text.data() + begin, end);
  out.behind = std::string(end, text.data() + text.size());
  return out;
}

std::string name_of_case(const std::string& id) { return id.substr(0, id.find('[')); }

// Cases of one name that missed the same limit of the suite in the same unit, from the least value to the greatest.
ReasonLine merged(const std::vector<std::pair<const ReasonLine*, MissedLimit>>& alike) {
  const auto [least, most] =
      std::minmax_element(alike.begin(), alike.end(),
                          [](const auto& a, const auto& b) { return a.second.value < b.second.value; });
  ReasonLine out{name_of_case(alike.front().first->subject), {}, alike.front().first->position};
  out.text = least->second.before + least->second.number +
             (least->second.value < most->second.value ? " to " + most->second.number : "") +
             least->second.behind + ", in " + count_of(alike.size(), "case");
  return out;
}

// Lines that differ in a case's axes and a value push down what stands below them.
std::vector<ReasonLine> without_repeats(const std::vector<ReasonLine>& lines) {
  constexpr std::size_t kFewestMerged = 5;
  using Alike = std::vector<std::pair<const ReasonLine*, MissedLimit>>;
  const auto key_of = [](const ReasonLine& line, const MissedLimit& limit) {
    return name_of_case(line.subject) + "\n" + to_text(line.position) + "\n" + limit.before + "\n" +
           limit.behind;
  };
  std::vector<std::pair<std::string, Alike>> by_key;
  for (const ReasonLine& line : lines)
    if (const auto limit = missed_limit(line.text); limit && !line.subject.empty())
      entry_of(by_key, key_of(line, *limit)).emplace_back(&line, *limit);
  std::vector<ReasonLine> out;
  for (const ReasonLine& line : lines) {
    const auto limit = missed_limit(line.text);
    const Alike* const alike =
        limit && !line.subject.empty() ? find_value(by_key, key_of(line, *limit)) : nullptr;
    if (alike == nullptr || alike->size() < kFewestMerged)
      out.push_back(line);
    else if (alike->front().first == &line)
      out.push_back(merged(*alike));
  }
  return out;
}

}  // namespace

std::vector<ReasonGroup> grouped_reasons(const Document& document) {
  std::vector<ReasonGroup> out;
  for (const VerdictReason& line : with_every_limit(document)) {
    auto* same = find_in(
        out, [&](const ReasonGroup& group) { return group.code == line.code && group.next == line.next; });
    if (same == nullptr) same = &out.emplace_back(ReasonGroup{line.code, line.severity, line.next, {}, {}});
    same->lines.push_back({line.subject, line.text, line.position});
  }
  for (ReasonGroup& group : out) {
    group.lines = without_repeats(group.lines);
    group.places = common_places(group.lines);
  }
  return out;
}

std::string ReasonGroup::place_of(const ReasonLine& line) const {
  return places.empty() ? to_text(line.position) : std::string();
}

}  // namespace assay::reporters
