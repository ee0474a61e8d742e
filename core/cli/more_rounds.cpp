// SPDX-License-Identifier: Apache-2.0
#include "cli/more_rounds.hpp"

#include "model/document.hpp"
#include "result/run_options.hpp"
#include "text/lookup.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <functional>

namespace assay::cli {
namespace {

using Words = std::vector<std::string>;

// A command in its parts: its own words, and from the first "--" on those of the user's programs.
struct CommandParts {
  Words own, commands;
};

// Without the options of these names, each of which has a value, and without words for which `is_left_out` holds.
CommandParts parts_without(const Words& command, const Words& options,
                           const std::function<bool(const std::string&)>& is_left_out) {
  CommandParts parts;
  const auto separator = std::find(command.begin(), command.end(), "--");
  parts.commands.assign(separator, command.end());
  for (auto word = command.begin() + 1; word < separator; ++word) {
    const std::string name = word->substr(0, word->find('='));
    if (contains(options, name)) {
      if (name == *word) ++word;
      continue;
    }
    const bool is_setting = *word == "--set" && word + 1 != separator;
    if (is_left_out(is_setting ? *(word + 1) : *word)) {
      if (is_setting) ++word;
      continue;
    }
    parts.own.push_back(*word);
  }
  return parts;
}

std::string line_of(const CommandParts& parts) {
  std::string line = "assay";
  for (const Words* words : {&parts.own, &parts.commands})
    for (const std::string& word : *words) line += " " + shell_word(printable(word));
  return line;
}

}  // namespace

RoundsOfCases rounds_to_decide(const std::string& result) {
  const model::Document document = model::read_document(result);
  std::uint64_t more = 0;
  for (const model::Finding& finding : document.findings)
    for (const model::FindingRow& row : finding.rows)
      if (is_open(row.verdict)) more = std::max<std::uint64_t>(more, row.more_rounds.value_or(0));
  RoundsOfCases rounds;
  if (more == 0 || document.run.rounds + more > result::kMostRoundsOfACase) return rounds;
  for (const model::Case& one : document.cases) rounds[one.id] = document.run.rounds + more;
  return rounds;
}

RoundsOfCases rounds_to_decide(const model::Comparison& pairs) {
  RoundsOfCases rounds;
  for (const model::ComparedRow& row : pairs.rows) {
    const std::uint64_t more = is_open(row.verdict) ? row.more_rounds.value_or(0) : 0;
    if (more == 0 || row.before_rounds + more > result::kMostRoundsOfACase) continue;
    std::uint64_t& of_case = rounds[row.id.substr(0, row.id.find('['))];
    of_case = std::max(of_case, row.before_rounds + more);
  }
  return rounds;
}

std::string command_with_rounds(const Words& command, const RoundsOfCases& rounds) {
  if (rounds.empty() || command.size() < 3) return {};
  const std::uint64_t most =
      std::max_element(rounds.begin(), rounds.end(), [](const auto& left, const auto& right) {
        return left.second < right.second;
      })->second;
  const bool is_bench = command[1] == "bench";
  bool as_setting = false;  // a key of the case takes precedence of --runs
  CommandParts parts =
      parts_without(command, {"-o", "--output", "--runs", "--resume"}, [&](const std::string& word) {
        if (is_bench && word.starts_with("processes=")) return as_setting = true;
        return std::any_of(rounds.begin(), rounds.end(), [&](const auto& each) {
          return word.starts_with(each.first + ".processes=") ||
                 word.starts_with("--set=" + each.first + ".processes=");
        });
      });
  if (is_bench) {
    const Words runs = {"--runs", std::to_string(most)};
    if (as_setting || parts.commands.empty())
      parts.own.push_back("processes=" + std::to_string(most));
    else
      parts.own.insert(parts.own.begin() + 1, runs.begin(), runs.end());
    return line_of(parts);
  }
  for (const auto& [id, count] : rounds) {
    parts.own.emplace_back("--set");
    parts.own.push_back(id + ".processes=" + std::to_string(count));
  }
  return line_of(parts);
}

std::string command_that_resumes(const Words& command, const std::filesystem::path& folder) {
  if (command.size() < 3 || command[1] != "run") return {};
  CommandParts parts =
      parts_without(command, {"-o", "--output", "--resume"}, [](const std::string&) { return false; });
  parts.own.emplace_back("--resume");
  parts.own.push_back(folder.string());
  return line_of(parts);
}

}  // namespace assay::cli
