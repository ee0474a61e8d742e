// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/run_suite.hpp"
#include "engine/plugin_search.hpp"
#include "engine/post_hoc.hpp"
#include "engine/run_journal.hpp"

#include <memory>
#include <optional>

namespace assay::cli {
namespace {

struct JudgeCommandOptions : RenderingOptions {
  std::string run, suite, baseline;
};

int judge_run_by(const Context& context, const JudgeCommandOptions& options) {
  const catalog::Catalog catalog = load_catalog(context, options.plugins);
  std::optional<Rendering> rendering = rendering_of(options, catalog);
  if (!rendering) return kUsage;
  if (options.suite.empty() && options.baseline.empty())
    throw Error("usage.judge",
                "name what to judge by: a suite (--suite FILE), a baseline (--baseline FILE), or both");
  std::optional<SuiteText> edited;
  if (!options.suite.empty()) edited = engine::read_suite(context, options.suite);
  engine::Checked checked;
  const auto judged = engine::judge_by(options.run, edited, engine::baseline_of(options.baseline), checked);
  if (!judged) {
    tell_problems(context, checked.suite, checked.diagnostics, "nothing was judged");
    return kInvalidSuite;
  }
  const std::filesystem::path run = options.run;
  // No report may replace these files: the run stays as it was.
  rendering->sources.files = {run, run / "result.json", run / engine::kJournal};
  if (edited) rendering->sources.files.emplace_back(edited->file);
  if (!options.baseline.empty()) rendering->sources.files.emplace_back(options.baseline);
  const bool is_reported = render_reports(context, catalog, judged->document, *rendering);
  return worst_exit_code({judged->exit_code, is_reported ? 0 : kNoReport});
}

}  // namespace

void add_judge(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<JudgeCommandOptions>();
  CLI::App* command = add_command(
      program, "judge", "judge what a run measured by another suite, or by a baseline",
      "  assay judge assay-results/latest --suite edited.yaml                          the table, and the exit code\n"
      "  assay judge assay-results/latest --suite edited.yaml --report json=judged.json\n"
      "  assay judge assay-results/latest --baseline h200.yaml\n");
  value_option(*command, "run", "RUN", options->run,
               "the folder of a run, or its journal.jsonl, which holds all samples")
      ->required();
  value_option(
      *command, "--suite", "SUITE", options->suite,
      "suite with the same cases but different expectations, group checks or findings; new ones are marked post hoc");
  value_option(*command, "--baseline", "FILE", options->baseline,
               "file written by 'assay baseline', with values of healthy devices; "
               "without --suite, the run's own suite applies");
  add_report_options(*command, *options);
  command->add_flag("-q,--quiet", options->quiet, "no table");
  add_verbose_option(*command, options->verbose);
  add_plugin_options(*command, options->plugins);
  act(*command, action, [options, &context] { return judge_run_by(context, *options); });
}

}  // namespace assay::cli
