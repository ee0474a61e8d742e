// SPDX-License-Identifier: Apache-2.0
#include "engine/preparation.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_limits.hpp"
#include "base/json_words.hpp"
#include "baseline/baseline.hpp"
#include "engine/folder.hpp"
#include "engine/peak_tables.hpp"
#include "engine/plugin_search.hpp"
#include "engine/recorded_environment.hpp"
#include "engine/repeatability.hpp"
#include "engine/retry.hpp"
#include "engine/rule_files.hpp"
#include "engine/run_journal.hpp"
#include "judge/earlier.hpp"
#include "judge/least_size.hpp"
#include "judge/shorten.hpp"
#include "suite/expression.hpp"
#include "system/host.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

namespace assay::engine {
namespace {

constexpr std::size_t kLargestInventoryBytes = std::size_t{64} << 20;

// `begun`: what the run that goes on, or an earlier one, chose.
plan::PlanOptions live_options(const Request& request, const result::RunOptions& begun) {
  result::RunOptions asked = recorded_options(request);
  asked.only = begun.only;
  asked.rounds = begun.rounds;
  asked.extensions = begun.extensions;
  plan::PlanOptions options = plan_options(asked);
  options.rounds_follow = request.budget_s.has_value();
  options.missing_libraries.reset();  // they are looked for now
  options.library_path = library_path(request.surroundings, request.plugins);
  return options;
}

// The backends that a plan's cases, the suite's requirements and the site file speak of, in order of first
// mention.
std::vector<std::string> backends_of(const suite::Suite& suite, const plan::Plan& plan,
                                     const plan::Site* site) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty()) add_once(names, name);
  };
  for (const auto& backend : suite.requires_.backends) add(backend.value);
  for (const suite::SuiteCase& suite_case : suite.cases) {
    for (const auto& backend : suite_case.backends) add(backend.value);
  }
  for (const plan::PlannedCase& planned : plan.cases) add(plan::backend_of(planned));
  if (site != nullptr)
    for (const plan::SiteBackend& backend : site->backends) add(backend.name.value);
  return names;
}

// What is there, and who this machine is; both of another one with --inventory.
void look_at_machine(const Request& request, Prepared& prepared) {
  Json host;
  if (request.inventory.empty()) {
    prepared.inventory =
        run::take_inventory(prepared.catalog, backends_of(prepared.suite, prepared.plan, prepared.site.get()),
                            run_settings(request));
  } else {
    const Json json = parse_json(read_named_file(request.inventory, kLargestInventoryBytes),
                                 "inventory.malformed", "'" + request.inventory + "'");
    prepared.inventory = system::inventory_from_json(json);
    if (const auto found = json.find("host"); found != json.end() && found->is_object()) host = *found;
  }
  if (!prepared.inventory.topology) prepared.inventory.topology = system::read_topology();
  prepared.host = host.is_null() ? system::host_identity(*prepared.inventory.topology) : std::move(host);
}

// What --site names, or what the run that goes on was given.
std::shared_ptr<const plan::Site> site_of(const Request& request, const result::RunOptions& begun,
                                          Diagnostics& diagnostics) {
  if (!begun.site && request.site.empty()) return nullptr;
  const std::string file = begun.site ? begun.site->file : request.site;
  const std::string text = begun.site ? begun.site->text : read_named_file(file, kLargestSiteBytes);
  return std::make_shared<const plan::Site>(plan::parse_site(file, text, diagnostics));
}

// Plans on the devices that are there.
void place(const Request& request, const result::RunOptions& begun, Prepared& prepared,
           Diagnostics& diagnostics) {
  plan::PlanOptions planning = live_options(request, begun);
  planning.site = prepared.site;
  planning.host = prepared.host;
  prepared.plan =
      plan::make_plan(prepared.suite, prepared.catalog, &prepared.inventory, planning, diagnostics);
}

}  // namespace

std::string read_include(const std::string& path) { return read_file(path, std::size_t{1} << 20); }

namespace {

// The first expectation of the case that asks for a baseline, or null.
const suite::Expression* use_of_baseline(const suite::SuiteCase& one) {
  for (const suite::SuiteExpectation& expected : one.expect)
    if (expected.that &&
        (suite::has_share_of(*expected.that, "band") || suite::has_share_of(*expected.that, "baseline")))
      return expected.that.get();
  return nullptr;
}

}  // namespace

const suite::Expression* use_of_baseline(const suite::Suite& suite, const plan::Plan& plan) {
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.suite_case >= suite.cases.size()) continue;
    if (const auto* const use = use_of_baseline(suite.cases[planned.suite_case])) return use;
  }
  return nullptr;
}

void check_for_baseline(const Request& request, const suite::Suite& suite, const plan::Plan& plan,
                        Diagnostics& diagnostics) {
  if (!request.baseline.empty()) return;
  if (const auto* const use = use_of_baseline(suite, plan))
    diagnostics.error("suite.no-baseline", use->position, "this is held to a baseline, and none was given",
                      "add --baseline FILE; to measure what 'assay baseline' makes one of: --baseline none");
}

