// SPDX-License-Identifier: Apache-2.0
#include "cli/context.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>

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

int first_output_error = 0;

// Gives the error's number, or 0.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {  // somebody else made the terminal or pipe non-blocking
      pollfd room{descriptor, POLLOUT, 0};
      static_cast<void>(::poll(&room, 1, -1));
      continue;
    }
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

void add_folders(std::vector<fs::path>& folders, const std::string& list) {
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = list.find(':', begin);
    if (end == std::string::npos) end = list.size();
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

// $XDG_DATA_HOME or its default; relative values do not count (XDG base directory specification).
fs::path data_home(const Context& context) {
  fs::path named = context.variable("XDG_DATA_HOME");
  if (named.is_absolute()) return named;
  const fs::path home = context.variable("HOME");
  return home.is_absolute() ? home / ".local/share" : fs::path();
}

constexpr std::size_t kLargestAllowList = std::size_t{1} << 20;

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// Each word is a SHA-256, or a file whose lines begin with one: what sha256sum prints.
std::set<std::string> allowed_libraries(const std::vector<std::string>& words) {
  std::set<std::string> allowed;
  for (const std::string& word : words) {
    if (is_sha256(word)) {
      allowed.insert(lower_case(word));
      continue;
    }
    std::error_code error;
    if (!fs::exists(word, error)) {
      throw Error("usage.plugin-allow",
                  "--plugin-allow '" + printable(word) +
                      "' is neither a SHA-256 (64 hexadecimal digits) nor a file with a list of "
                      "them; 'sha256sum PLUGIN.so > FILE' writes one");
    }
    std::istringstream lines(read_file(word, kLargestAllowList));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.empty() || line.starts_with('#')) continue;
      const std::string hash = line.substr(0, line.find_first_of(" \t\r"));
      if (!is_sha256(hash)) {
        throw Error("usage.plugin-allow",
                    printable(word) + ":" + std::to_string(number) +
                        ": the line does not begin with a SHA-256 (64 hexadecimal digits)");
      }
      allowed.insert(lower_case(hash));
    }
  }
  return allowed;
}

// A folder that was named is there, or it is misspelt. Those of variables need not be.
void check_folders(const std::string& option, const std::vector<std::string>& folders) {
  std::error_code error;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder, error))
      throw Error("usage.folder",
                  option + " '" + printable(folder) + "' is no folder; name one that is there");
  }
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

catalog::SearchPath search_path(const Context& context, const PluginOptions& options) {
  catalog::SearchPath path;
  for (const std::string& file : options.plugins) path.files.emplace_back(file);
  for (const std::string& folder : options.plugin_folders) path.folders.emplace_back(folder);
  if (!context.privileged) {
    add_folders(path.folders, context.variable("ASSAY_PLUGIN_PATH"));
    if (const fs::path home = data_home(context); !home.empty())
      path.folders.push_back(home / "assay/plugins");
  }
  for (const fs::path& folder :
       {context.prefix / "lib/assay/plugins", fs::path("/usr/local/lib/assay/plugins"),
        fs::path("/usr/lib/assay/plugins")}) {
    if (std::find(path.folders.begin(), path.folders.end(), folder) == path.folders.end())
      path.folders.push_back(folder);
  }
  if (!options.allowed.empty()) path.allowed = allowed_libraries(options.allowed);
  return path;
}

catalog::Catalog load_catalog(const Context& context, const PluginOptions& options) {
  check_folders("--plugin-dir", options.plugin_folders);
  check_folders("--library-path", options.library_path);
  Diagnostics diagnostics;
  catalog::Catalog catalog =
      catalog::discover(search_path(context, options), context.prefix / "share/assay/contracts", diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    std::string text = printable(to_text(diagnostic));
    if (context.said->insert(text).second) print_error(text);
  }
  if (diagnostics.has_errors()) {
    throw Error("plugin.named", "a plugin that was named cannot be used; the lines above say why");
  }
  return catalog;
}

