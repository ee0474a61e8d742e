// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "check/check_process.hpp"
#include "cli/command.hpp"
#include "cli/command_suite.hpp"
#include "cli/output.hpp"
#include "cli/setting_words.hpp"
#include "engine/plugin_search.hpp"
#include "engine/recorded_environment.hpp"
#include "engine/version.hpp"
#include "result/exit_code.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"
#include "wire/channel.hpp"
#include "worker/worker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <memory>
#include <sstream>
#include <system_error>

namespace assay::cli {
namespace {

// Usage and examples first: that is what somebody who asks for help is looking for.
class ExamplesFirst : public CLI::Formatter {
 public:
  // Lines longer than `width` columns are broken; 0 breaks none.
  explicit ExamplesFirst(int width) : width_(width) { column_width(kNames); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    std::string text = make_description(app) + "\n";
    if (!app->get_footer().empty()) text += "Examples:\n" + app->get_footer() + "\n";
    text += make_usage(app, whole_name(app, std::move(name)));
    text += make_positionals(app);
    text += make_groups(app, mode);
    text += make_subcommands(app, mode);
    if (app->get_parent() == nullptr) text += variables() + exit_codes() + documentation();
    return narrowed(text);
  }

  // "PATTERN", "N=1", "FILE ...": written here because versions of CLI11 write it differently.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    std::string text = " " + option->get_type_name();
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    return option->get_required() ? text + " REQUIRED" : text;
  }

 private:
  static constexpr std::size_t kNames = 34;  // columns of an option's name; what it means stands beside it
  static constexpr int kNarrowest = 24;      // a column that is narrower is not worth breaking lines for

  // Breaks long lines; what stands beside a name or an example goes on under itself.
  [[nodiscard]] std::string narrowed(const std::string& text) const {
    std::string narrow, line;
    for (std::istringstream lines(text); std::getline(lines, line);) {
      if (line.empty() && narrow.ends_with("\n\n")) continue;  // between two groups of options
      const std::size_t begin = line.find_first_not_of(' ');
      const std::size_t gap = begin == std::string::npos ? begin : line.find("  ", begin);
      const bool is_alone =
          gap == std::string::npos && begin > 0 && begin < kNames;  // an example, or nothing
      const std::size_t column =
          std::min(gap == std::string::npos ? begin : line.find_first_not_of(' ', gap), line.size());
      const int room = width_ - static_cast<int>(column);
      if (is_alone || room < kNarrowest) {
        narrow += line + "\n";
        continue;
      }
      std::string left = line.substr(0, column);
      for (const std::string& part : wrap(line.substr(column), static_cast<std::size_t>(room))) {
        narrow.append(left).append(part).append("\n");
        left.assign(column, ' ');
      }
    }
    return narrow;
  }

  static std::string whole_name(const CLI::App* app, std::string name) {
    for (app = app->get_parent(); app != nullptr; app = app->get_parent())
      name.insert(0, app->get_name() + " ");
    return name;
  }

  static std::string variables() {
    return "\nEnvironment variables:\n"
           "  ASSAY_SUITE_PATH                folders to look for suites in, before those that come with assay\n"
           "  ASSAY_PLUGIN_PATH               folders to look for plugins in, likewise\n"
           "  ASSAY_LOCK_FOLDER               where runs lock the devices that they use\n"
           "  NO_COLOR, FORCE_COLOR           no colours; colours also where the output is not a terminal\n"
           "  COLUMNS                         the width of tables\n";
  }

  static std::string exit_codes() {
    std::string text = "\nExit codes:\n";
    for (const result::ExitCodeRow& row : result::exit_code_table()) {
      std::string code = std::to_string(row.code);
      code.resize(5, ' ');
      text += "  " + code + std::string(row.meaning) + "\n";
    }
    return text;
  }

  static std::string documentation() {
    return "\nDocumentation:\n"
           "  docs/README.md                  in the repository, and below share/doc/assay in an archive\n";
  }

  int width_;
};

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "help run" is "run --help", "version" is "--version".
void rewrite_help(std::vector<std::string>& words) {
  if (words.empty()) return;
  if (words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  } else if (words.size() == 1 && words.front() == "version") {
    words.front() = "--version";
  }
}

// The command that the arguments reached before they went wrong.
const CLI::App& reached(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : reached(*chosen.front());
}

// "SHELL" of "SHELL:{bash,zsh}", "SUITE" of "SUITE...".
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find_first_of(":."));
}

std::string shown(const CLI::Option& option) {
  return option.get_positional() ? value_name(option) : option.get_name();
}