void check_use_of_baseline(const suite::Suite& suite, Diagnostics& diagnostics) {
  for (const suite::SuiteCase& one : suite.cases)
    if (use_of_baseline(one) != nullptr) return;
  if (suite.cases.empty()) return;
  diagnostics.error("suite.unused", suite.cases.front().uses.position,
                    "no expectation of this suite asks for the baseline, so that it would hold nothing",
                    "add 'expect: [METRIC within band]' to a case, or 'METRIC >= 97% of baseline'");
}

// A run in the place of the file that is made of runs.
void refuse_run_as_baseline(const std::string& file) {
  const std::filesystem::path path(file);
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown) && path.filename() != "result.json" &&
      path.filename() != kJournal)
    return;
  throw Error(
      "usage.file",
      "'" + printable(file) +
          "' is a run, but --baseline takes a file that 'assay baseline' made of several runs; to compare "
          "two runs: assay compare OLD NEW");
}

std::optional<result::NamedText> baseline_of(const std::string& file) {
  if (file.empty() || file == kNoBaseline) return std::nullopt;
  refuse_run_as_baseline(file);
  result::NamedText named{printable(file), read_named_file(file, kLargestSiteBytes)};
  (void)baseline::from_yaml(named.file, named.text);
  return named;
}

run::RunSettings run_settings(const Request& request) {
  const Surroundings& surroundings = request.surroundings;
  run::RunSettings settings;
  settings.program = surroundings.program;
  settings.isolation = request.isolation == "case" ? run::Isolation::visit : run::Isolation::worker;
  settings.library_path = library_path(surroundings, request.plugins);
  settings.base_environment = worker_environment(surroundings.environment);
  settings.command_environment = whole_environment(surroundings.environment);
  settings.wrap = split_words(request.wrap);
  settings.lock_folder = lock_folder(surroundings);
  settings.trace = request.timelines;
  return settings;
}

system::Inventory inventory_of_all(const Surroundings& surroundings, const PluginOptions& plugins,
                                   const catalog::Catalog& catalog) {
  std::vector<std::string> backends;
  for (const catalog::Manifest& manifest : catalog.manifests())
    if (!manifest.provides_backend.empty()) backends.push_back(manifest.provides_backend);
  Request request;
  request.surroundings = surroundings;
  request.plugins = plugins;
  return run::take_inventory(catalog, backends, run_settings(request));
}

result::RunOptions recorded_options(const Request& request) {
  result::RunOptions options;
  options.filters = request.filters;
  options.where = request.where;
  options.seed = request.seed.value_or(1);
  options.quick = request.quick;
  options.strict = request.strict;
  if (!request.isolation.empty()) options.isolation = request.isolation;
  options.wrap = request.wrap;
  options.doctor = printable(request.doctor);
  options.made_by = request.made_by;
  return options;
}

plan::PlanOptions plan_options(const result::RunOptions& options) {
  plan::PlanOptions result;
  result.filters = options.filters;
  result.where = options.where;
  result.only = options.only;
  result.seed = options.seed;
  result.quick = options.quick;
  result.missing_libraries = options.missing_libraries;
  result.rounds = options.rounds;
  for (const result::Extension& extension : options.extensions)
    for (const auto& [id, rounds] : extension.rounds) {
      result.rounds[id] = rounds;
      ++result.looks[id];
    }
  return result;
}

Checked plan_suite(const catalog::Catalog& catalog, const system::Inventory* inventory, const SuiteText& text,
                   const suite::ReadFile& read, const std::vector<std::string>& overrides,
                   const plan::PlanOptions& options, Diagnostics diagnostics, const MadeBy& made_by) {
  Checked checked{{}, {}, std::move(diagnostics)};
  checked.suite = suite::parse_suite(text.file, text.text, read, checked.diagnostics);
  for (const std::string& assignment : overrides) {
    const auto made = made_by.find(assignment);
    suite::apply_override(checked.suite, assignment, checked.diagnostics,
                          made == made_by.end() ? suite::kSetOption : made->second);
  }
  // Also after errors: what can be planned shows further problems in the same pass.
  checked.plan = plan::make_plan(checked.suite, catalog, inventory, options, checked.diagnostics);
  return checked;
}

Checked check_suite(const catalog::Catalog& catalog, const SuiteText& text,
                    const std::vector<std::string>& overrides, const plan::PlanOptions& options,
                    const MadeBy& made_by) {
  Checked checked = plan_suite(catalog, nullptr, text, read_include, overrides, options, {}, made_by);
  if (!checked.diagnostics.has_errors())
    judge::refuse_too_large(checked.suite, checked.plan, judge::kMostResultBytes, checked.diagnostics);
  return checked;
}

