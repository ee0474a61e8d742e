// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.hpp"
#include "catalog/catalog.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
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
  [[nodiscard]] bool color() const;
};
[[nodiscard]] Context make_context(int argc, char** argv);

// Options that every command which needs plugins takes.
struct PluginOptions {
  std::vector<std::string> plugins;         // --plugin
  std::vector<std::string> plugin_folders;  // --plugin-dir
  std::vector<std::string> library_path;    // --library-path
  std::vector<std::string> allowed;         // --plugin-allow: SHA-256, or files as sha256sum writes them
};

// Finds and reads the manifests; throws Error "plugin.named" (exit 4) if a plugin that the user named is
// none. Warnings about others go to standard error, each once.
[[nodiscard]] catalog::Catalog load_catalog(const Context& context, const PluginOptions& options);
// Throws Error "usage.plugin-allow" for what is neither a SHA-256 nor a list of them.
[[nodiscard]] catalog::SearchPath search_path(const Context& context, const PluginOptions& options);

// Where libraries that plugins need are sought before the system's own places: --library-path,
// LD_LIBRARY_PATH, toolkits, Python's packages.
[[nodiscard]] std::vector<std::string> library_path(const Context& context, const PluginOptions& options);

// Folders in which suites are found by name, first wins.
[[nodiscard]] std::vector<std::filesystem::path> suite_folders(const Context& context);
// Their names, sorted.
[[nodiscard]] std::vector<std::string> suite_names(const Context& context);
// "quick", "suites/quick.yaml" → a file. Throws Error "usage.suite" with a suggestion.
[[nodiscard]] std::filesystem::path find_suite(const Context& context, const std::string& name);

// The text of a file that the user named. Throws Error "usage.file" if it cannot be read or has more bytes.
[[nodiscard]] std::string read_named_file(const std::string& path, std::size_t limit);

// Prints every diagnostic with the line it is about. `sources` maps a file's name to its text.
void print(const Diagnostics& diagnostics, const std::map<std::string, std::string>& sources);

// Prints to standard output. Gives the error's number, or 0; a reader that has gone is no error.
int print_out(std::string_view text);
// The first error that print_out met, or 0: what was lost must not look like success. Closed output is none.
[[nodiscard]] int output_error();
void print_error(std::string_view text);

// To be called before a file is opened: a standard stream that is closed is opened on nothing, so that no
// file gets its number and the text that was meant for people. And a closed pipe or a limit on the size of
// files is noticed when writing, not by dying.
void settle_standard_streams();

// Exit codes that are decided before anything runs.
inline constexpr int kUsage = 2;
inline constexpr int kInvalidSuite = 3;
inline constexpr int kNoPlugin = 4;
// And afterwards.
inline constexpr int kNoReport = 7;

}  // namespace assay::cli