// "isolation: x not in {a,b}", which is CLI11's, and "processes: it is a whole number from 1 to 9", which is
// ours.
std::string refused(const CLI::Option& option, const std::string& text) {
  const std::string value = option.results().empty() ? "" : option.results().back();
  const std::string start = shown(option) + " cannot be '" + printable(value) + "'";
  constexpr std::string_view kOneOf = " not in {", kNumber = ": it is a whole number ";
  if (const std::size_t at = text.rfind(kOneOf); at != std::string::npos && text.ends_with("}")) {
    const std::string allowed = text.substr(at + kOneOf.size(), text.size() - at - kOneOf.size() - 1);
    return start + " (" + suggestion(value, split(allowed, ',')) + ")";
  }
  if (const std::size_t at = text.rfind(kNumber); at != std::string::npos)
    return start + " (" + text.substr(at + 2) + ")";
  return text;
}

// What CLI11 says of an argument that is missing, too much or refused, in our words; else its own.
std::string in_plain_words(const CLI::App& at, const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    for (const CLI::Option* option : at.get_options()) {
      if (option->get_required() && option->count() == 0)
        return shown(*option) + " is missing: " + option->get_description();
    }
    return "a command is missing (one of: " + join(subcommand_names(at), ", ") + ")";
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = at.remaining();
    return extras.empty() ? text : "'" + printable(extras.front()) + "' is one argument too many";
  }
  const std::string name = text.substr(0, text.find(':'));
  const CLI::Option* option = at.get_option_no_throw(name);
  if (option == nullptr) return text;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::size_t count = option->results().size();
    if (option->get_items_expected_min() > 1)
      return shown(*option) + " needs " + std::to_string(option->get_items_expected_min()) +
             " values: " + value_name(*option);
    return count > 1 ? shown(*option) + " is there " + std::to_string(count) + " times and takes one value"
                     : shown(*option) + " needs a value: " + value_name(*option);
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return refused(*option, text);
  return text;
}

// "write samples=3" for a key of a case that is written as an option, "did you mean '--setup'?" for what another tool
// calls so; "" for others. `next` is the word behind it, "" if there is none.
std::string hint_for_bench(const std::string& option, const std::string& next) {
  if (option == "--prepare")
    return "did you mean '--setup'? it runs once before the executions of each command";
  if (option == "--conclude") return "did you mean '--cleanup'?";
  const std::string key = option.substr(2, option.find('=') - 2);
  const std::vector<std::string> keys = setting_keys();
  if (!contains(keys, key)) return "";
  const std::size_t equals = option.find('=');
  const std::string value = equals != std::string::npos                     ? option.substr(equals + 1)
                            : next.empty() || next.find_first_of("-=") == 0 ? "VALUE"
                                                                            : next;
  return "write " + key + "=" + printable(value);
}

// What CLI11 found wrong, with a suggestion where a word is misspelt.
std::string explain(const CLI::App& program, const CLI::ParseError& error,
                    const std::vector<std::string>& words) {
  const CLI::App& at = reached(program);
  std::string text = in_plain_words(at, error);
  std::string hint;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::vector<std::string> options = option_names(at), commands = subcommand_names(at);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string name = word.substr(0, word.find('='));
      const bool is_option = word.starts_with("--");
      const auto& known = is_option ? options : commands;
      if ((!is_option && (commands.empty() || word.starts_with('-'))) || contains(known, name) ||
          name == at.get_name()) {
        continue;
      }
      text = (is_option ? "unknown option '" : "unknown command '") + printable(name) + "'";
      if (is_option && at.get_name() == "bench")
        hint = hint_for_bench(word, i + 1 < words.size() ? words[i + 1] : "");
      if (hint.empty()) hint = suggestion(name, known);
      break;
    }
  }
  std::string path = "assay";
  for (const CLI::App* app = &at; app->get_parent() != nullptr; app = app->get_parent())
    path.insert(5, " " + app->get_name());
  return "assay: " + text + (hint.empty() ? "" : " (" + hint + ")") + "\n" + "'" + path +
         " --help' shows how it is used\n";
}

int code_of(const Error& error) {
  const std::string& code = error.code();
  if (code.starts_with("usage.") || code == "baseline.refused") return kUsage;
  if (code == "plugin.named") return kNoPlugin;
  if (code == "journal.unwritable") return 5;
  if (code.starts_with("suite.") || code.starts_with("journal.") || code.starts_with("result.") ||
      code.starts_with("inventory.") || code.starts_with("baseline.")) {
    return kInvalidSuite;
  }
  return 5;
}

// The hidden subcommand: the controller has put the socket and, for one that measures, the segment in their
// places.
int serve() {
  // A plugin's output shall not be lost with the process that dies: lines leave at once.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  worker::WorkerOptions options;
  options.socket = wire::kWorkerDescriptor;
  options.segment = ::fcntl(wire::kSegmentDescriptor, F_GETFD) == -1 ? -1 : wire::kSegmentDescriptor;
  options.version = engine::version_number();
  options.leave = [](int status) { ::_exit(status); };
  return worker::run_worker(options);
}

