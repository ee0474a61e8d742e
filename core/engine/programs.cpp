// SPDX-License-Identifier: Apache-2.0
#include "engine/programs.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::engine {
namespace {

namespace fs = std::filesystem;

// Data that a command is given may change with each run; a script is a program behind its interpreter.
bool is_script(const fs::path& path) {
  constexpr std::array<std::string_view, 9> kEndings = {".py",  ".sh", ".bash", ".pl", ".rb",
                                                        ".lua", ".js", ".jl",   ".R"};
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  if (contains(kEndings, path.extension().string())) return true;
  std::array<char, 2> begin{};
  return std::ifstream(path, std::ios::binary).read(begin.data(), begin.size()) && begin[0] == '#' &&
         begin[1] == '!';
}

// As a shell would find it.
fs::path program_of(const std::string& word, const fs::path& folder, const std::string& search_path) {
  std::error_code error;
  if (word.find('/') != std::string::npos) return folder / word;
  for (const std::string& one : split(search_path, ':'))
    if (fs::is_regular_file(fs::path(one) / word, error)) return fs::path(one) / word;
  return {};
}

}  // namespace

Json programs_of(const suite::Suite& suite, const plan::Plan& plan, const Surroundings& surroundings) {
  Json programs;
  std::map<fs::path, std::string> sums;
  const auto sum_of = [&](const fs::path& path) -> const std::string& {
    std::string& sum = sums[path];
    if (!sum.empty()) return sum;
    try {
      sum = path.empty() ? "not found" : sha256_of_file(path);
    } catch (const Error&) {
      sum = "not readable";
    }
    return sum;
  };
  for (const plan::PlannedCase& planned : plan.cases) {
    const std::vector<std::string> words = plan::command_of(planned);
    if (words.empty()) continue;
    const fs::path folder = plan::folder_of_command(planned);
    std::string search_path = variable(surroundings, "PATH");
    for (const auto& [name, value] : planned.environment)
      if (name == "PATH") search_path = value.value_or("");
    const std::string& id = suite.cases[planned.suite_case].id.value;
    const auto add = [&](const std::string& word, const fs::path& path) {
      programs["'" + printable(word) + "' of case '" + id + "'"] = sum_of(path);
    };
    add(words.front(), program_of(words.front(), folder, search_path));
    for (std::size_t i = 1; i < words.size(); ++i)
      if (is_script(folder / words[i])) add(words[i], folder / words[i]);
  }
  return programs;
}

}  // namespace assay::engine
