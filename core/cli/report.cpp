// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/require_option.hpp"
#include "cli/run_suite.hpp"
#include "comparison/comparison_contradiction.hpp"
#include "engine/plugin_search.hpp"
#include "engine/rejudge.hpp"
#include "engine/run_journal.hpp"
#include "engine/session.hpp"
#include "model/comparison.hpp"
#include "model/document.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// What cannot be read at all the reporters say.
void check_comparison(const std::string& file, const std::string& text) {
  std::string problem;
  try {
    problem = comparison::contradiction_in(model::read_comparison(text));
  } catch (const model::Unreadable&) {
    return;
  }
  if (!problem.empty())
    throw Error("result.contradiction",
                "'" + printable(file) + "' contradicts itself: " + problem +
                    "; it was changed after it was written: take it as it was, or compare the "
                    "results anew (assay compare OLD NEW)");
}

struct ReportOptions : RenderingOptions {
  std::string result;
  bool no_charts = false;
};

fs::path folder_of(const fs::path& result) {
  std::error_code error;
  if (fs::is_directory(result, error)) return result;
  return result.has_parent_path() ? result.parent_path() : ".";
}

// " --pairs A B --theta 5%", as the command has them; without them it would measure, or go on with, something else.
std::string pairs_in(const std::vector<std::string>& command) {
  const auto found = std::find(command.begin(), command.end(), "--pairs");
  if (command.end() - found < 3) return {};
  std::string text = " --pairs " + shell_word(*(found + 1)) + " " + shell_word(*(found + 2));
  for (const char* option : {"--theta", "--no-worse-than"}) {
    const auto given = std::find(command.begin(), command.end(), option);
    if (command.end() - given >= 2) text += std::string(" ") + option + " " + shell_word(*(given + 1));
  }
  return text;
}

// The run's command as far as the document knows it, with the plugins that are named here.
std::string repeat_command_of(const model::Run& run, const PluginOptions& plugins) {
  const std::vector<std::string>& command = run.command;
  engine::Request options;
  options.plugins = plugins;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "--set" && i + 1 < command.size()) options.overrides.push_back(command[i + 1]);
    if (command[i].starts_with("--set=")) options.overrides.push_back(command[i].substr(6));
    if (command[i] == "--peaks" && i + 1 < command.size()) options.peaks.push_back(command[i + 1]);
    if (command[i].starts_with("--peaks=")) options.peaks.push_back(command[i].substr(8));
    options.strict = options.strict || command[i] == "--strict";
    const bool apart = command[i] == "--require" && i + 1 < command.size();
    if (!apart && !command[i].starts_with("--require=")) continue;
    for (std::string& setting : settings_of_requirements(apart ? command[i + 1] : command[i].substr(10)))
      options.overrides.push_back(std::move(setting));
  }
  if (run.site) options.site = run.site->file;
  if (run.baseline) options.baseline = run.baseline->file;
  options.quick = run.mode.quick;
  options.wrap = run.mode.wrap.value_or("");
  return engine::repeat_command(run.suite_file, options) + pairs_in(command);
}

// What is rendered here, and what lies beside it.
report::Sources sources_of(const fs::path& result, const fs::path& run, const std::string& suite_file) {
  report::Sources sources{{run / engine::kJournal}, run / "result.json"};
  std::error_code error;
  if (!fs::is_directory(result, error)) {
    if (result.extension() == ".jsonl") sources.files.push_back(result);
    if (result.extension() != ".jsonl") sources.result = result;
  }
  if (!suite_file.empty()) sources.files.emplace_back(suite_file);
  return sources;
}

// Sets `charts` to false in the reports that have it, for users who have not looked up the options of reporters.
void leave_out_charts(const catalog::Catalog& catalog, std::vector<report::ReportRequest>& requests) {
  bool found = false;
  for (report::ReportRequest& request : requests) {
    const catalog::Reporter* reporter = catalog.reporter(request.reporter);
    if (reporter == nullptr ||
        std::none_of(reporter->options.begin(), reporter->options.end(),
                     [](const catalog::ReporterOption& option) { return option.name == "charts"; }))
      continue;
    found = true;
    std::erase_if(request.options, [](const auto& option) { return option.first == "charts"; });
    request.options.emplace_back("charts", "false");
  }
  if (!found)
    throw Error("usage.report",
                "--no-charts is of reports with pictures beside them, and none was asked for: add "
                "--report markdown");
}

}  // namespace

void add_report(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      add_command(program, "report", "render reports again from a result or a journal",
                  "  assay report assay-results/latest                        show the table again\n"
                  "  assay report result.json --report markdown=report.md\n"
                  "  assay report run/journal.jsonl --report json=result.json  after a run was killed\n");
  value_option(*command, "result", "RESULT", options->result,
               "result.json, journal.jsonl, or a folder with either")
      ->required();
  add_report_options(*command, *options);
  command->add_flag("--no-charts", options->no_charts,
                    "no pictures beside reports; as --report markdown:charts=false");
  command->add_flag("-q,--quiet", options->quiet, "no table");
  add_verbose_option(*command, options->verbose);
  add_plugin_options(*command, options->plugins);
  act(*command, action, [options, &context] {
    const catalog::Catalog catalog = load_catalog(context, options->plugins);
    std::optional<Rendering> asked = rendering_of(*options, catalog);
    if (!asked) return kUsage;
    Rendering& rendering = *asked;
    if (options->no_charts) leave_out_charts(catalog, rendering.requests);
    if (options->reports.empty() && !options->folder.empty())
      throw Error("usage.report",
                  "-o is the folder of reports, and none was asked for: add --report html, for example");
    rendering.names_files = !options->quiet;
    rendering.run = folder_of(options->result);
    std::string text = engine::text_of_result(options->result);
    if (model::is_comparison(text)) {
      check_comparison(options->result, text);
      refuse_results_only(rendering.requests);
      rendering.sources.files.emplace_back(options->result);
      return render_reports(context, catalog, text, rendering) ? 0 : kNoReport;
    }
    const engine::ResultText result = engine::checked_result(options->result, std::move(text));
    if (rendering.console) rendering.repeat = repeat_command_of(result.run, options->plugins);
    rendering.sources = sources_of(options->result, rendering.run, result.run.suite_file);
    return render_reports(context, catalog, result.document, rendering) ? 0 : kNoReport;
  });
}

}  // namespace assay::cli
