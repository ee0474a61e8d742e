// SPDX-License-Identifier: Apache-2.0
#include "judge/reproduce.hpp"

#include "model/variants.hpp"
#include "text/lookup.hpp"
#include "text/quote.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace assay::judge {
namespace {

constexpr std::array<std::string_view, 8> kDroppedWithValue = {"--filter", "--only", "--report", "-o",
                                                               "--output", "--seed", "--failed", "--resume"};
constexpr std::array<std::string_view, 3> kDropped = {"-q", "--quiet", "--strict"};

// The words of the run's own command that choose what and how to measure.
std::vector<std::string> kept_words(const std::vector<std::string>& command) {
  std::vector<std::string> kept = {"assay", command[1]};
  for (std::size_t i = 2; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (contains(kDropped, word)) continue;
    const std::string option = word.substr(0, word.find('='));
    if (contains(kDroppedWithValue, option)) {
      if (option == word) ++i;
      continue;
    }
    kept.push_back(word);
  }
  return kept;
}

// Pairs are measured both or not at all.
std::string without_variant(std::string id) {
  for (const char* const name : {"before", "after"}) id = model::id_without(id, model::kVariantAxis, name);
  return id;
}

// Behind the first "--" stand commands of the user's own, whose words are none of ours.
std::vector<std::string>::const_iterator own_commands(const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), "--");
}

}  // namespace

std::string exactly(const std::string& text, const std::string& or_else) {
  static constexpr std::string_view kSpecial = "\\^$.|?*+()[]{}";
  const auto escaped = [](const std::string& one) {
    std::string pattern;
    for (const char c : one) {
      if (kSpecial.find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
    return pattern;
  };
  return or_else.empty() ? "^" + escaped(text) + "$" : "^(" + escaped(text) + "|" + escaped(or_else) + ")$";
}

std::string reproduce_command(const result::JournalHeader& header, const std::string& case_id,
                              std::uint64_t seed, const std::string& reference) {
  std::vector<std::string> words;
  const auto commands = own_commands(header.command);
  if (header.command.size() > 2 && (header.command[1] == "run" || header.command[1] == "bench")) {
    words = kept_words({header.command.begin(), commands});
  } else {
    words = {"assay", "run", header.suite_file};
    for (const std::string& assignment : header.overrides) {
      words.emplace_back("--set");
      words.push_back(assignment);
    }
  }
  const bool has_pairs = contains(words, "--pairs");
  const std::string filter = has_pairs ? exactly(without_variant(case_id)) : exactly(case_id, reference);
  words.insert(words.end(), {"--filter", filter, "--seed", std::to_string(seed)});
  words.insert(words.end(), commands, header.command.end());
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

}  // namespace assay::judge
