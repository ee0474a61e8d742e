// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "cli/amounts.hpp"
#include "cli/command.hpp"
#include "cli/effort_text.hpp"
#include "cli/output.hpp"
#include "cli/plan_text.hpp"
#include "cli/run_suite.hpp"
#include "engine/effort.hpp"

#include <memory>
#include <optional>
#include <string>

namespace assay::cli {
namespace {

struct PlanCommandOptions {
  RunArguments run;
  std::string suite, see, budget;
  bool json = false;
};

int plan_suite_effort(const Context& context, PlanCommandOptions& options) {
  if (!options.see.empty() && !options.budget.empty())
    throw Error(
        "usage.plan",
        "--see asks how long it takes, and --budget what can be seen in a given time; give one of them");
  engine::Request request = with_surroundings(options.run, context);
  std::optional<double> see;
  if (!options.see.empty()) see = share_of("--see", options.see);
  if (!options.budget.empty()) request.budget_s = seconds_of("--budget", options.budget);
  engine::Prepared prepared;
  if (!prepare(request, engine::read_suite(context, options.suite), {}, prepared)) return kInvalidSuite;
  if (!options.run.filters.empty() && prepared.plan.cases.empty() && prepared.plan.unmet.empty())
    throw Error("usage.plan", "no case of the suite matches --filter; 'assay run " + options.suite +
                                  " --dry-run' lists their ids");
  const engine::Effort effort = engine::effort_of(request, prepared, see);
  const std::string variants = variants_text(prepared.suite, prepared.plan);
  print_out(options.json ? to_json(effort).dump(1) + "\n"
                         : effort_text(effort, context.width) + (variants.empty() ? "" : "\n" + variants));
  return prepared.plan.unmet.empty() ? 0 : 6;
}

}  // namespace

void add_plan(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<PlanCommandOptions>();
  CLI::App* command = add_command(
      program, "plan", "say how many rounds an effect takes, and how long, before anything is measured",
      "  assay plan suite.yaml                                     what the suite's rounds can show\n"
      "  assay plan suite.yaml --see 1% assay-results/latest       rounds and minutes for an effect of 1 %\n"
      "  assay plan suite.yaml --budget 10min first second third   what can be shown in that time\n");
  value_option(*command, "suite", "SUITE", options->suite,
               "a YAML file, or the name of a suite that comes with assay")
      ->required();
  value_option(
      *command, "results", "RESULT", options->run.earlier,
      "earlier results of the suite, which show how rounds and runs vary here and how long a round takes");
  value_option(*command, "--see", "SHARE", options->see, "effect that is to be shown, 0.1% or more");
  value_option(*command, "--budget", "TIME", options->budget, "time for all rounds together");
  value_option(*command, "--filter", "REGEX", options->run.filters,
               "regular expression for case ids, as in 'assay run'");
  value_option(*command, "--set", "CASE.KEY=VALUE", options->run.overrides,
               "new value of a case's key, as for run");
  value_option(*command, "--inventory", "FILE", options->run.inventory,
               "devices from 'assay system --json' of another machine");
  command->add_flag("--json", options->json, "plan as JSON");
  add_plugin_options(*command, options->run.plugins);
  act(*command, action, [options, &context] { return plan_suite_effort(context, *options); });
}

}  // namespace assay::cli
