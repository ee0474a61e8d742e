// SPDX-License-Identifier: Apache-2.0
#include "comparison/compare.hpp"

#include "base/error.hpp"
#include "base/id_filter.hpp"
#include "cli/amounts.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/pairs.hpp"
#include "cli/run_suite.hpp"
#include "comparison/confirm.hpp"
#include "comparison/variants.hpp"
#include "engine/confirm.hpp"
#include "engine/plugin_search.hpp"
#include "engine/rejudge.hpp"
#include "model/comparison.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct CompareOptions : RenderingOptions {
  std::vector<std::string> pair, before, after, filters;
  std::string theta = "2%", no_worse_than, between_runs, confirm;
};

// What is compared with what, from the two ways to say it.
void settle_sides(CompareOptions& options) {
  const bool is_named = !options.before.empty() || !options.after.empty();
  if (is_named && options.pair.empty() && !options.before.empty() && !options.after.empty()) return;
  if (!is_named && options.pair.size() == 2) {
    options.before = {options.pair[0]};
    options.after = {options.pair[1]};
    return;
  }
  throw Error(
      "usage.sides",
      "compare takes one old and one new result, or several a side: assay compare OLD NEW, or assay compare --old OLD... "
      "--new NEW...");
}

std::vector<comparison::LoadedResult> read_side(const std::vector<std::string>& results,
                                                const IdFilter& filter) {
  std::vector<comparison::LoadedResult> side;
  for (const std::string& result : results) {
    side.push_back(engine::side_of_comparison(result));
    std::erase_if(side.back().cases, [&](const model::Case& each) { return !filter.passes(each.id); });
  }
  return side;
}

// One result that is on both sides, or twice on one, would look like agreement.
void refuse_repeated(const model::Comparison& comparison) {
  std::map<std::string, std::string> seen;
  for (const auto* side : {&comparison.before, &comparison.after}) {
    for (const model::ComparedRun& run : *side) {
      const auto [known, is_new] = seen.emplace(run.id + " " + run.started_at, run.source);
      if (is_new) continue;
      throw Error("usage.sides", "'" + known->second + "' and '" + run.source + "' are the same run (" +
                                     run.id + "), which says nothing of another; name two runs");
    }
  }
}

// On standard output.
bool shows_a_report(const Rendering& rendering) {
  return rendering.console || std::any_of(rendering.requests.begin(), rendering.requests.end(),
                                          [](const report::ReportRequest& request) {
                                            return request.path == "-" ||
                                                   (request.reporter == "console" && request.path.empty());
                                          });
}

// Takes what is slower once more, and keeps as slower only what is so again. Gives the signal's exit code, or 0.
int confirm_slower(const Context& context, const CompareOptions& options, const SuiteText& suite,
                   const comparison::Question& question, const std::vector<comparison::LoadedResult>& before,
                   const comparison::LoadedResult& after, model::Comparison& found) {
  engine::ConfirmationRequest asked{
      {}, options.after.front(), found.differences, before.front().run.environment, after.run.environment};
  for (const model::ComparedRow& row : found.rows)
    if (row.verdict == model::ComparedVerdict::slower) asked.ids.insert(row.id);
  if (asked.ids.empty()) return 0;
  engine::Request request;
  request.surroundings = context;
  request.plugins = options.plugins;
  engine::PreparedConfirmation prepared = engine::prepare_confirmation(std::move(request), suite, asked);
  if (!prepared.session) {
    comparison::leave_unconfirmed(found, prepared.why);
    return 0;
  }
  measure_and_show(context, options.quiet, *prepared.session);
  const judge::Judgement judged = engine::judge_session(*prepared.session);
  const std::string folder = prepared.session->folder.string();
  const comparison::LoadedResult again = comparison::read_result(judged.document, folder);
  if (prepared.in_turn) {
    const model::Comparison old_again =
        comparison::compare(before, {comparison::sides_of_variants(again, kBefore, kAfter).before}, question);
    comparison::confirm(found, comparison::compare_variants(again, kBefore, kAfter, question),
                        {model::SecondRun::in_turn, prepared.why, printable(folder), 0, 0}, &old_again);
  } else {
    comparison::confirm(found, comparison::compare(before, {again}, question),
                        {model::SecondRun::new_side, prepared.why, printable(folder), 0, 0});
  }
  return judged.exit_code >= 128 ? judged.exit_code : 0;
}

