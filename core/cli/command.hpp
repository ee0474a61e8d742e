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

using AddCommand = void(CLI::App& parent, const Context& context, Action& action);
AddCommand add_run, add_bench, add_list, add_describe, add_validate, add_plan, add_judge, add_report,
    add_compare, add_baseline, add_system, add_doctor, add_schema, add_explain, add_plugin, add_completion;
AddCommand add_plugin_new, add_plugin_check;  // of 'plugin'

// A subcommand whose help leads with examples, one a line.
CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& summary,
                      const std::string& examples);
// Leaves in `action` what the command does, if it is the one that is asked for.
inline void act(CLI::App& command, Action& action, Action does) {
  command.callback([&action, does = std::move(does)] { action = does; });
}
// An option, or an argument, whose value the help calls `type`.
template <class Value>
CLI::Option* value_option(CLI::App& command, const std::string& name, const std::string& type, Value& value,
                          const std::string& help) {
  return command.add_option(name, value, help)->type_name(type);
}
void add_plugin_options(CLI::App& command, PluginOptions& options);
inline constexpr const char* kReportHelp =
    "reporter, its options ('assay describe markdown' lists them) and its file: NAME[:key=value,…][=PATH]; "
    "repeatable; '-' is standard output";
inline constexpr const char* kFilterHelp =
    "regular expression that ids of cases have to match, or an id as reports have it; of several, any";
// Of commands that show the table of a result.
void add_verbose_option(CLI::App& command, bool& verbose);

// Refuses what is not a whole number in decimal digits from `least` to `most`, and says so.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

}  // namespace assay::cli
