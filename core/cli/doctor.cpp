// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/fitness_text.hpp"
#include "cli/output.hpp"
#include "cli/run_suite.hpp"
#include "engine/folder.hpp"
#include "engine/plugin_search.hpp"
#include "engine/preparation.hpp"
#include "system/host.hpp"
#include "text/clock.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace assay::cli {
namespace {

constexpr int kUnfit = 1;

int examine(const Context& context, RunArguments options, int processes) {
  const catalog::Catalog catalog = load_catalog(context, options.plugins);
  const system::Inventory inventory = inventory_of_all(context, options.plugins, catalog);
  std::vector<UnfitSetting> unfit = engine::unfit_settings(inventory);
  if (inventory.topology) {
    // Before the doctor's own work adds to it.
    for (UnfitSetting& load : engine::unfit_load(system::load_average(), inventory.topology->threads))
      unfit.push_back(std::move(load));
  }
  const std::string suite = engine::doctor_suite(catalog, inventory, processes);
  if (suite.empty())
    throw Error(
        "usage.doctor",
        "no plugin provides the benchmark 'doctor' for a device of this machine; look at 'assay list'");
  if (options.folder.empty()) options.folder = "assay-results/doctor-" + engine::make_run_id(unix_s());
  return run_suite(context, options, {"doctor", suite}, [&](const std::string& text) -> CommandVerdict {
    const model::Document document = model::read_document(text);
    const Fitness answer = engine::fitness(unfit, document);
    std::vector<UnfitSetting> spoiling = unfit;
    for (UnfitSetting& each : engine::disturbances(document)) spoiling.push_back(std::move(each));
    print_out(fitness_text(answer, spoiling, engine::deviations(document), context.line_width()));
    return answer.fit ? CommandVerdict()
                      : CommandVerdict{kUnfit, "because the machine is not fit, whatever its cases came to"};
  });
}

}  // namespace

void add_doctor(CLI::App& program, const Context& context, Action& action) {
  struct DoctorOptions {
    RunArguments run;
    int processes = 5;
  };
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = add_command(
      program, "doctor", "is this machine fit to measure on, and how well does it repeat itself?",
      "  assay doctor                 clocks, launch costs, deviation between processes, settings\n"
      "  assay doctor --processes 10  a better figure for the deviation\n");
  value_option(*command, "--processes", "N", options->processes,
               "number of new processes for each kind of work")
      ->check(whole_number(1, 100))
      ->default_str("5");
  value_option(*command, "-o,--output", "DIR", options->run.folder, "folder for the results, new or empty");
  command->add_flag("-q,--quiet", options->run.quiet, "no progress and no table");
  add_plugin_options(*command, options->run.plugins);
  act(*command, action, [options, &context] { return examine(context, options->run, options->processes); });
}

}  // namespace assay::cli
