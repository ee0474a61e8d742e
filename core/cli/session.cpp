// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/environment.hpp"
#include "cli/folder.hpp"
#include "cli/plan_text.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/version.hpp"
#include "plan/plan.hpp"
#include "result/exit_code.hpp"
#include "system/host.hpp"
#include "system/peaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Everything that is fixed before the first visit.
struct Prepared {
  catalog::Catalog catalog;
  suite::Suite suite;
  system::Inventory inventory;
  plan::Plan plan;
  Json peaks;
};

run::Settings run_settings(const Context& context, const RunOptions& options) {
  run::Settings settings;
  settings.program = context.program;
  settings.isolation = options.isolation == "case" ? run::Isolation::visit : run::Isolation::worker;
  settings.library_path = library_path(context, options.plugins);
  for (const auto& [name, value] : context.environment)
    settings.base_environment.push_back(name + "=" + value);
  settings.wrap = split_words(options.wrap);
  settings.lock_folder = lock_folder(context);
  return settings;
}

plan::Options plan_options(const Context& context, const RunOptions& options) {
  plan::Options result;
  result.filters = options.filters;
  result.seed = options.seed;
  result.quick = options.quick;
  result.library_path = library_path(context, options.plugins);
  return result;
}

// The backends that a plan's cases and the suite's requirements speak of, in order of first mention.
std::vector<std::string> backends_of(const suite::Suite& suite, const plan::Plan& plan) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& backend : suite.requires_.backends) add(backend.value);
  for (const suite::Case& suite_case : suite.cases) {
    for (const auto& backend : suite_case.backends) add(backend.value);
  }
  for (const plan::Case& planned : plan.cases) add(plan::backend_of(planned));
  return names;
}

std::map<std::string, std::string> sources_of(const suite::Suite& suite) {
  std::map<std::string, std::string> sources = {{suite.file, suite.source}};
  for (const auto& [file, text] : suite.includes) sources[file] = text;
  return sources;
}

// Parses and plans. Gives the exit code instead if the suite is invalid.
std::optional<int> prepare(const Context& context, const RunOptions& options, const SuiteText& text,
                           Prepared& prepared) {
  prepared.catalog = load_catalog(context, options.plugins);
  Diagnostics diagnostics;
  prepared.suite = suite::parse_suite(text.file, text.text, read_include, diagnostics);
  for (const std::string& assignment : options.overrides)
    suite::apply_override(prepared.suite, assignment, diagnostics);
  const plan::Options planning = plan_options(context, options);
  // First without devices: what is wrong with the suite is said before any plugin's code runs.
  if (!diagnostics.has_errors()) {
    prepared.plan = plan::make_plan(prepared.suite, prepared.catalog, nullptr, planning, diagnostics);
  }
  if (!diagnostics.has_errors()) {
    prepared.inventory =
        options.inventory.empty()
            ? run::take_inventory(prepared.catalog, backends_of(prepared.suite, prepared.plan),
                                  run_settings(context, options))
            : system::inventory_from_json(Json::parse(read_file(options.inventory), nullptr, true));
    if (!prepared.inventory.topology) prepared.inventory.topology = system::read_topology();
    Diagnostics placed;
    prepared.plan = plan::make_plan(prepared.suite, prepared.catalog, &prepared.inventory, planning, placed);
    if (placed.has_errors()) diagnostics = std::move(placed);
  }
  print(diagnostics, sources_of(prepared.suite));
  if (!diagnostics.has_errors()) return std::nullopt;
  print_error(fmt::format("{}: {} error{}, nothing was run\n", text.file, diagnostics.error_count(),
                          diagnostics.error_count() == 1 ? "" : "s"));
  return kInvalidSuite;
}

result::JournalHeader make_header(const Context& context, const RunOptions& options, const Prepared& prepared,
                                  const std::string& id, double now) {
  result::JournalHeader header;
  header.run_id = id;
  header.started_at_s = now;
  header.tool = {{"name", "assay"}, {"version", version_number()}, {"commit", version_commit()}};
  for (const std::string& word : context.command) header.command.push_back(printable(word));
  header.suite_file = prepared.suite.file;
  header.suite_text = prepared.suite.source;
  header.includes = prepared.suite.includes;
  header.overrides = options.overrides;
  header.options = {{"filters", options.filters},
                    {"seed", options.seed},
                    {"quick", options.quick},
                    {"strict", options.strict},
                    {"isolation", options.isolation},
                    {"wrap", options.wrap},
                    {"missing_libraries", prepared.plan.missing_libraries}};
  header.inventory = system::to_json(prepared.inventory);
  header.system = system::host_identity(*prepared.inventory.topology);
  header.environment = recorded_environment(context.environment);
  header.manifests = Json::array();
  std::set<const catalog::Manifest*> used;
  for (const plan::Case& planned : prepared.plan.cases) used.insert(planned.manifest);
  for (const catalog::Manifest& manifest : prepared.catalog.manifests()) {
    if (used.contains(&manifest))
      header.manifests.push_back({{"path", manifest.path}, {"manifest", manifest.json}});
  }
  header.contracts = Json::array();
  header.peaks = prepared.peaks;
  header.plan_hash = prepared.plan.hash;
  return header;
}