void tell_problems(const Surroundings& surroundings, const suite::Suite& suite,
                   const Diagnostics& diagnostics, const std::string& consequence, const plan::Site* site) {
  std::map<std::string, std::string> sources(suite.includes.begin(), suite.includes.end());
  sources[suite.file] = suite.source;
  if (site != nullptr) sources[site->file] = site->text;
  constexpr std::size_t kShownProblems = 20;  // more are of one cause, or of another kind of file
  std::string text;
  std::size_t shown = 0;
  const auto problems = diagnostics.sorted();
  for (Diagnostic each : problems) {
    // Columns are of what was typed, and only --set is what a suite reads as it was.
    if (each.position.file.starts_with("--") && each.position.file != suite::kSetOption)
      each.position.line = 0;
    if (shown++ == kShownProblems) {
      text += "… and " + std::to_string(problems.size() - kShownProblems) + " more\n";
      break;
    }
    const auto source = sources.find(each.position.file);
    text += printable(to_text(each, source == sources.end() ? std::string() : source->second));
  }
  if (const std::size_t count = diagnostics.error_count(); count > 0)
    text +=
        printable(fmt::format("{}: {} error{}{}\n", suite.file, count, count == 1 ? "" : "s", consequence));
  tell(surroundings, text);
}

bool all_valid(const Request& request, const std::vector<SuiteText>& suites) {
  const catalog::Catalog catalog = load_catalog(request.surroundings, request.plugins, SameIds::kept);
  const bool has_baseline = baseline_of(request.baseline).has_value();
  bool valid = true;
  for (const SuiteText& text : suites) {
    Checked checked =
        check_suite(catalog, text, request.overrides, live_options(request, {}), request.made_by);
    if (has_baseline) check_use_of_baseline(checked.suite, checked.diagnostics);
    check_for_baseline(request, checked.suite, checked.plan, checked.diagnostics);
    if (!checked.diagnostics.has_errors()) continue;
    tell_problems(request.surroundings, checked.suite, checked.diagnostics, ", nothing was run");
    valid = false;
  }
  return valid;
}

bool prepare(const Request& request, const SuiteText& text, const result::RunOptions& begun,
             Prepared& prepared) {
  prepared.catalog = load_catalog(request.surroundings, request.plugins, SameIds::kept);
  const plan::PlanOptions planning = live_options(request, begun);
  // First without devices: what is wrong with the suite is said before any plugin's code runs.
  Checked checked = check_suite(prepared.catalog, text, request.overrides, planning, request.made_by);
  if (!checked.diagnostics.has_errors()) refuse_unused_plugins(prepared.catalog, checked.suite);
  prepared.suite = std::move(checked.suite);
  prepared.plan = std::move(checked.plan);
  prepared.site = site_of(request, begun, checked.diagnostics);
  prepared.baseline = begun.baseline ? begun.baseline : baseline_of(request.baseline);
  if (!begun.baseline && prepared.baseline) check_use_of_baseline(prepared.suite, checked.diagnostics);
  prepared.peaks = load_peaks(request.surroundings, prepared.catalog, request.peaks, checked.diagnostics);
  prepared.rules = load_rules(request.surroundings, prepared.catalog, checked.diagnostics);
  if (!checked.diagnostics.has_errors()) {
    look_at_machine(request, prepared);
    Diagnostics placed;
    place(request, begun, prepared, placed);
    if (!placed.has_errors())
      judge::refuse_too_large(prepared.suite, prepared.plan, judge::kMostResultBytes, placed);
    if (placed.has_errors()) checked.diagnostics = std::move(placed);
    if (!request.doctor.empty() && request.resume.empty())
      prepared.run_to_run = measured_repeatability(request.doctor, prepared.inventory, prepared.host);
  }
  tell_problems(request.surroundings, prepared.suite, checked.diagnostics, ", nothing was run",
                prepared.site.get());
  return !checked.diagnostics.has_errors();
}

void plan_again(const Request& request, const result::RunOptions& begun, Prepared& prepared) {
  Diagnostics known;  // said already
  place(request, begun, prepared, known);
}

bool prepare_retry(Request& request, const SuiteText& text, Prepared& prepared,
                   result::JournalHeader& header) {
  try {
    const model::Document document = read_earlier(request);
    header.options.only = planned_in(document);
    header.options.rounds = chosen_rounds_in(document);
    if (!prepare(request, text, header.options, prepared)) return false;
    header.options.only = cases_to_retry(document, prepared.suite, prepared.plan,
                                         system::to_json(prepared.inventory).at("backends"), prepared.host);
    plan_again(request, header.options, prepared);
    header.earlier = judge::earlier_from_document(document);
    Json& cases = header.earlier["cases"];
    for (auto entry = cases.begin(); entry != cases.end();) {
      entry = header.options.only->contains(entry.key()) ? std::next(entry) : cases.erase(entry);
    }
    return true;
  } catch (const nlohmann::json::exception& error) {
    throw Error("result.malformed", "'" + request.failed + "' is not whole: " + in_words(error));
  }
}

}  // namespace assay::engine
