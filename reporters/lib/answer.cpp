// SPDX-License-Identifier: Apache-2.0
#include "lib/answer.hpp"

#include "lib/axis_text.hpp"
#include "lib/finding_texts.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostNames = 4;  // of rows in one sentence

using Texts = std::vector<std::pair<std::string, std::string>>;

struct Scaled {
  double value = 0;
  std::string_view of;  // "B", "s", "" of a plain number
};

struct KnownUnit {
  std::string_view text;
  double scale;
  std::string_view of;
};
constexpr std::array<KnownUnit, 19> kUnits{{{"", 1, ""},
                                            {"B", 1, "B"},
                                            {"kB", 1e3, "B"},
                                            {"MB", 1e6, "B"},
                                            {"GB", 1e9, "B"},
                                            {"TB", 1e12, "B"},
                                            {"KiB", 0x1p10, "B"},
                                            {"MiB", 0x1p20, "B"},
                                            {"GiB", 0x1p30, "B"},
                                            {"TiB", 0x1p40, "B"},
                                            {"ns", 1e-9, "s"},
                                            {"us", 1e-6, "s"},
                                            {"µs", 1e-6, "s"},
                                            {"ms", 1e-3, "s"},
                                            {"s", 1, "s"},
                                            {"min", 60, "s"},
                                            {"h", 3600, "s"},
                                            {"²", 1, "²"},
                                            {"³", 1, "³"}}};

std::optional<Scaled> scaled(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const KnownUnit& one) { return one.text == unit; });
  if (found == kUnits.end()) return std::nullopt;
  return Scaled{value * found->scale, found->of};
}

Texts axes_of(const FindingRow& row) {
  Texts texts(row.axes.begin(), row.axes.end());
  if (!texts.empty() || row.label.empty()) return texts;
  const std::size_t sign = row.label.find('=');
  const bool one_axis = sign != std::string::npos && row.label.find('=', sign + 1) == std::string::npos;
  texts.emplace_back(one_axis ? row.label.substr(0, sign) : "",
                     one_axis ? row.label.substr(sign + 1) : row.label);
  return texts;
}

// The axes by which rows differ, in each row.
std::vector<Texts> telling(const Finding& finding) {
  std::vector<Texts> rows;
  for (const FindingRow& row : finding.rows) rows.push_back(axes_of(row));
  // What all rows share the first one has.
  Texts shared = rows.empty() ? Texts() : rows.front();
  const auto holds = [](const Texts& texts, const std::pair<std::string, std::string>& text) {
    return contains(texts, text);
  };
  for (const Texts& row : rows) std::erase_if(shared, [&](const auto& text) { return !holds(row, text); });
  for (Texts& row : rows) std::erase_if(row, [&](const auto& text) { return holds(shared, text); });
  return rows;
}

bool is_decided(const FindingRow& row) { return is_answered(row.verdict); }
bool is_yes(const FindingRow& row) { return row.verdict == FindingVerdict::confirmed; }

// Nothing was measured that could answer it, for a reason that rounds do not mend: a case failed or was skipped, a value is
// missing. What noise leaves open has an interval, or lacks rounds.
bool is_unmeasured(const FindingRow& row) {
  return row.verdict == FindingVerdict::undecided && !row.why.empty() && !known(row.bounds) &&
         !row.more_rounds;
}

// No row could be judged; of a quick run none was even tried.
bool cannot_be_answered(const Finding& finding) {
  return finding.verdict == FindingVerdict::undecided && !finding.why.empty() &&
         std::all_of(finding.rows.begin(), finding.rows.end(), is_unmeasured);
}

bool is_open_row(const FindingRow& row) {
  return !is_decided(row) && row.verdict != FindingVerdict::not_comparable && !is_unmeasured(row);
}

// Rounds that should decide all rows that noise leaves open; 0 if that is not known.
std::uint64_t rounds_to_decide(const Finding& finding) {
  std::uint64_t most = 0;
  for (const FindingRow& row : finding.rows) {
    if (is_decided(row) || is_unmeasured(row)) continue;
    if (!row.more_rounds) return 0;
    most = std::max(most, *row.more_rounds);
  }
  return most;
}

