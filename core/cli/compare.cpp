// SPDX-License-Identifier: Apache-2.0
#include "comparison/compare.hpp"

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "engine/plugin_search.hpp"
#include "engine/rejudge.hpp"
#include "model/comparison.hpp"

#include <charconv>
#include <future>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  PluginOptions plugins;
  std::vector<std::string> pair, before, after;
  std::string theta = "2%", no_worse_than, between_runs;
  std::vector<std::string> reports;
  std::string folder;
  bool quiet = false;
};

// A share as suites write it: "2%", "0.02"; from 0 to below 1.
double share_of(const std::string& option, const std::string& text) {
  const bool is_percent = text.ends_with("%");
  const std::string number = is_percent ? text.substr(0, text.size() - 1) : text;
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [last, error] = std::from_chars(number.data(), end, value);
  if (is_percent) value /= 100;
  if (error == std::errc() && last == end && value >= 0 && value < 1) return value;
  throw Error("usage.share",
              option + " cannot be '" + text + "' (it is a share from 0 to below 1, such as 2% or 0.02)");
}

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

std::vector<comparison::Reading> read_side(const std::vector<std::string>& results) {
  std::vector<comparison::Reading> side;
  for (const std::string& result : results)
    side.push_back(comparison::read_result(engine::text_of_result(result), result));
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

int compare_results(const Context& context, CompareOptions& options) {
  settle_sides(options);
  comparison::Question question;
  question.theta = share_of("--theta", options.theta);
  if (!options.no_worse_than.empty())
    question.no_worse_than = share_of("--no-worse-than", options.no_worse_than);
  if (!options.between_runs.empty()) question.between_runs = share_of("--between-runs", options.between_runs);
  const catalog::Catalog catalog = load_catalog(context, options.plugins);
  Diagnostics usage;
  Rendering rendering;
  for (const std::string& request : options.reports)
    rendering.requests.push_back(report::parse_request(request, catalog, usage));
  if (usage.has_errors()) {
    print(usage);
    return kUsage;
  }
  // Both sides at once: large results take a second each.
  auto before = std::async(std::launch::async, [&] { return read_side(options.before); });
  const std::vector<comparison::Reading> after = read_side(options.after);
  const model::Comparison found = comparison::compare(before.get(), after, question);
  refuse_repeated(found);

  rendering.folder = options.folder.empty() ? "." : options.folder;
  rendering.run = rendering.folder;
  rendering.console = options.reports.empty() && !options.quiet;
  for (const auto* side : {&options.before, &options.after})
    for (const std::string& result : *side) {
      rendering.sources.files.emplace_back(result);
      rendering.sources.files.push_back(fs::path(result) / "result.json");
    }
  for (report::Request& request : rendering.requests)
    if (request.reporter == "json" && request.path.empty())
      request.path = (rendering.folder / "comparison.json").string();
  const bool is_reported = render_reports(context, catalog, model::to_json(found).dump(1) + "\n", rendering);
  return worst_exit_code({found.verdict.exit_code, is_reported ? 0 : kNoReport});
}

}  // namespace

void add_compare(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = add_command(
      program, "compare", "hold results against earlier ones, and say what changed",
      "  assay compare before.json after.json                     exit 1 if a row is shown to be slower\n"
      "  assay compare --old a.json b.json --new c.json d.json    several runs a side: they tell how much runs differ\n"
      "  assay compare main/ branch/ --no-worse-than 1%           exit 1 for what is not shown to be no worse\n"
      "  assay compare old new --report junit=changes.xml --report markdown=changes.md\n");
  command
      ->add_option("results", options->pair,
                   "the old and the new result: result.json, journal.jsonl, or a folder with either")
      ->type_name("OLD NEW");
  command->add_option("--old", options->before, "results of the old side, several runs of the same thing")
      ->type_name("RESULT");
  command->add_option("--new", options->after, "results of the new side")->type_name("RESULT");
  command
      ->add_option("--theta", options->theta,
                   "the change that matters: rows are the same within it, and slower or faster beyond it")
      ->capture_default_str()
      ->type_name("SHARE");
  command
      ->add_option("--no-worse-than", options->no_worse_than,
                   "fail rows that are not shown to be worse by less than this")
      ->type_name("SHARE");
  command
      ->add_option(
          "--between-runs", options->between_runs,
          "by how much runs of the same thing differ (standard deviation); by default from several results "
          "a side, else taken as 0.3% on devices and 3% on the host")
      ->type_name("SHARE");
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
    action = [options, &context] { return compare_results(context, *options); };
  });
}

}  // namespace assay::cli
