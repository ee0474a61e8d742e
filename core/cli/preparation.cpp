// SPDX-License-Identifier: Apache-2.0
#include "cli/preparation.hpp"

#include "base/error.hpp"
#include "base/json_limits.hpp"
#include "base/json_words.hpp"
#include "cli/environment.hpp"
#include "cli/folder.hpp"
#include "cli/output.hpp"
#include "cli/peak_tables.hpp"
#include "cli/plugin_search.hpp"
#include "cli/repeatability.hpp"
#include "cli/retry.hpp"
#include "judge/earlier.hpp"
#include "judge/least_size.hpp"
#include "judge/shorten.hpp"
#include "system/host.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {
namespace {

constexpr std::size_t kLargestInventoryBytes = std::size_t{64} << 20;

plan::Options plan_options(const Context& context, const RunOptions& options) {
  plan::Options result;
  result.filters = options.filters;
  result.seed = options.seed.value_or(1);
  result.quick = options.quick;
  result.library_path = library_path(context, options.plugins);
  return result;
}

// The backends that a plan's cases, the suite's requirements and the site file speak of, in order of first
// mention.
std::vector<std::string> backends_of(const suite::Suite& suite, const plan::Plan& plan,
                                     const plan::Site* site) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& backend : suite.requires_.backends) add(backend.value);
  for (const suite::Case& suite_case : suite.cases) {
    for (const auto& backend : suite_case.backends) add(backend.value);
  }
  for (const plan::Case& planned : plan.cases) add(plan::backend_of(planned));
  if (site != nullptr)
    for (const plan::SiteBackend& backend : site->backends) add(backend.name.value);
  return names;
}

// What is there, and who this machine is; both of another one with --inventory.
void look_at_machine(const Context& context, const RunOptions& options, Prepared& prepared) {
  Json host;
  if (options.inventory.empty()) {
    prepared.inventory =
        run::take_inventory(prepared.catalog, backends_of(prepared.suite, prepared.plan, prepared.site.get()),
                            run_settings(context, options));
  } else {
    const Json json = parse_json(read_named_file(options.inventory, kLargestInventoryBytes),
                                 "inventory.malformed", "'" + options.inventory + "'");
    prepared.inventory = system::inventory_from_json(json);
    if (const auto found = json.find("host"); found != json.end() && found->is_object()) host = *found;
  }
  if (!prepared.inventory.topology) prepared.inventory.topology = system::read_topology();
  prepared.host = host.is_null() ? system::host_identity(*prepared.inventory.topology) : std::move(host);
}

// What --site names, or what the run that goes on was given.
std::shared_ptr<const plan::Site> site_of(const RunOptions& options, Diagnostics& diagnostics) {
  if (options.recorded_site) {
    return std::make_shared<const plan::Site>(
        plan::parse_site(options.recorded_site->file, options.recorded_site->text, diagnostics));
  }
  if (options.site.empty()) return nullptr;
  const std::string text = read_named_file(options.site, kLargestSiteBytes);
  return std::make_shared<const plan::Site>(plan::parse_site(options.site, text, diagnostics));
}

}  // namespace

run::Settings run_settings(const Context& context, const RunOptions& options) {
  run::Settings settings;
  settings.program = context.program;
  settings.isolation = options.isolation == "case" ? run::Isolation::visit : run::Isolation::worker;
  settings.library_path = library_path(context, options.plugins);
  settings.base_environment = worker_environment(context.environment);
  settings.command_environment = whole_environment(context.environment);
  settings.wrap = split_words(options.wrap);
  settings.lock_folder = lock_folder(context);
  return settings;
}

system::Inventory inventory_of_all(const Context& context, const PluginOptions& plugins,
                                   const catalog::Catalog& catalog) {
  std::vector<std::string> backends;
  for (const catalog::Manifest& manifest : catalog.manifests())
    if (!manifest.provides_backend.empty()) backends.push_back(manifest.provides_backend);
  RunOptions options;
  options.plugins = plugins;
  return run::take_inventory(catalog, backends, run_settings(context, options));
}