// Rows were measured and none of them is open, but for others nothing was measured.
bool is_answered_in_part(const Finding& finding) {
  return finding.verdict == FindingVerdict::undecided && !cannot_be_answered(finding) &&
         (finding.left_out || std::any_of(finding.rows.begin(), finding.rows.end(), is_unmeasured)) &&
         std::none_of(finding.rows.begin(), finding.rows.end(), is_open_row);
}

// The reason of the rows that were not measured; "" where they have several.
std::string why_unmeasured(const Finding& finding) {
  std::string why;
  for (const FindingRow& row : finding.rows) {
    if (!is_unmeasured(row)) continue;
    if (!why.empty() && why != one_line(row.why)) return {};
    why = one_line(row.why);
  }
  return why;
}

// Each reason counts, and the first stands for them. A finding that some of its rows decide has none of its own: it counts
// rows.
std::string why_not_answered(const Finding& finding) {
  std::vector<std::string> reasons;
  for (const FindingRow& row : finding.rows)
    if (!row.why.empty()) add_once(reasons, one_line(row.why));
  const std::string own = one_line(finding.why);
  if (reasons.empty() || finding.decided_by.empty()) {
    std::erase(reasons, own);
    reasons.insert(reasons.begin(), own);
  }
  return reasons.size() == 1 ? reasons.front()
                             : reasons.front() + ", and " + count_of(reasons.size() - 1, "more reason");
}

// Why none of them can be answered; "" where some can, or for different reasons.
std::string common_reason(const std::vector<Finding>& findings) {
  if (findings.empty() || !std::all_of(findings.begin(), findings.end(), cannot_be_answered)) return {};
  const std::string why = why_not_answered(findings.front());
  const bool is_common = std::all_of(findings.begin(), findings.end(),
                                     [&](const Finding& one) { return why_not_answered(one) == why; });
  return is_common ? why : std::string();
}

// An estimate, since scatter is one.
std::string more_rounds(std::uint64_t rounds) {
  return "about " + count_of(rounds, "more round") + " should decide";
}

// "yes from 8192³ on; no at 4096³", where rows lie along one axis of numbers and the answer changes once.
std::string crossing(const Finding& finding, const std::vector<std::string>& names) {
  const std::vector<Texts> told = telling(finding);
  std::vector<std::pair<double, std::size_t>> along;
  std::string_view of;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (told[i].size() != 1 || told[i].front().first != told.front().front().first) return {};
    const std::string text = axis_text(told[i].front().second);
    const auto number = scaled(text);
    if (!number || (i > 0 && number->of != of)) return {};
    of = number->of;
    along.emplace_back(number->value, i);
  }
  std::sort(along.begin(), along.end());
  std::vector<std::size_t> changes;
  for (std::size_t i = 1; i < along.size(); ++i)
    if (is_yes(finding.rows[along[i].second]) != is_yes(finding.rows[along[i - 1].second]))
      changes.push_back(i);
  if (changes.size() != 1) return {};
  const std::size_t at = changes.front();
  const auto name = [&](std::size_t i) { return names[along[i].second]; };
  const bool ends_in_yes = is_yes(finding.rows[along.back().second]);
  const std::string low = at == 1 ? "at " + name(0) : "up to " + name(at - 1);
  const std::string high = at + 1 == along.size() ? "at " + name(at) : "from " + name(at) + " on";
  return ends_in_yes ? "yes " + high + "; no " + low : "yes " + low + "; no " + high;
}