// What a journal on the disk already holds of this very plan. Throws Error if it is another one's.
result::Journal resumable(const fs::path& journal_file, const Prepared& prepared) {
  result::Journal journal = result::read_journal(journal_file);
  if (journal.header.plan_hash != prepared.plan.hash) {
    std::string why = "the plan differs";
    if (journal.header.suite_text != prepared.suite.source) why = "the suite was changed since";
    if (journal.header.inventory != system::to_json(prepared.inventory))
      why = "it was made on another machine, or its devices changed";
    throw Error("journal.other-plan", "'" + journal_file.string() + "' cannot be resumed: " + why +
                                          "; start anew without --resume");
  }
  return journal;
}

judge::Options judge_options(bool strict) {
  judge::Options options;
  options.strict = strict;
  return options;
}

}  // namespace

std::string read_include(const std::string& path) { return read_file(path, std::size_t{1} << 20); }

int worst_exit_code(const std::vector<int>& codes) {
  constexpr std::array<int, 10> kOrder = {kUsage, kInvalidSuite, kNoPlugin, 130, 143, 129, 5, 1, 6, 7};
  for (const int code : kOrder) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) return code;
  }
  return 0;
}

int run_suite(const Context& context, const RunOptions& options, const SuiteText& text) {
  Prepared prepared;
  if (const auto code = prepare(context, options, text, prepared)) return *code;

  Diagnostics usage;
  Rendering rendering;
  for (const std::string& request : options.reports)
    rendering.requests.push_back(report::parse_request(request, prepared.catalog, usage));
  if (options.reports.empty()) {
    rendering.requests = default_reports();
  } else if (std::none_of(rendering.requests.begin(), rendering.requests.end(),
                          [](const report::Request& request) {
                            return request.reporter == "json" && request.path.empty();
                          })) {
    rendering.requests.insert(rendering.requests.begin(), {"json", {}, ""});  // the truth is always kept
  }
  if (usage.has_errors()) {
    print(usage, {});
    return kUsage;
  }
  if (options.dry_run) {
    print_out(plan_text(prepared.plan));
    return prepared.plan.unmet.empty() ? 0 : 6;
  }

  const double started = unix_time();
  result::JournalHeader header;
  std::vector<result::Visit> done;
  std::optional<result::JournalWriter> journal;
  if (!options.resume.empty()) {
    rendering.folder = fs::canonical(options.resume);
    result::Journal earlier = resumable(rendering.folder / "journal.jsonl", prepared);
    header = std::move(earlier.header);
    header.options["resumed"] = true;
    done = std::move(earlier.visits);
    journal.emplace(result::JournalWriter::resume(rendering.folder / "journal.jsonl"));
  } else {
    const std::string id = make_run_id(started);
    rendering.folder = make_results_folder(options.folder, prepared.suite.name, id);
    header = make_header(context, options, prepared, id, started);
    journal.emplace(rendering.folder / "journal.jsonl", header);
  }

  run::Record record;
  if (prepared.plan.unmet.empty()) {
    const SignalCatcher signals;
    ProgressLine progress(context.errors_are_terminal, options.quiet, context.width);
    const auto stop = [] {
      const SignalCatcher::Received received = SignalCatcher::received();
      return run::StopRequest{received.signal, received.count};
    };
    record = run::run(
        prepared.plan, prepared.inventory, prepared.catalog, run_settings(context, options), done, stop,
        [&](const result::Visit& visit) { journal->visit(visit); },
        [&](const run::Progress& at) { progress.show(at); });
  }
  const result::JournalEnd end{unix_time(), record.interrupted_by};
  journal->end(end);

  const Json document = judge::judge(prepared.suite, prepared.plan, prepared.inventory, header, record.visits,
                                     end, judge_options(options.strict));
  const int code = document.at("verdict").at("exit_code").get<int>();
  rendering.console = !options.quiet;
  const bool rendered = render_reports(context, prepared.catalog, document.dump(1) + "\n", rendering);
  return worst_exit_code({code, rendered ? 0 : 7});
}

}  // namespace assay::cli
