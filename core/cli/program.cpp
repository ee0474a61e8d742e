// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include "base/error.hpp"
#include "check/check_process.hpp"
#include "cli/argument_errors.hpp"
#include "cli/command.hpp"
#include "cli/command_suite.hpp"
#include "cli/help_format.hpp"
#include "cli/output.hpp"
#include "engine/plugin_search.hpp"
#include "engine/recorded_environment.hpp"
#include "engine/version.hpp"
#include "text/text.hpp"
#include "wire/channel.hpp"
#include "worker/worker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <system_error>

namespace assay::cli {
namespace {

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
  program.formatter(help_with_examples_first(context.line_width()));
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
      print_error(explain_arguments(program, CLI::ExtrasError(at.remaining()), words));
      return kUsage;
    }
    print_out(at.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    print_error(explain_arguments(program, error, words));
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