// The hidden subcommand of one check of `plugin check`.
int serve_check(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const Context context = make_context(argc, argv);
  process::Launch another;
  another.arguments = {context.program.string(), "checker"};
  another.environment = engine::whole_environment(context.environment);
  return check::run_check_process(wire::kWorkerDescriptor, another);
}

int parse_and_act(int argc, char** argv) {
  Context context = make_context(argc, argv);
  std::vector<std::string> words(argv + 1, argv + argc);
  rewrite_help(words);
  if (!words.empty() && words.front() == "bench") context.commands = take_commands(words);
  CLI::App program("assay measures what GPU machines really do, and says what the numbers mean.", "assay");
  program.formatter(std::make_shared<ExamplesFirst>(context.line_width()));
  program.footer(
      "  assay run quick                      measure this machine in a minute\n"
      "  assay run suite.yaml -o results      a suite of your own\n"
      "  assay bench membw@host kernel=triad  one benchmark, no file\n"
      "  assay bench -- ./program arguments   a command of one's own\n"
      "  assay explain expectation.failed     what a code in a report means\n");
  program.require_subcommand(0, 1);
  bool version = false;
  program.add_flag("--version", version, "version number of assay");

  Action action;
  for (AddCommand* const add : {add_run, add_bench, add_list, add_describe, add_validate, add_plan, add_judge,
                                add_report, add_compare, add_baseline, add_system, add_doctor, add_schema,
                                add_explain, add_plugin, add_completion})
    add(program, context, action);
  // They are never reached: the words were rewritten. The list of commands, completion and suggestions have them.
  program.add_subcommand("help", "show how a command is used");
  program.add_subcommand("version", "print the version and end");
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 takes them
  } catch (const CLI::CallForHelp&) {
    const CLI::App& at = reached(program);
    if (!at.remaining().empty() && !subcommand_names(at).empty()) {
      print_error(explain(program, CLI::ExtrasError(at.remaining()), words));
      return kUsage;
    }
    print_out(at.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    print_error(explain(program, error, words));
    return kUsage;
  }
  if (version) {
    print_out(engine::version_text());
    return 0;
  }
  if (!action) {
    print_error(program.help());
    return kUsage;
  }
  return action();
}

}  // namespace

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& summary,
                      const std::string& examples) {
  CLI::App* command = parent.add_subcommand(name, summary);
  command->footer(examples);
  return command;
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](const std::string& text) -> std::string {
            std::uint64_t number = 0;
            const char* end = text.data() + text.size();
            const auto [last, error] = std::from_chars(text.data(), end, number);
            if (error == std::errc() && last == end && number >= least && number <= most) return {};
            return "it is a whole number from " + std::to_string(least) + " to " + std::to_string(most);
          },
          ""};
}

void add_verbose_option(CLI::App& command, bool& verbose) {
  command.add_flag("-v,--verbose", verbose, "with the table, all flags of its rows, not only the worst mark");
}

void add_plugin_options(CLI::App& command, PluginOptions& options) {
  value_option(command, "--plugin", "FILE", options.plugins, "additional plugin (its .so or its manifest)")
      ->allow_extra_args(false)  // what follows it is another word of the command
      ->group("Plugins");
  value_option(command, "--plugin-dir", "DIR", options.plugin_folders, "folder to search first for plugins")
      ->allow_extra_args(false)
      ->group("Plugins");
  value_option(command, "--library-path", "DIR", options.library_path,
               "folder to search first for libraries that plugins need")
      ->allow_extra_args(false)
      ->group("Plugins");
  value_option(command, "--plugin-allow", "SHA256[,…]|FILE", options.allowed,
               "SHA-256 of all libraries and manifests that may be used, or a file written by sha256sum")
      ->delimiter(',')
      ->group("Plugins");
}

int run_program(int argc, char** argv) {
  try {
    // Workers and --version start without the command line's machinery: they are started often.
    if (argc == 2 && std::string_view(argv[1]) == "worker") return serve();
    if (argc == 2 && std::string_view(argv[1]) == "checker") return serve_check(argc, argv);
    int code = 0;
    if (argc == 2 && std::string_view(argv[1]) == "--version") {
      print_out(engine::version_text());
    } else {
      ensure_standard_streams();
      code = parse_and_act(argc, argv);
    }
    if (code != 0 || output_error() == 0) return code;
    print_error("assay: standard output cannot be written: " +
                std::generic_category().message(output_error()) + "\n");
    return kNoReport;
  } catch (const Error& error) {
    print_error("assay: " + printable(error.what()) + "\n");
    return code_of(error);
  } catch (const std::bad_alloc&) {
    print_error("assay: there is not enough memory for this\n");
    return 5;
  } catch (const std::exception& error) {
    print_error("assay: a defect of assay's own: " + printable(error.what()) +
                "; please report it with the command that led to it\n");
    return 5;
  }
}

}  // namespace assay::cli