// "yes at a, b; no at c", or how many where they are too many to name.
std::string listed(const Finding& finding, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  const auto add = [&](const char* word, const auto& belongs) {
    std::vector<std::string> own;
    std::size_t count = 0;
    for (std::size_t i = 0; i < finding.rows.size(); ++i) {
      if (!belongs(finding.rows[i])) continue;
      ++count;
      if (!names[i].empty()) own.push_back(names[i]);
    }
    if (count == 0) return;
    const bool named = own.size() == count && count <= kMostNames;
    parts.push_back(std::string(word) +
                    (named ? " at " + join(own, " and at ")
                           : " in " + std::to_string(count) + " of " + count_of(finding.rows.size(), "row")));
  };
  add("yes", [](const FindingRow& row) { return row.verdict == FindingVerdict::confirmed; });
  add("no", [](const FindingRow& row) { return row.verdict == FindingVerdict::refuted; });
  add("not comparable", [](const FindingRow& row) { return row.verdict == FindingVerdict::not_comparable; });
  add("undecided", is_open_row);
  if (const std::uint64_t rounds = rounds_to_decide(finding); rounds > 0)
    parts.back() += ", which " + more_rounds(rounds);
  add("not answered", is_unmeasured);
  if (const std::string why = why_unmeasured(finding); !why.empty()) parts.back() += ": " + why;
  return join(parts, "; ");
}

// The value of an axis in a row; none where the row has not that axis.
std::optional<std::string> value_on(const Texts& row, const std::string& axis) {
  const auto* const found = find_value(row, axis);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

// A row for each value of an axis, if all rows with that value have one verdict.
std::optional<Finding> by_axis(const Finding& finding, const std::vector<Texts>& told,
                               const std::string& axis) {
  Finding out;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const auto value = value_on(told[i], axis);
    if (!value) return std::nullopt;
    const FindingVerdict verdict = finding.rows[i].verdict;
    const auto known = std::find_if(out.rows.begin(), out.rows.end(),
                                    [&](const FindingRow& row) { return row.axes.front().second == *value; });
    if (known == out.rows.end()) {
      FindingRow& row = out.rows.emplace_back();
      row.axes = {{axis, *value}};
      row.verdict = verdict;
    } else if (known->verdict != verdict) {
      return std::nullopt;
    }
  }
  return out;
}

// "yes at ring; no at tree", whatever the size: of rows that differ in several axes, where one of them alone decides.
std::string by_one_axis(const Finding& finding) {
  const std::vector<Texts> told = telling(finding);
  if (told.empty() || told.front().size() < 2) return {};
  for (const auto& [axis, text] : told.front()) {
    const auto short_one = by_axis(finding, told, axis);
    if (!short_one || short_one->rows.size() > kMostNames) continue;
    const std::vector<std::string> names = row_names(*short_one);
    const std::string crossed = crossing(*short_one, names);
    return crossed.empty() ? listed(*short_one, names) : crossed;
  }
  return {};
}

// Under `for`, where some of the rows decided: "no, not in every row: no at 1GiB", "yes, at 1MiB", "yes, by the worst of 3
// rows: 1MiB".
std::string answer_of_deciding(const Finding& finding, const std::vector<std::string>& names) {
  const std::string word = finding.verdict == FindingVerdict::confirmed ? "yes" : "no";
  std::vector<std::string> own;
  for (std::size_t i = 0; i < finding.rows.size(); ++i)
    if (finding.rows[i].decides) own.push_back(names[i]);
  const std::string all = count_of(finding.rows.size(), "row");
  if (finding.decided_by == "worst") return word + ", by the worst of " + all + ": " + join(own, " and ");
  const std::string at = own.size() <= kMostNames ? "at " + join(own, " and at ")
                                                  : "in " + std::to_string(own.size()) + " of " + all;
  return finding.decided_by == "any" ? word + ", " + at : word + ", not in every row: " + word + " " + at;
}

// The row's interval stands beside what is asked, and the answer has the rounds that should decide it.
bool is_noise_alone(const Finding& finding) {
  return finding.verdict == FindingVerdict::undecided && finding.rows.size() == 1 &&
         known(finding.rows.front().bounds) && rounds_to_decide(finding) > 0;
}

bool rows_differ(const Finding& finding) {
  return std::any_of(finding.rows.begin(), finding.rows.end(),
                     [&](const FindingRow& row) { return row_word(row) != row_word(finding.rows.front()); });
}

