// SPDX-License-Identifier: Apache-2.0
#include "cli/project.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/suggest.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 60;
constexpr const char* kCommon = "common";
constexpr std::string_view kSuffix = ".in";

// Targets that CMake makes itself, and the command's own name.
constexpr std::array<std::string_view, 13> kTaken = {
    "all",        "assay",          "clean",      "depend",
    "edit_cache", "help",           "install",    "list_install_components",
    "package",    "package_source", "preinstall", "rebuild_cache",
    "test"};

void check_name(const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw Error("usage.name", "a plugin cannot be called '" + printable(name) + "': " + why);
  };
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_allowed = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || !is_letter(name.front()) || !std::all_of(name.begin(), name.end(), is_allowed))
    refuse("names are lower-case letters, digits and '_', beginning with a letter, such as my_bench");
  if (name.size() > kLongestName) refuse("it has more than " + std::to_string(kLongestName) + " characters");
  if (contains(kTaken, name)) refuse("the build has a target of that name; '" + name + "_bench' would do");
  if (name == "external") refuse("suites mean commands by that; 'external_bench' would do");
}

// "my_bench" → "MyBench".
std::string in_camel_case(const std::string& name) {
  std::string result;
  bool upper = true;
  for (const char c : name) {
    if (c != '_') result += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = c == '_';
  }
  return result;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + word.size())) return true;
  }
  return false;
}

using Files = std::map<fs::path, std::string>;

// A class that is called as something which its own source uses hides it: Benchmark, About, Params.
std::string class_name(const std::string& name, const Files& templates) {
  std::string result = in_camel_case(name);
  const bool hides = std::any_of(templates.begin(), templates.end(),
                                 [&](const auto& file) { return has_word(file.second, result); });
  return hides ? result + "Benchmark" : result;
}

// What there is a choice of: the kinds in the folder of all templates, the languages in that of a kind.
std::vector<std::string> choices_in(const fs::path& folder) {
  std::vector<std::string> choices;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.is_directory() && entry.path().filename() != kCommon)
      choices.push_back(entry.path().filename());
  }
  std::sort(choices.begin(), choices.end());
  return choices;
}

void require_choice(const std::string& chosen, const std::vector<std::string>& choices, const char* code,
                    const std::string& what) {
  if (!contains(choices, chosen))
    throw Error(code, "there is no template for " + what + " (" + suggestion(chosen, choices) + ")");
}

class Replacements {
 public:
  Replacements(const Project& project, const Files& templates)
      : list_{{"@name@", project.name},
              {"@Name@", class_name(project.name, templates)},
              {"@NAME@", upper_case(project.name)},
              {"@sdk_version@", project.sdk_version}} {}

  [[nodiscard]] std::string in(std::string text) const {
    for (const auto& [word, value] : list_) {
      for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size()))
        text.replace(at, word.size(), value);
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

void add_files(const fs::path& root, Files& files) {
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), root)] = read_file(entry.path());
  }
}

}  // namespace

std::vector<fs::path> make_project(const fs::path& templates, const Project& project,
                                   const fs::path& folder) {
  check_name(project.name);
  const std::vector<std::string> kinds = choices_in(templates);
  if (kinds.empty()) {
    throw Error("templates.missing",
                "there are no templates in '" + printable(templates.string()) +
                    "'; install the SDK beside the program (cmake --install … --component sdk)");
  }
  require_choice(project.kind, kinds, "usage.kind", "a plugin of the kind '" + printable(project.kind) + "'");
  const fs::path of_kind = templates / project.kind;
  require_choice(project.language, choices_in(of_kind), "usage.language",
                 "a " + project.kind + " in '" + printable(project.language) + "'");
  const fs::path target = folder / project.name;
  std::error_code error;
  const bool is_there = fs::exists(fs::symlink_status(target, error));
  if (is_there && (!fs::is_directory(target, error) || !fs::is_empty(target, error))) {
    throw Error(
        "usage.folder",
        "'" + printable(target.lexically_normal().string()) +
            "' is there already and is not an empty folder; nothing was written. Choose another name");
  }
  // All texts first: what cannot be read leaves nothing behind.
  Files as_template, files;
  for (const fs::path& root : {templates / kCommon, of_kind / kCommon, of_kind / project.language}) {
    if (fs::is_directory(root, error)) add_files(root, as_template);
  }
  const Replacements replace(project, as_template);
  for (const auto& [name, text] : as_template) {
    std::string path = replace.in(name.string());
    if (path.ends_with(kSuffix)) path.resize(path.size() - kSuffix.size());
    files[path] = replace.in(text);
  }
  std::vector<fs::path> written;
  for (const auto& [path, text] : files) {
    fs::create_directories((target / path).parent_path(), error);
    if (error)
      throw Error("file.unwritable", "'" + printable((target / path).parent_path().string()) +
                                         "' cannot be created: " + error.message());
    write_file(target / path, text);
    written.push_back(path);
  }
  return written;
}

}  // namespace assay::cli
