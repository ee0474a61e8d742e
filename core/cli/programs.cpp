// SPDX-License-Identifier: Apache-2.0
#include "cli/programs.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "cli/names.hpp"
#include "engine/surroundings.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

bool is_program_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown) && ::access(path.c_str(), X_OK) == 0;
}

// What a shell would take for more than one word.
bool is_line_of_shell(const std::string& word) {
  return word.find_first_of(" \t|&;<>$`") != std::string::npos;
}

// Of a word that names no file.
std::string hint_for_shell(const std::string& word) {
  if (!is_line_of_shell(word)) return "";
  return "; for a line with arguments or a pipe, write: -- sh -c " + shell_word(printable(word));
}

bool is_on_path(const std::string& word, std::string_view path) {
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), folder.size() + 1));
    if (is_program_file(fs::path(folder.empty() ? "." : folder) / word)) return true;
  }
  return false;
}

}  // namespace

std::string program_problem(const std::string& word, const std::string& path) {
  if (word.find('/') == std::string::npos) {
    if (path.empty() || is_on_path(word, path)) return "";  // without PATH the run knows where to look
    if (is_program_file(word))
      return "it is in no folder of PATH (did you mean './" + printable(word) + "'?)";
    const std::string hint = hint_for_shell(word);
    return "it is in no folder of PATH" + (hint.empty() ? "; install it, or give its whole path" : hint);
  }
  std::error_code unknown;
  if (is_program_file(word)) return "";
  if (fs::is_directory(word, unknown)) return "it is a folder";
  if (!fs::exists(word, unknown)) return "there is no such file" + hint_for_shell(word);
  return "it is not executable; chmod +x " + shell_word(printable(word)) + " makes it so";
}

void require_programs(const std::vector<Words>& commands, const std::vector<SettingText>& settings,
                      const engine::Surroundings& surroundings) {
  const bool has_other_path = std::any_of(settings.begin(), settings.end(),
                                          [](const SettingText& each) { return each.first == "env.PATH"; });
  for (const Words& command : commands) {
    const std::string& word = command.front();
    const bool is_on_some_path = has_other_path && word.find('/') == std::string::npos;
    if (is_on_some_path || word.find('{') != std::string::npos) continue;
    const std::string problem = program_problem(word, engine::variable(surroundings, "PATH"));
    if (!problem.empty())
      throw Error("command.program", "'" + printable(word) + "' cannot be run: " + problem);
  }
}

void refuse_program(const catalog::Catalog& catalog, const Words& words,
                    const engine::Surroundings& surroundings) {
  const std::string& name = words.front();
  const bool is_path = name.find('/') != std::string::npos;
  const std::string path = engine::variable(surroundings, "PATH");
  if (!is_path) {
    if (is_benchmark(catalog, name)) return;
    const std::string hint = suggestion(catalog::parse_reference(name).benchmark, catalog.benchmark_names());
    if (hint.starts_with("did you mean") || path.empty() || !is_on_path(name, path)) return;
  }
  std::string command;
  for (const std::string& word : words) command += " " + shell_word(printable(word));
  throw Error("usage.benchmark", "there is no benchmark '" + printable(name) +
                                     "'; a command stands behind '--': assay bench --" + command);
}

}  // namespace assay::cli
