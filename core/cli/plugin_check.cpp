// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "check/checker.hpp"
#include "check/render.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "engine/plugin_search.hpp"
#include "engine/recorded_environment.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <memory>

namespace assay::cli {
namespace {

struct CheckOptions {
  PluginOptions plugins;
  std::string file;
  std::string format = "text";
  std::string device;
  std::vector<std::string> with, only;
  std::string explain;
  bool without_device = false;
  double limit_s = check::kCheckLimit_s;
};

int explain(const std::string& id) {
  if (id == "all") {
    AlignedTable table;
    for (const check::CheckDefinition& row : check::check_table())
      table.add({std::string(row.id), std::string(row.group)});
    print_out(table.text(""));
    return 0;
  }
  const check::CheckDefinition& row = check::check_named(id);
  print_out(std::string(row.id) + " (" + std::string(row.group) + ")\n\n" + std::string(row.paragraph) +
            "\n");
  return 0;
}

int run_checks(const Context& context, const CheckOptions& options) {
  check::CheckSettings settings;
  settings.run.program = context.program;
  settings.run.library_path = library_path(context, options.plugins);
  settings.run.base_environment = engine::worker_environment(context.environment);
  settings.contracts = prefix_of(context) / "share/assay/contracts";
  settings.device = options.device;
  for (const std::string& one : options.with) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error("usage.parameter", "--with takes NAME=VALUE, not '" + printable(one) + "'");
    settings.given[one.substr(0, equals)] = one.substr(equals + 1);
  }
  settings.only = options.only;
  settings.without_device = options.without_device;
  settings.limit_s = options.limit_s;
  // Its own benchmarks may need it.
  PluginOptions plugins = options.plugins;
  if (check::brings_backend(options.file)) plugins.plugins.push_back(options.file);
  settings.allowed = search_path(context, options.plugins).allowed;
  const bool text = options.format == "text";
  const check::CheckReport report = check::check_plugin(
      options.file, load_catalog(context, plugins), settings, [&](const check::CompletedCheck& finding) {
        if (text) print_out(check::finding_text(finding, context.color()));
      });
  if (text) print_out(check::summary_text(report));
  if (options.format == "json") print_out(check::report_json(report));
  if (options.format == "junit") print_out(check::report_junit(report));
  return report.exit_code();
}

}  // namespace

void add_plugin_check(CLI::App& plugin, const Context& context, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = add_command(
      plugin, "check", "check that a plugin keeps the rules, each in a process of its own",
      "  assay plugin check build/saxpy.so\n"
      "  assay plugin check build/saxpy.so --format junit > check.xml   for CI\n"
      "  assay plugin check build/saxpy.so --without-device             where there is no GPU\n"
      "  assay plugin check build/serve.so --with model=small.bin       a parameter without a default\n"
      "  assay plugin check --explain verify-can-fail                   why a check is made\n");
  value_option(*command, "file", "FILE", options->file, "the shared object or its manifest");
  value_option(*command, "--format", "FORMAT", options->format, "output format: text, json or junit")
      ->check(CLI::IsMember({"text", "json", "junit"}))
      ->capture_default_str();
  value_option(*command, "--backend-device", "DEVICE", options->device,
               "device for the plugin's benchmarks, instead of the first");
  value_option(*command, "--with", "NAME=VALUE", options->with,
               "value of a parameter, instead of its default; a required parameter needs it");
  value_option(*command, "--only", "ID", options->only, "id of a check to run, instead of all; repeatable");
  command->add_flag("--without-device", options->without_device,
                    "checks that need no device, and no others; for machines that only build");
  value_option(*command, "--limit", "SECONDS", options->limit_s, "time limit of a check, in seconds")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  value_option(*command, "--explain", "ID", options->explain,
               "purpose of a check; without ID, a list of all checks")
      ->expected(0, 1)
      ->default_str("all");
  add_plugin_options(*command, options->plugins);
  act(*command, action, [options, command, &context] {
    if (command->count("--explain") > 0) return explain(options->explain.empty() ? "all" : options->explain);
    if (options->file.empty())
      throw Error("usage.file",
                  "a plugin's file is missing; 'assay plugin check --help' shows how it is used");
    return run_checks(context, *options);
  });
}

}  // namespace assay::cli
