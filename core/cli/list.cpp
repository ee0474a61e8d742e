// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/json.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/plan_text.hpp"
#include "cli/progress.hpp"
#include "cli/served.hpp"
#include "cli/table.hpp"
#include "engine/effort.hpp"
#include "engine/plugin_search.hpp"
#include "engine/preparation.hpp"
#include "engine/suite_search.hpp"
#include "suite/suite.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace assay::cli {
namespace {

struct ListOptions {
  PluginOptions plugins;
  bool json = false;
  bool verbose = false;
};

// "45 s": how long the run takes here at most; "not here" where something is missing.
std::string time_text(const suite::Suite& suite, const plan::Plan& plan) {
  const engine::Effort effort = engine::effort_of(suite, plan, {});
  if (!plan.unmet.empty() || effort.cases.empty()) return "not here";
  const RunTime time = time_of_run(plan, effort);
  if (!time.has_commands) return duration_text(time.seconds);
  return time.seconds > 0 ? duration_text(time.seconds) + " and commands" : "its commands";
}

// What the suite is for, in its own words, and how long it takes.
std::vector<std::string> suite_row(const std::filesystem::path& file, const catalog::Catalog& catalog,
                                   const system::Inventory& inventory) {
  const std::string name = printable(file.stem().string());
  try {
    const engine::Checked checked =
        engine::plan_suite(catalog, &inventory, {file.string(), engine::read_include(file.string())},
                           engine::read_include, {}, {});
    if (checked.diagnostics.has_errors())
      return {name, "", "not valid: 'assay validate " + name + "' says why"};
    return {name, time_text(checked.suite, checked.plan), printable(checked.suite.description)};
  } catch (const Error& error) {
    return {name, "", printable(error.what())};
  }
}

std::string suites_text(const catalog::Catalog& catalog, const system::Inventory& inventory,
                        const Context& context, bool verbose) {
  PlainTable table;
  std::set<std::string> names;  // of two files the first one is found by the name
  for (const auto& folder : suite_folders(context)) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".yaml" && names.insert(entry.path().stem()).second)
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      std::vector<std::string> row = suite_row(file, catalog, inventory);
      row.push_back(verbose ? printable(file.string()) : "");
      table.add(std::move(row));
    }
  }
  return table.empty()
             ? ""
             : "\nsuites, and how long each takes here at most ('assay run SUITE --dry-run' says what is missing)\n" +
                   table.text("  ", context.line_width());
}

std::string plugins_text(const catalog::Catalog& catalog, const Context& context, bool verbose) {
  PlainTable benchmarks, backends, reporters;
  for (const catalog::Manifest& manifest : catalog.manifests()) {
    const std::string where = verbose ? manifest.path : "";
    const std::string why = unserved(manifest);
    const auto summary = [&](const std::string& text) {
      return why.empty() ? printable(text) : "not usable: " + why;
    };
    for (const catalog::Benchmark& benchmark : manifest.benchmarks) {
      benchmarks.add({benchmark.name + "@" + manifest.backend, summary(benchmark.summary),
                      manifest.id + " " + manifest.version, where});
    }
    if (!manifest.provides_backend.empty()) {
      backends.add({manifest.provides_backend, summary(manifest.summary),
                    manifest.id + " " + manifest.version, where});
    }
    for (const catalog::Reporter& reporter : manifest.reporters) {
      reporters.add({reporter.name, summary(reporter.summary), manifest.id + " " + manifest.version, where});
    }
  }
  const int width = context.line_width();
  std::string text;
  if (!benchmarks.empty()) text += "benchmarks\n" + benchmarks.text("  ", width);
  if (!backends.empty()) text += "\nbackends\n" + backends.text("  ", width);
  if (!reporters.empty()) text += "\nreporters\n" + reporters.text("  ", width);
  return text.empty() ? "no plugins were found; 'assay list -v' shows where they are looked for\n" : text;
}

std::string places_text(const catalog::Catalog& catalog, const catalog::SearchPath& searched) {
  PlainTable shadowed, folders;
  for (const catalog::Manifest& manifest : catalog.shadowed())
    shadowed.add({manifest.id + " " + manifest.version, manifest.path});
  for (const auto& folder : searched.folders) folders.add({folder.string()});
  return (shadowed.empty() ? ""
                           : "\nshadowed by a plugin of the same id found earlier\n" + shadowed.text("  ")) +
         "\nlooked for plugins in\n" + folders.text("  ");
}

Json json_of(const catalog::Catalog& catalog) {
  Json plugins = Json::array();
  for (const catalog::Manifest& manifest : catalog.manifests()) {
    Json entry = manifest.json;
    entry["path"] = manifest.path;
    if (const std::string why = unserved(manifest); !why.empty()) entry["not_usable"] = why;
    plugins.push_back(std::move(entry));
  }
  return {{"plugins", std::move(plugins)}};
}

}  // namespace

void add_list(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = add_command(program, "list", "list benchmarks, backends, reporters and suites",
                                  "  assay list            what there is\n"
                                  "  assay list -v         with the files it comes from\n");
  command->add_flag("-v,--verbose", options->verbose, "files, and plugins that are shadowed by others, too");
  command->add_flag("--json", options->json, "manifests as JSON");
  add_plugin_options(*command, options->plugins);
  command->callback([options, &context, &action] {
    action = [options, &context] {
      const catalog::Catalog catalog = load_catalog(context, options->plugins);
      if (options->json) {
        print_out(json_of(catalog).dump(2) + "\n");
        return 0;
      }
      print_out(plugins_text(catalog, context, options->verbose));
      // Devices are asked last: a driver may take its time.
      const system::Inventory inventory = engine::inventory_of_all(context, options->plugins, catalog);
      print_out(suites_text(catalog, inventory, context, options->verbose));
      if (options->verbose) print_out(places_text(catalog, search_path(context, options->plugins)));
      return 0;
    };
  });
}

}  // namespace assay::cli
