// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace assay::cli {

// What the command knows of its surroundings, read once in main. Nothing below reads the environment or asks
// the terminal.
struct Context {
  std::filesystem::path program;     // this executable
  std::filesystem::path prefix;      // bin/.. of it: the installed tree or the build tree
  std::vector<std::string> command;  // argv as given
  std::map<std::string, std::string> environment;
  bool privileged = false;  // set-user-ID or the like: paths from the environment do not count
  bool output_is_terminal = false;
  bool errors_are_terminal = false;
  int width = 100;  // columns of the terminal
  // What was said of plugins that are not used: a command that looks for plugins again does not repeat it.
  std::shared_ptr<std::set<std::string>> said = std::make_shared<std::set<std::string>>();
  // Where lines for people break; 0, never, where a pipe or file takes them.
  [[nodiscard]] int line_width() const { return output_is_terminal ? width : 0; }

  // The variable's value, or "" if it is unset.
  [[nodiscard]] std::string variable(const std::string& name) const;
  // The folders that a variable lists, and $XDG_DATA_HOME or its default, where relative values do not count
  // (XDG base directory specification). Nothing if the command is privileged.
  [[nodiscard]] std::vector<std::filesystem::path> folders(const std::string& variable_name) const;
  [[nodiscard]] std::filesystem::path data_home() const;
  [[nodiscard]] bool color() const;
};
[[nodiscard]] Context make_context(int argc, char** argv);

// The text of a file that the user named. Throws Error "usage.file" if it cannot be read or has more bytes.
[[nodiscard]] std::string read_named_file(const std::string& path, std::size_t limit);

// Exit codes that are decided before anything runs.
inline constexpr int kUsage = 2;
inline constexpr int kInvalidSuite = 3;
inline constexpr int kNoPlugin = 4;
// And afterwards.
inline constexpr int kNoReport = 7;

}  // namespace assay::cli
