// SPDX-License-Identifier: Apache-2.0
//
// One file per subcommand. Each adds itself to the program and leaves what to do in `action`, which gives the
// exit code.
#pragma once

#include "cli/context.hpp"
#include "engine/plugin_search.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace assay::cli {

using Action = std::function<int()>;

void add_run(CLI::App& program, const Context& context, Action& action);
void add_bench(CLI::App& program, const Context& context, Action& action);
void add_list(CLI::App& program, const Context& context, Action& action);
void add_describe(CLI::App& program, const Context& context, Action& action);
void add_validate(CLI::App& program, const Context& context, Action& action);
void add_baseline(CLI::App& program, const Context& context, Action& action);
void add_compare(CLI::App& program, const Context& context, Action& action);
void add_judge(CLI::App& program, const Context& context, Action& action);
void add_plan(CLI::App& program, const Context& context, Action& action);
void add_report(CLI::App& program, const Context& context, Action& action);
void add_system(CLI::App& program, const Context& context, Action& action);
void add_doctor(CLI::App& program, const Context& context, Action& action);
void add_schema(CLI::App& program, const Context& context, Action& action);
void add_explain(CLI::App& program, const Context& context, Action& action);
void add_plugin(CLI::App& program, const Context& context, Action& action);
// Subcommands of `plugin`.
void add_plugin_new(CLI::App& plugin, const Context& context, Action& action);
void add_plugin_check(CLI::App& plugin, const Context& context, Action& action);
void add_completion(CLI::App& program, const Context& context, Action& action);

// A subcommand whose help leads with examples, one a line.
CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& summary,
                      const std::string& examples);
// Leaves in `action` what the command does, if it is the one that is asked for.
inline void act(CLI::App& command, Action& action, Action does) {
  command.callback([&action, does = std::move(does)] { action = does; });
}
void add_plugin_options(CLI::App& command, PluginOptions& options);
inline constexpr const char* kReportHelp =
    "reporter, its options ('assay describe markdown' lists them) and its file: NAME[:key=value,…][=PATH]; "
    "repeatable; '-' is standard output";
// Of commands that show the table of a result.
void add_verbose_option(CLI::App& command, bool& verbose);

// Refuses what is not a whole number in decimal digits from `least` to `most`, and says so.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

}  // namespace assay::cli
