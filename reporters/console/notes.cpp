// SPDX-License-Identifier: Apache-2.0
#include "console/notes.hpp"

#include "lib/marks.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

std::string who(const Row& row) {
  const std::vector<const Case*> not_passed = row.not_passed();
  if (row.members.size() < 2) return {};
  if (not_passed.size() == row.members.size()) return " all " + std::to_string(row.members.size());
  if (not_passed.size() > 2)
    return " " + std::to_string(not_passed.size()) + " of " + std::to_string(row.members.size());
  std::string out;
  for (const Case* one : not_passed) out += " " + member_label(*one);
  return out;
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

// Why it failed where no limit was missed: " no peak", " not judged".
std::string not_judged(const Row& row) {
  std::string status;
  for (const Case* one : row.not_passed()) {
    for (const Expectation& expectation : one->expectations) {
      if (expectation.status == ExpectationStatus::failed) return {};
      if (expectation.status == ExpectationStatus::not_judged) status = " not judged";
      if (expectation.status != ExpectationStatus::no_reference) continue;
      const auto names = [&](const char* what) { return expectation.text.find(what) != std::string::npos; };
      status = names("of peak")                               ? " no peak"
               : names("of baseline") || names("within band") ? " no baseline"
               : names("of peers")                            ? " no peers"
                                                              : " no reference";
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

Note note_of(const Row& row) {
  const Outcome outcome = row.outcome();
  if (const std::string mixed = mixed_outcomes(row); !mixed.empty()) {
    return outcome > Outcome::cancelled ? Note{"✗ " + mixed, Tone::bad} : Note{"– " + mixed, Tone::warning};
  }
  const std::string checks = checks_text(row);
  const std::string after = checks.empty() ? "" : " " + checks;
  switch (outcome) {
    case Outcome::passed: {
      std::vector<std::string> words;
      if (row.undecided())
        words.emplace_back("? undecided");
      else if (is_judged(row))
        words.emplace_back("✓");
      if (row.mark != nullptr) words.push_back(mark_text(row.mark));
      if (!checks.empty()) words.push_back(checks);
      return {join(words, " "), row.undecided() || row.mark != nullptr ? Tone::warning : Tone::good, {}};
    }
    case Outcome::failed:
      return {(has_value(row) || !after.empty() ? "✗" : "✗ failed") + not_judged(row) + who(row) + after,
              Tone::bad};
    case Outcome::skipped:
    case Outcome::not_run:
    case Outcome::cancelled:
      return {"– " + outcome_text(outcome) + who(row), Tone::warning};
    default:
      return {"✗ " + outcome_text(outcome) + who(row), Tone::bad};
  }
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
