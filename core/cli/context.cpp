// SPDX-License-Identifier: Apache-2.0
#include "cli/context.hpp"

#include "base/error.hpp"
#include "cli/output.hpp"

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

bool Context::color() const {
  if (!variable(*this, "NO_COLOR").empty() || variable(*this, "TERM") == "dumb") return false;
  return output_is_terminal || !variable(*this, "FORCE_COLOR").empty();
}

Context make_context(int argc, char** argv) {
  Context context;
  std::error_code error;
  context.program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error("program.unknown", "this program's own path is not known: /proc is not mounted");
  context.command.assign(argv, argv + argc);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* equals = std::strchr(*entry, '=');
    if (equals != nullptr)
      context.environment[std::string(static_cast<const char*>(*entry), equals)] = equals + 1;
  }
  context.privileged = ::getauxval(AT_SECURE) != 0;
  context.output_is_terminal = ::isatty(STDOUT_FILENO) != 0;
  context.errors_are_terminal = ::isatty(STDERR_FILENO) != 0;
  context.tell = print_error;
  context.width = terminal_width(context.environment);
  return context;
}

}  // namespace assay::cli