Checked check_suite(const catalog::Catalog& catalog, const SuiteText& text,
                    const std::vector<std::string>& overrides, const plan::Options& options) {
  Checked checked;
  checked.suite = suite::parse_suite(text.file, text.text, read_include, checked.diagnostics);
  for (const std::string& assignment : overrides)
    suite::apply_override(checked.suite, assignment, checked.diagnostics);
  // Also after errors: what can be planned shows further problems in the same pass.
  checked.plan = plan::make_plan(checked.suite, catalog, nullptr, options, checked.diagnostics);
  if (!checked.diagnostics.has_errors())
    judge::refuse_too_large(checked.suite, checked.plan, judge::kMostResultBytes, checked.diagnostics);
  return checked;
}

void print_problems(const suite::Suite& suite, const Diagnostics& diagnostics, const std::string& consequence,
                    const plan::Site* site) {
  std::map<std::string, std::string> sources(suite.includes.begin(), suite.includes.end());
  sources[suite.file] = suite.source;
  if (site != nullptr) sources[site->file] = site->text;
  print(diagnostics, sources);
  const std::size_t count = diagnostics.error_count();
  if (count == 0) return;
  print_error(
      printable(fmt::format("{}: {} error{}{}\n", suite.file, count, count == 1 ? "" : "s", consequence)));
}

bool all_valid(const Context& context, const RunOptions& options, const std::vector<SuiteText>& suites) {
  const catalog::Catalog catalog = load_catalog(context, options.plugins);
  bool valid = true;
  for (const SuiteText& text : suites) {
    const Checked checked = check_suite(catalog, text, options.overrides, plan_options(context, options));
    if (!checked.diagnostics.has_errors()) continue;
    print_problems(checked.suite, checked.diagnostics, ", nothing was run");
    valid = false;
  }
  return valid;
}

std::optional<int> prepare(const Context& context, const RunOptions& options, const SuiteText& text,
                           std::optional<std::set<std::string>> only, Prepared& prepared) {
  prepared.catalog = load_catalog(context, options.plugins);
  plan::Options planning = plan_options(context, options);
  planning.only = std::move(only);
  // First without devices: what is wrong with the suite is said before any plugin's code runs.
  Checked checked = check_suite(prepared.catalog, text, options.overrides, planning);
  prepared.suite = std::move(checked.suite);
  prepared.plan = std::move(checked.plan);
  prepared.site = site_of(options, checked.diagnostics);
  prepared.peaks = load_peaks(context, prepared.catalog, options.peaks, checked.diagnostics);
  if (!checked.diagnostics.has_errors()) {
    look_at_machine(context, options, prepared);
    planning.site = prepared.site;
    planning.host = prepared.host;
    Diagnostics placed;
    prepared.plan = plan::make_plan(prepared.suite, prepared.catalog, &prepared.inventory, planning, placed);
    if (!placed.has_errors())
      judge::refuse_too_large(prepared.suite, prepared.plan, judge::kMostResultBytes, placed);
    if (placed.has_errors()) checked.diagnostics = std::move(placed);
    if (!options.doctor.empty() && options.resume.empty())
      prepared.run_to_run = measured_repeatability(options.doctor, prepared.inventory, prepared.host);
  }
  print_problems(prepared.suite, checked.diagnostics, ", nothing was run", prepared.site.get());
  if (!checked.diagnostics.has_errors()) return std::nullopt;
  return kInvalidSuite;
}

std::optional<int> prepare_retry(const Context& context, RunOptions& options, const SuiteText& text,
                                 Prepared& prepared, result::JournalHeader& header) {
  try {
    const Json document = read_earlier(options);
    if (const auto code = prepare(context, options, text, planned_in(document), prepared)) return code;
    const std::set<std::string> chosen =
        cases_to_retry(document, prepared.suite, prepared.plan,
                       system::to_json(prepared.inventory).at("backends"), prepared.host);
    plan::Options planning = plan_options(context, options);
    planning.only = chosen;
    planning.site = prepared.site;
    planning.host = prepared.host;
    Diagnostics known;  // said already
    prepared.plan = plan::make_plan(prepared.suite, prepared.catalog, &prepared.inventory, planning, known);
    header.options["only"] = chosen;
    header.earlier = judge::earlier_from_document(document);
    Json& cases = header.earlier["cases"];
    for (auto entry = cases.begin(); entry != cases.end();) {
      entry = chosen.contains(entry.key()) ? std::next(entry) : cases.erase(entry);
    }
    return std::nullopt;
  } catch (const nlohmann::json::exception& error) {
    throw Error("result.malformed", "'" + options.failed + "' is not whole: " + in_words(error));
  }
}

}  // namespace assay::cli
