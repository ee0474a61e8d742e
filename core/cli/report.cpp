// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/requirements.hpp"
#include "cli/session.hpp"
#include "engine/plugin_search.hpp"
#include "engine/rejudge.hpp"
#include "engine/run_journal.hpp"
#include "engine/session.hpp"

#include <memory>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  PluginOptions plugins;
  std::string result;
  std::vector<std::string> reports;
  std::string folder;
  bool quiet = false;
};

fs::path folder_of(const fs::path& result) {
  std::error_code error;
  if (fs::is_directory(result, error)) return result;
  return result.has_parent_path() ? result.parent_path() : ".";
}

// The run's command as far as the document knows it, with the plugins that are named here.
std::string repeat_command_of(const Json& document, const PluginOptions& plugins) {
  const Json& run = document.at("run");
  const auto command = run.value("command", std::vector<std::string>());
  engine::Request options;
  options.plugins = plugins;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "--set" && i + 1 < command.size()) options.overrides.push_back(command[i + 1]);
    if (command[i].starts_with("--set=")) options.overrides.push_back(command[i].substr(6));
    const bool apart = command[i] == "--require" && i + 1 < command.size();
    if (!apart && !command[i].starts_with("--require=")) continue;
    for (std::string& setting : settings_of_requirements(apart ? command[i + 1] : command[i].substr(10)))
      options.overrides.push_back(std::move(setting));
  }
  if (const auto site = run.find("site"); site != run.end()) options.site = site->value("file", "");
  if (const auto mode = run.find("mode"); mode != run.end()) {
    options.quick = mode->value("quick", false);
    if (mode->contains("wrap") && mode->at("wrap").is_string()) mode->at("wrap").get_to(options.wrap);
  }
  return engine::repeat_command(run.value("suite_file", ""), options);
}

// What is rendered here, and what lies beside it.
report::Sources sources_of(const fs::path& result, const fs::path& run, const Json& document) {
  report::Sources sources{{run / engine::kJournal}, run / "result.json"};
  std::error_code error;
  if (!fs::is_directory(result, error)) {
    if (result.extension() == ".jsonl") sources.files.push_back(result);
    if (result.extension() != ".jsonl") sources.result = result;
  }
  const Json& recorded = document.at("run");
  const auto suite = recorded.find("suite_file");
  if (suite != recorded.end() && suite->is_string()) sources.files.emplace_back(suite->get<std::string>());
  return sources;
}

}  // namespace

void add_report(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      add_command(program, "report", "render reports again from a result or a journal",
                  "  assay report assay-results/latest                        the table again\n"
                  "  assay report result.json --report markdown=report.md\n"
                  "  assay report run/journal.jsonl --report json=result.json  after a run was killed\n");
  command->add_option("result", options->result, "result.json, journal.jsonl, or a folder with either")
      ->required()
      ->type_name("RESULT");
  command
      ->add_option("--report", options->reports, "NAME[:key=value,…][=PATH]; several; '-' is standard output")
      ->type_name("REPORT");
  command
      ->add_option("-o,--output", options->folder,
                   "folder for reports without a path (the working directory)")
      ->type_name("DIR");
  command->add_flag("-q,--quiet", options->quiet, "no table");
  add_plugin_options(*command, options->plugins);
  command->callback([options, &context, &action] {
    action = [options, &context] {
      const catalog::Catalog catalog = load_catalog(context, options->plugins);
      Diagnostics usage;
      Rendering rendering;
      for (const std::string& request : options->reports)
        rendering.requests.push_back(report::parse_request(request, catalog, usage));
      if (usage.has_errors()) {
        print(usage);
        return kUsage;
      }
      rendering.folder = options->folder.empty() ? "." : options->folder;
      rendering.run = folder_of(options->result);
      // The table is what is shown if nothing else is asked for.
      rendering.console = options->reports.empty() && !options->quiet;
      const std::string document = engine::document_of(options->result);
      const Json parsed = Json::parse(document);
      if (rendering.console) rendering.repeat = repeat_command_of(parsed, options->plugins);
      rendering.sources = sources_of(options->result, rendering.run, parsed);
      return render_reports(context, catalog, document, rendering) ? 0 : kNoReport;
    };
  });
}

}  // namespace assay::cli