// Of findings that all lack what would answer them, and why, if that is one reason.
std::string none_answered(const Document& document) {
  const std::size_t all = document.findings.size();
  const std::string why = why_nothing_is_answered(document);
  return (all == 1   ? std::string("The question cannot be answered")
          : all == 2 ? std::string("Neither question is answered")
                     : "None of the " + std::to_string(all) + " questions is answered") +
         (why.empty() ? "." : ": " + why + ".");
}

// Of one finding, whose question may ask for the opposite of what a reader takes from a suite's description.
std::string question_and_answer(const Finding& finding) {
  const std::string question = one_line(finding.question);
  const std::string answer = finding_answer(finding);
  const bool is_told =
      !answer.empty() && (is_answered(finding.verdict) || finding.verdict == FindingVerdict::mixed);
  return question + (question.ends_with('?') ? " " : ": ") +
         capitalised(is_told ? answer : finding_verdict(finding)) + ".";
}

std::string answer_of_rows(const Finding& finding) {
  const std::size_t count = finding.rows.size();
  const std::string all = count == 2  ? ", in both rows"
                          : count > 2 ? ", in all " + count_of(count, "row")
                                      : std::string();
  const bool answered = is_answered(finding.verdict);
  if (answered && std::any_of(finding.rows.begin(), finding.rows.end(),
                              [](const FindingRow& row) { return row.decides.has_value(); }))
    return answer_of_deciding(finding, row_names(finding));
  if (finding.verdict == FindingVerdict::confirmed) return "yes" + all;
  if (finding.verdict == FindingVerdict::refuted) return "no" + all;
  if (is_answered_in_part(finding) && !rows_differ(finding))
    return (is_yes(finding.rows.front()) ? "yes" : "no") + all;
  if (cannot_be_answered(finding)) return why_not_answered(finding);
  if (rows_differ(finding)) {
    const std::vector<std::string> names = row_names(finding);
    const bool decided = std::all_of(finding.rows.begin(), finding.rows.end(), is_decided);
    if (!decided) return listed(finding, names);
    for (const std::string& brief : {crossing(finding, names), by_one_axis(finding)})
      if (!brief.empty()) return brief;
    return listed(finding, names);
  }
  if (!is_open(finding.verdict)) return {};
  const std::uint64_t rounds = rounds_to_decide(finding);
  return rounds > 0 && !finding.rows.empty() ? more_rounds(rounds) + " it" : std::string();
}

}  // namespace

std::vector<std::string> row_names(const Finding& finding) {
  std::vector<std::string> names;
  for (const Texts& row : telling(finding)) {
    if (row.size() == 1) {
      const std::string value = axis_text(row.front().second);
      const auto number = scaled(value);
      const bool plain = number && number->of.empty() && !row.front().first.empty();
      names.push_back(plain ? one_line(row.front().first) + "=" + value : value);
      continue;
    }
    std::vector<std::string> parts;
    for (const auto& [axis, text] : row) parts.push_back(one_line(axis) + "=" + axis_text(text));
    names.push_back(join(parts, ", "));
  }
  return names;
}

std::string finding_answer(const Finding& finding) {
  std::string answer = answer_of_rows(finding);
  if (!is_answered_in_part(finding) || !finding.left_out) return answer;
  return answer + "; " + count_of(*finding.left_out, "more row") +
         (*finding.left_out == 1 ? " was" : " were") + " left out";
}

std::string finding_word(const Finding& finding) {
  if (cannot_be_answered(finding)) return "not answered";
  if (is_answered_in_part(finding)) return "not answered in full";
  return finding.verdict == FindingVerdict::other ? "undecided" : in_words(finding.verdict);
}

std::string row_word(const FindingRow& row) {
  return is_unmeasured(row) ? "not answered" : in_words(row.verdict);
}

std::string finding_verdict(const Finding& finding) {
  const std::string answer = finding_answer(finding);
  return finding_word(finding) + (answer.empty() ? "" : ": " + answer);
}

std::string finding_why(const Finding& finding) {
  const bool told = cannot_be_answered(finding) || is_noise_alone(finding) ||
                    (finding.left_out && is_answered_in_part(finding)) ||
                    (finding.decided_by.empty() && finding.rows.size() > 1 && rows_differ(finding));
  return told ? std::string() : finding.why;
}

