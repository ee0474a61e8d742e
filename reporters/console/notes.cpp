// SPDX-License-Identifier: Apache-2.0
#include "console/notes.hpp"

#include "lib/row_texts.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

std::string in_full(const NotePart& part) {
  return part.sign + (part.sign.empty() || part.words.empty() ? "" : " ") + part.words;
}

// "not judged" and "cuda:2" as "not judged cuda:2".
std::string words_of(std::vector<std::string> words) {
  std::erase(words, "");
  return join(words, " ");
}

bool is_same(const NotePart& a, const NotePart& b) { return a.sign == b.sign && a.words == b.words; }

std::string who(const Row& row) {
  const std::vector<const Case*> not_passed = row.not_passed();
  if (row.members.size() < 2) return {};
  if (not_passed.size() == row.members.size()) return "all " + std::to_string(row.members.size());
  if (not_passed.size() > 2)
    return std::to_string(not_passed.size()) + " of " + std::to_string(row.members.size());
  std::vector<std::string> labels;
  for (const Case* one : not_passed) labels.push_back(member_label(*one));
  return join(labels, " ");
}

std::string checks_text(const Row& row) {
  std::size_t count = 0, failed = 0;
  for (const Case* one : row.members) {
    count += one->checks.size();
    failed += static_cast<std::size_t>(std::count_if(one->checks.begin(), one->checks.end(),
                                                     [](const Check& check) { return !check.passed; }));
  }
  if (count == 0) return {};
  return failed > 0 ? std::to_string(failed) + " of " + count_of(count, "check") : count_of(count, "check");
}

// Why it failed where no limit was missed: "no peak", "not judged".
std::string not_judged(const Row& row) {
  std::string status;
  for (const Case* one : row.not_passed()) {
    for (const Expectation& expectation : one->expectations) {
      if (expectation.status == ExpectationStatus::failed) return {};
      if (expectation.status == ExpectationStatus::not_judged) status = "not judged";
      if (expectation.status != ExpectationStatus::no_reference) continue;
      const auto names = [&](const char* what) { return expectation.text.find(what) != std::string::npos; };
      status = names("of peak")                               ? "no peak"
               : names("of baseline") || names("within band") ? "no baseline"
               : names("of peers")                            ? "no peers"
                                                              : "no reference";
    }
  }
  return status;
}

bool has_value(const Row& row) {
  return std::any_of(row.members.begin(), row.members.end(),
                     [](const Case* one) { return one->has_values(); });
}

// ✓ is a verdict: that of its expectations, or of the checks that its plugin makes.
bool is_judged(const Row& row) {
  return std::any_of(row.members.begin(), row.members.end(),
                     [](const Case* one) { return !one->expectations.empty() || !one->checks.empty(); });
}

}  // namespace

Note::Note(std::vector<NotePart> all, Tone how) : parts(std::move(all)), tone(how) {
  std::vector<std::string> texts;
  for (const NotePart& part : parts) texts.push_back(in_full(part));
  text = join(texts, " ");
}

Note note_of(const Row& row) {
  const Outcome outcome = row.outcome();
  if (const std::string mixed = mixed_outcomes(row); !mixed.empty()) {
    if (outcome > Outcome::cancelled) return {{{"✗", mixed}}, Tone::bad};
    return {{{"–", mixed}}, Tone::warning};
  }
  const std::string checks = checks_text(row);
  switch (outcome) {
    case Outcome::passed: {
      std::vector<NotePart> parts;
      if (row.undecided())
        parts.push_back({"?", "undecided"});
      else if (row.no_limit_judged())
        parts.push_back({"–", kLimitsNotJudged});
      else if (is_judged(row))
        parts.push_back({"✓", ""});
      if (row.mark != nullptr) parts.push_back({std::string(row.mark->sign), std::string(row.mark->words)});
      if (!checks.empty()) parts.push_back({"", checks});
      const bool is_open = row.undecided() || row.no_limit_judged() || row.mark != nullptr;
      return {std::move(parts), is_open ? Tone::warning : Tone::good};
    }
    case Outcome::failed: {
      const std::string word = has_value(row) || !checks.empty() ? "" : "failed";
      return {{{"✗", words_of({word, not_judged(row), who(row), checks})}}, Tone::bad};
    }
    case Outcome::skipped:
    case Outcome::not_run:
    case Outcome::cancelled:
      return {{{"–", words_of({outcome_text(outcome), who(row)})}}, Tone::warning};
    default:
      return {{{"✗", words_of({outcome_text(outcome), who(row)})}}, Tone::bad};
  }
}

Note note_of(const Group& group) {
  if (group.outcome == Outcome::passed) return {{{"?", "undecided"}}, Tone::warning};
  const std::string status = group.status == ExpectationStatus::failed ? "" : in_words(group.status);
  if (group.outcome == Outcome::skipped || group.outcome == Outcome::not_run)
    return {{{"–", status}}, Tone::warning};
  return {{{"✗", status}}, Tone::bad};
}

void Legend::learn(const Note& note) {
  for (const NotePart& part : note.parts) {
    const bool is_known = std::any_of(parts_.begin(), parts_.end(),
                                      [&](const NotePart& known) { return is_same(known, part); });
    if (!part.sign.empty() && !is_known) parts_.push_back(part);
  }
}

std::string Legend::brief(const Note& note) const {
  std::string out;
  for (const NotePart& part : note.parts) out += sign_for(part);
  return out;
}

std::vector<std::string> Legend::meanings() const {
  std::vector<std::string> out;
  for (const NotePart& part : parts_)
    if (!part.words.empty()) out.push_back(sign_for(part) + " " + part.words);
  return out;
}

std::string Legend::sign_for(const NotePart& part) const {
  if (part.words.empty() || part.sign.empty()) return part.sign;
  std::size_t meanings = 0, own = 0, worded = 0;
  for (const NotePart& known : parts_) {
    if (known.sign != part.sign) continue;
    ++meanings;
    if (!known.words.empty()) ++worded;
    if (is_same(known, part)) own = worded;
  }
  return meanings > 1 ? part.sign + std::to_string(own) : part.sign;
}

std::optional<Outcome> all_unmeasured(const Block& block) {
  const Outcome outcome = block.rows.front().outcome();
  if (outcome != Outcome::skipped && outcome != Outcome::not_run && outcome != Outcome::cancelled)
    return std::nullopt;
  const auto same = [&](const Case* one) { return one->outcome == outcome; };
  const bool all = std::all_of(block.rows.begin(), block.rows.end(), [&](const Row& row) {
    return std::all_of(row.members.begin(), row.members.end(), same);
  });
  return all ? std::optional(outcome) : std::nullopt;
}

}  // namespace assay::reporters
