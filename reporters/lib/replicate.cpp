// SPDX-License-Identifier: Apache-2.0
#include "lib/replicate.hpp"

#include "lib/text.hpp"
#include "text/lookup.hpp"
#include "text/quote.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace assay::reporters {
namespace {

using std::filesystem::path;

// Where results went, and what was shown of them, is of the machine that ran.
constexpr std::array<std::string_view, 3> kLeftOutWithValue = {"-o", "--output", "--report"};
constexpr std::array<std::string_view, 2> kLeftOut = {"-q", "--quiet"};

bool is_the_suite(const std::string& word, const Run& run) {
  return word == run.suite || word == run.suite_file ||
         path(word).filename() == path(run.suite_file).filename();
}

// What chose what and how to measure, without the folders of the program.
std::vector<std::string> kept_words(const std::vector<std::string>& command) {
  std::vector<std::string> kept = {path(command.front()).filename().string()};
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string option = command[i].substr(0, command[i].find('='));
    if (contains(kLeftOut, command[i])) continue;
    if (contains(kLeftOutWithValue, option)) {
      const bool is_apart = option == command[i];
      const std::string value = !is_apart                ? command[i].substr(option.size() + 1)
                                : i + 1 < command.size() ? command[i + 1]
                                                         : "";
      if (is_apart) ++i;
      // A run records timelines only if this report is asked for.
      if (option == "--report" && value.starts_with("trace")) kept.insert(kept.end(), {"--report", "trace"});
      continue;
    }
    kept.push_back(command[i]);
  }
  return kept;
}

// As the suite names it: relative to the suite's folder.
std::string name_beside(const std::string& file, const std::string& suite_file) {
  const path relative = path(file).lexically_relative(path(suite_file).parent_path());
  return relative.empty() ? path(file).filename().string() : relative.string();
}

}  // namespace

Replication replication(const Document& document) {
  const Run& run = document.run;
  if (run.command.empty()) return {};
  Replication out;
  // Behind the first "--" stand commands of the user's own, whose words are none of ours.
  const auto commands = std::find(run.command.begin(), run.command.end(), "--");
  std::vector<std::string> words = kept_words({run.command.begin(), commands});
  const bool names_suite = words.size() > 1 && words[1] == "run";  // 'bench' has none
  if (!run.suite_text.empty()) {
    const std::string name = run.suite_file.empty() ? run.suite : path(run.suite_file).filename().string();
    out.files.emplace_back(name, run.suite_text);
    for (const model::IncludedFile& include : run.suite_includes)
      out.files.emplace_back(name_beside(include.file, run.suite_file), include.text);
    const auto is_suite = [&](const std::string& word) { return is_the_suite(word, run); };
    // Twice: the name of something else, too, and nobody knows of what.
    out.runs_files = names_suite && !run.suite_file.empty() &&
                     std::count_if(words.begin() + 1, words.end(), is_suite) == 1;
    if (out.runs_files) *std::find_if(words.begin() + 1, words.end(), is_suite) = name;
  }
  const bool has_seed = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--seed" || word.starts_with("--seed=");
  });
  if (!has_seed && run.seed) words.insert(words.end(), {"--seed", std::to_string(*run.seed)});
  words.insert(words.end(), commands, run.command.end());
  std::transform(words.begin(), words.end(), words.begin(),
                 [](const std::string& word) { return shell_word(word); });
  out.command = join(words, " ");
  return out;
}

std::string kept_samples(const Document& document) {
  const auto thinned = static_cast<std::size_t>(
      std::count_if(document.cases.begin(), document.cases.end(),
                    [](const Case& one) { return one.samples && one.samples->thinned; }));
  if (thinned == 0) return "all samples";
  return "the samples (of " + std::to_string(thinned) + " of " + count_of(document.cases.size(), "case") +
         " a share, evenly chosen; journal.jsonl has all)";
}

}  // namespace assay::reporters