int compare_results(const Context& context, CompareOptions& options) {
  settle_sides(options);
  comparison::Question question;
  question.theta = share_of("--theta", options.theta);
  question.filters = options.filters;
  const IdFilter filter(options.filters);
  if (!options.no_worse_than.empty())
    question.no_worse_than = share_of("--no-worse-than", options.no_worse_than);
  if (!options.between_runs.empty()) question.between_runs = share_of("--between-runs", options.between_runs);
  if (!options.confirm.empty() && (options.before.size() > 1 || options.after.size() > 1))
    throw Error(
        "usage.confirm",
        "--confirm is of one old and one new result; several a side tell how runs differ by themselves");
  const catalog::Catalog catalog = load_catalog(context, options.plugins);
  std::optional<Rendering> rendering = rendering_of(options, catalog);
  if (!rendering) return kUsage;
  refuse_results_only(rendering->requests);
  rendering->names_files = !options.quiet;
  std::optional<SuiteText> suite;
  if (!options.confirm.empty()) suite = engine::read_suite(context, options.confirm);
  // Both sides at once: large results take a second each.
  auto before = std::async(std::launch::async, [&] { return read_side(options.before, filter); });
  const std::vector<comparison::LoadedResult> after = read_side(options.after, filter);
  const std::vector<comparison::LoadedResult> old_side = before.get();
  model::Comparison found = comparison::compare(old_side, after, question);
  refuse_repeated(found);
  const int stopped =
      suite ? confirm_slower(context, options, *suite, question, old_side, after.front(), found) : 0;

  for (const auto* side : {&options.before, &options.after})
    for (const std::string& result : *side) {
      rendering->sources.files.emplace_back(result);
      rendering->sources.files.push_back(fs::path(result) / "result.json");
    }
  for (report::ReportRequest& request : rendering->requests)
    if (request.reporter == "json" && request.path.empty())
      request.path = (rendering->folder / "comparison.json").string();
  const bool is_reported = render_reports(context, catalog, model::to_json(found).dump(1) + "\n", *rendering);
  // Or nothing would say why the exit code is what it is.
  if (!options.quiet && !shows_a_report(*rendering)) print_error(printable(found.verdict.text) + "\n");
  return worst_exit_code({stopped, found.verdict.exit_code, is_reported ? 0 : kNoReport});
}

}  // namespace

void add_compare(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = add_command(
      program, "compare", "compare results with earlier ones, and say what changed",
      "  assay compare before.json after.json                     exit 1 if a row is shown to be slower\n"
      "  assay compare --old a.json b.json --new c.json d.json    several runs of each side: they tell how much runs vary\n"
      "  assay compare main/ branch/ --no-worse-than 1%           exit 1 for what is not shown to be no worse\n"
      "  assay compare old new --confirm suite.yaml               what is slower is measured once more first\n"
      "  assay compare old new --report junit=changes.xml --report markdown=changes.md\n");
  value_option(*command, "results", "OLD NEW", options->pair,
               "the old and the new result: result.json, journal.jsonl, or a folder with either");
  value_option(*command, "--old", "RESULT", options->before,
               "results of the old side: several runs of the same thing");
  value_option(*command, "--new", "RESULT", options->after,
               "results of the new side: several runs of the same thing");
  value_option(*command, "--filter", "REGEX", options->filters, kFilterHelp);
  value_option(*command, "--theta", "SHARE", options->theta,
               "margin: rows within it count as the same, rows beyond it as slower or faster")
      ->capture_default_str();
  value_option(*command, "--no-worse-than", "SHARE", options->no_worse_than,
               "largest loss that is accepted: a row fails unless it is shown to lose less");
  value_option(*command, "--between-runs", "SHARE", options->between_runs,
               "standard deviation between runs of the same thing; by default from several results a side, "
               "else 0.3% on devices and 3% on the host");
  value_option(
      *command, "--confirm", "SUITE", options->confirm,
      "suite that was run: rows that are slower are taken once more with it and fail only if they are slower again, "
      "both sides in turn where they differ by environment variables, else the new one");
  add_report_options(*command, *options);
  command->add_flag("-q,--quiet", options->quiet, "no table");
  add_plugin_options(*command, options->plugins);
  act(*command, action, [options, &context] { return compare_results(context, *options); });
}

}  // namespace assay::cli