std::string why_nothing_is_answered(const Document& document) {
  if (!nothing_was_measured(document)) return common_reason(document.findings);
  const bool none_complete = std::none_of(document.cases.begin(), document.cases.end(), [](const Case& one) {
    return one.outcome == Outcome::passed || one.outcome == Outcome::failed;
  });
  return document.verdict.outcome == RunOutcome::interrupted && none_complete ? "no case is complete"
                                                                              : "nothing was measured";
}

bool is_said_once(const Document& document) {
  return (document.findings.size() > 1 || nothing_was_measured(document)) &&
         !why_nothing_is_answered(document).empty() &&
         std::none_of(document.findings.begin(), document.findings.end(),
                      [&](const Finding& finding) { return assertion_failed(document, finding); });
}

std::string bottom_line(const Document& document) {
  if (document.findings.empty()) return {};
  if (std::all_of(document.findings.begin(), document.findings.end(), cannot_be_answered))
    return none_answered(document);
  if (document.findings.size() == 1 && !document.findings.front().question.empty())
    return question_and_answer(document.findings.front());
  std::size_t yes = 0, no = 0, part = 0, open = 0, apart = 0, unanswered = 0;
  std::uint64_t rounds = 0;
  bool rounds_known = true;
  for (const Finding& finding : document.findings) {
    if (finding.verdict == FindingVerdict::confirmed) {
      ++yes;
    } else if (finding.verdict == FindingVerdict::refuted) {
      ++no;
    } else if (finding.verdict == FindingVerdict::mixed) {
      ++part;
    } else if (finding.verdict == FindingVerdict::not_comparable) {
      ++apart;
    } else if (cannot_be_answered(finding) || is_answered_in_part(finding)) {
      ++unanswered;
    } else {
      ++open;
      const bool all_measured = std::none_of(finding.rows.begin(), finding.rows.end(), is_unmeasured);
      const std::uint64_t own = all_measured ? rounds_to_decide(finding) : 0;
      rounds_known = rounds_known && own > 0;
      rounds = std::max(rounds, own);
    }
  }
  const std::size_t all = document.findings.size();
  const auto verb = [](std::size_t count) { return count == 1 ? " is " : " are "; };
  std::string out;
  if (all == 1) {
    out = "The question is " + std::string(yes > 0          ? "answered yes"
                                           : no > 0         ? "answered no"
                                           : part > 0       ? "answered yes in part"
                                           : open > 0       ? "undecided"
                                           : unanswered > 0 ? "not answered in full"
                                                            : "not comparable");
  } else {
    std::vector<std::string> parts;
    const auto subject = [&](std::size_t count) {
      if (!parts.empty()) return std::to_string(count);
      if (count == all)
        return all == 2 ? std::string("Both questions") : "All " + std::to_string(all) + " questions";
      return std::to_string(count) + " of " + std::to_string(all) + " questions";
    };
    const auto answered = [&](std::size_t count, const char* word) {
      if (count == 0) return;
      const std::string verb_of_first = parts.empty() ? verb(count) + std::string("answered ") : " ";
      parts.push_back(subject(count) + verb_of_first + word);
    };
    answered(yes, "yes");
    answered(no, "no");
    answered(part, "yes in part");
    const auto other = [&](std::size_t count, const char* word) {
      if (count == 0) return;
      parts.push_back(subject(count) + verb(count) + word);
    };
    other(open, "undecided");
    other(unanswered, "not answered");
    other(apart, "not comparable");
    out = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) out += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  out += ".";
  if (open > 0 && rounds_known)
    out += " " + capitalised(more_rounds(rounds)) +
           (unanswered + apart > 0 ? " what is undecided."
            : open == 1            ? " it."
                                   : " them.");
  return out;
}

std::vector<std::string> what_to_do(const Document& document) {
  std::vector<std::string> out;
  for (const Finding& finding : document.findings) {
    if (finding.act.empty()) continue;
    std::string act = fill(finding.act, finding);
    add_once(out, std::move(act));
  }
  return out;
}

}  // namespace assay::reporters
