// SPDX-License-Identifier: Apache-2.0
#include "cli/context.hpp"

#include "base/error.hpp"
#include "base/file.hpp"

#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

extern char** environ;

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

int terminal_width(const std::map<std::string, std::string>& environment) {
  const auto columns = environment.find("COLUMNS");
  if (columns != environment.end()) {
    int value = 0;
    const std::string& text = columns->second;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() && value >= 40)
      return value;
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return 120;
}

}  // namespace

std::string Context::variable(const std::string& name) const {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

bool Context::color() const {
  if (!variable("NO_COLOR").empty() || variable("TERM") == "dumb") return false;
  return output_is_terminal || !variable("FORCE_COLOR").empty();
}

std::vector<fs::path> Context::folders(const std::string& variable_name) const {
  std::vector<fs::path> folders;
  if (privileged) return folders;
  const std::string list = variable(variable_name);
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = list.find(':', begin);
    if (end == std::string::npos) end = list.size();
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

fs::path Context::data_home() const {
  if (privileged) return {};
  fs::path named = variable("XDG_DATA_HOME");
  if (named.is_absolute()) return named;
  const fs::path home = variable("HOME");
  return home.is_absolute() ? home / ".local/share" : fs::path();
}

Context make_context(int argc, char** argv) {
  Context context;
  std::error_code error;
  context.program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error("program.unknown", "this program's own path is not known: /proc is not mounted");
  context.prefix = context.program.parent_path().parent_path();
  context.command.assign(argv, argv + argc);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* equals = std::strchr(*entry, '=');
    if (equals != nullptr)
      context.environment[std::string(static_cast<const char*>(*entry), equals)] = equals + 1;
  }
  context.privileged = ::getauxval(AT_SECURE) != 0;
  context.output_is_terminal = ::isatty(STDOUT_FILENO) != 0;
  context.errors_are_terminal = ::isatty(STDERR_FILENO) != 0;
  context.width = terminal_width(context.environment);
  return context;
}

std::string read_named_file(const std::string& path, std::size_t limit) {
  try {
    return read_file(path, limit);
  } catch (const Error& error) {
    throw Error("usage.file", error.what());
  }
}

}  // namespace assay::cli