std::vector<std::string> library_path(const Context& context, const PluginOptions& options) {
  std::vector<fs::path> inherited;
  if (!context.privileged) add_folders(inherited, context.variable("LD_LIBRARY_PATH"));
  std::vector<std::string> folders = options.library_path;
  for (const fs::path& folder : inherited) folders.push_back(folder.string());
  catalog::LibraryEnvironment environment;
  if (!context.privileged) {
    environment.cuda_home = context.variable("CUDA_HOME");
    environment.home = context.variable("HOME");
    environment.virtual_env = context.variable("VIRTUAL_ENV");
  }
  for (std::string& folder : catalog::known_library_folders(environment))
    folders.push_back(std::move(folder));
  return folders;
}

std::vector<fs::path> suite_folders(const Context& context) {
  std::vector<fs::path> folders;
  if (!context.privileged) {
    add_folders(folders, context.variable("ASSAY_SUITE_PATH"));
    if (const fs::path home = data_home(context); !home.empty()) folders.push_back(home / "assay/suites");
  }
  folders.push_back(context.prefix / "share/assay/suites");
  return folders;
}

std::vector<std::string> suite_names(const Context& context) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const fs::path& folder : suite_folders(context)) {
    for (const auto& entry : fs::directory_iterator(folder, missing)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

fs::path find_suite(const Context& context, const std::string& name) {
  std::error_code error;
  if (fs::exists(name, error)) return name;
  const bool is_path = name.find('/') != std::string::npos;
  const std::string stem = name.ends_with(".yaml") ? name.substr(0, name.size() - 5) : name;
  if (!is_path) {
    for (const fs::path& folder : suite_folders(context)) {
      if (fs::exists(folder / (stem + ".yaml"), error)) return folder / (stem + ".yaml");
    }
  }
  // Of a path that is mistyped: what lies in its folder; of a file's name: what lies here.
  std::vector<std::string> files;
  const fs::path folder = fs::path(name).parent_path();
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (entry.path().extension() == ".yaml") files.push_back((folder / entry.path().filename()).string());
  }
  std::sort(files.begin(), files.end());
  const bool is_file = is_path || stem != name;
  std::vector<std::string> names;
  if (!is_path) names = suite_names(context);
  for (std::string& known : names) known += is_file ? ".yaml" : "";
  files.insert(files.begin(), names.begin(), names.end());
  const std::string near = nearest(name, files);
  if (near.empty() && !is_path) {
    throw Error("usage.suite", "there is neither a file nor a suite '" + printable(name) +
                                   "' (suites that come with assay: " + join(suite_names(context), ", ") +
                                   ")");
  }
  const std::string hint = near.empty() ? "" : "did you mean '" + near + "'?";
  throw Error("usage.suite", std::string("there is no ") + (is_file ? "file '" : "suite '") +
                                 printable(name) + "'" + (hint.empty() ? "" : " (" + printable(hint) + ")"));
}

std::string read_named_file(const std::string& path, std::size_t limit) {
  try {
    return read_file(path, limit);
  } catch (const Error& error) {
    throw Error("usage.file", error.what());
  }
}

void print(const Diagnostics& diagnostics, const std::map<std::string, std::string>& sources) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    const auto source = sources.find(diagnostic.position.file);
    text += printable(to_text(diagnostic, source == sources.end() ? std::string() : source->second));
  }
  print_error(text);
}

int print_out(std::string_view text) {
  const int code = write_all(STDOUT_FILENO, text);
  if (code == EPIPE) return 0;
  if (first_output_error == 0 && code != EBADF) first_output_error = code;
  return code;
}

int output_error() { return first_output_error; }

void print_error(std::string_view text) { static_cast<void>(write_all(STDERR_FILENO, text)); }

void settle_standard_streams() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    // For reading only: what is written there is still an error.
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", O_RDONLY));
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace assay::cli
