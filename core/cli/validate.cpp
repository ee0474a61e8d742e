// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/require_option.hpp"
#include "cli/served.hpp"
#include "engine/plugin_search.hpp"
#include "engine/preparation.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <memory>
#include <set>

namespace assay::cli {
namespace {

struct ValidateOptions {
  PluginOptions plugins;
  std::vector<std::string> suites;
  std::vector<std::string> overrides;
  engine::MadeBy made_by;
};

// Every problem of one suite on standard error; true if there is none.
bool validate(const Context& context, const catalog::Catalog& catalog, const std::string& name,
              const ValidateOptions& options) {
  engine::Checked checked =
      check_suite(catalog, engine::read_suite(context, name), options.overrides, {}, options.made_by);
  if (const auto* const use = engine::use_of_baseline(checked.suite, checked.plan))
    checked.diagnostics.warning("suite.no-baseline", use->position, "this is held to a baseline",
                                "a run of this suite takes --baseline FILE");
  tell_problems(context, checked.suite, checked.diagnostics, "");
  if (checked.diagnostics.has_errors()) return false;
  engine::refuse_unused_plugins(catalog, checked.suite);
  print_out(fmt::format("{}: valid, {} (on each device, where a case has 'devices: each')\n",
                        checked.suite.file, count_of(checked.plan.cases.size(), "case")));
  for (const plan::Unmet& unmet : checked.plan.unmet)
    print_out("missing here: " + printable(unmet.text) + "\n");
  std::set<std::string> told;
  for (const plan::PlannedCase& planned : checked.plan.cases) {
    if (planned.manifest == nullptr) continue;
    const std::string why = unserved(*planned.manifest);
    if (!why.empty() && told.insert(planned.manifest->id).second)
      print_out("not usable here: plugin '" + printable(planned.manifest->id) + "': " + why + "\n");
  }
  return true;
}

}  // namespace

void add_validate(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command =
      add_command(program, "validate", "check suites without running anything",
                  "  assay validate suite.yaml     all problems at once, with line and column\n");
  value_option(*command, "suite", "SUITE...", options->suites,
               "YAML files, or names of suites that come with assay")
      ->required();
  value_option(*command, "--set", "CASE.KEY=VALUE", options->overrides,
               "new value of a case's key, as for run");
  add_require_option(*command, options->overrides, options->made_by);
  add_plugin_options(*command, options->plugins);
  act(*command, action, [options, &context] {
    const catalog::Catalog catalog = load_catalog(context, options->plugins, engine::SameIds::kept);
    bool valid = true;
    for (const std::string& name : options->suites)
      valid = validate(context, catalog, name, *options) && valid;
    return valid ? 0 : kInvalidSuite;
  });
}

}  // namespace assay::cli
