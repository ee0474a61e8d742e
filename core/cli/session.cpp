// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json_limits.hpp"
#include "base/text.hpp"
#include "cli/environment.hpp"
#include "cli/folder.hpp"
#include "cli/plan_text.hpp"
#include "cli/progress.hpp"
#include "cli/resume.hpp"
#include "cli/retry.hpp"
#include "cli/signals.hpp"
#include "cli/version.hpp"
#include "judge/earlier.hpp"
#include "judge/reproduce.hpp"
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

constexpr const char* kJournal = "journal.jsonl";

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double monotonic_time() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Everything that is fixed before the first visit.
struct Prepared {
  catalog::Catalog catalog;
  suite::Suite suite;
  system::Inventory inventory;
  Json host;
  plan::Plan plan;
  Json peaks;
};

run::Settings run_settings(const Context& context, const RunOptions& options) {
  run::Settings settings;
  settings.program = context.program;
  settings.isolation = options.isolation == "case" ? run::Isolation::visit : run::Isolation::worker;
  settings.library_path = library_path(context, options.plugins);
  settings.base_environment = worker_environment(context.environment);
  settings.wrap = split_words(options.wrap);
  settings.lock_folder = lock_folder(context);
  return settings;
}

plan::Options plan_options(const Context& context, const RunOptions& options) {
  plan::Options result;
  result.filters = options.filters;
  result.seed = options.seed.value_or(1);
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

// Parses and plans; `only` as --failed chose. Gives the exit code instead if the suite is invalid.
std::optional<int> prepare(const Context& context, const RunOptions& options, const SuiteText& text,
                           std::optional<std::set<std::string>> only, Prepared& prepared) {
  prepared.catalog = load_catalog(context, options.plugins);
  Diagnostics diagnostics;
  prepared.suite = suite::parse_suite(text.file, text.text, read_include, diagnostics);
  for (const std::string& assignment : options.overrides)
    suite::apply_override(prepared.suite, assignment, diagnostics);
  plan::Options planning = plan_options(context, options);
  planning.only = std::move(only);
  // First without devices: what is wrong with the suite is said before any plugin's code runs.
  if (!diagnostics.has_errors()) {
    prepared.plan = plan::make_plan(prepared.suite, prepared.catalog, nullptr, planning, diagnostics);
  }
  if (!diagnostics.has_errors()) {
    prepared.inventory =
        options.inventory.empty()
            ? run::take_inventory(prepared.catalog, backends_of(prepared.suite, prepared.plan),
                                  run_settings(context, options))
            : system::inventory_from_json(parse_json(read_file(options.inventory), "inventory.malformed",
                                                     "'" + options.inventory + "'"));
    if (!prepared.inventory.topology) prepared.inventory.topology = system::read_topology();
    Diagnostics placed;
    prepared.plan = plan::make_plan(prepared.suite, prepared.catalog, &prepared.inventory, planning, placed);
    if (placed.has_errors()) diagnostics = std::move(placed);
    prepared.host = system::host_identity(*prepared.inventory.topology);
  }
  print(diagnostics, sources_of(prepared.suite));
  if (!diagnostics.has_errors()) return std::nullopt;
  print_error(fmt::format("{}: {} error{}, nothing was run\n", text.file, diagnostics.error_count(),
                          diagnostics.error_count() == 1 ? "" : "s"));
  return kInvalidSuite;
}

// What is loaded to measure: the plugins of cases and backends, with the SHA-256 of each library.
Json loaded_libraries(const Prepared& prepared, const std::set<const catalog::Manifest*>& used) {
  Json libraries = Json::array();
  for (const catalog::Manifest& manifest : prepared.catalog.manifests()) {
    const auto& backends = prepared.inventory.backends;
    const bool is_backend =
        std::any_of(backends.begin(), backends.end(),
                    [&](const system::Backend& backend) { return backend.plugin == manifest.id; });
    std::error_code missing;
    if ((!is_backend && !used.contains(&manifest)) || !fs::exists(manifest.library, missing)) continue;
    libraries.push_back(
        {{"id", manifest.id}, {"version", manifest.version}, {"sha256", sha256_of_file(manifest.library)}});
  }
  return libraries;
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
                    {"seed", options.seed.value_or(1)},
                    {"quick", options.quick},
                    {"strict", options.strict},
                    {"isolation", options.isolation.empty() ? "worker" : options.isolation},
                    {"wrap", options.wrap},
                    {"missing_libraries", prepared.plan.missing_libraries}};
  header.inventory = system::to_json(prepared.inventory);
  header.system = prepared.host;
  header.environment = recorded_environment(context.environment);
  header.manifests = Json::array();
  std::set<const catalog::Manifest*> used;
  for (const plan::Case& planned : prepared.plan.cases) used.insert(planned.manifest);
  for (const catalog::Manifest& manifest : prepared.catalog.manifests()) {
    if (used.contains(&manifest))
      header.manifests.push_back({{"path", manifest.path}, {"manifest", manifest.json}});
  }
  header.options["libraries"] = loaded_libraries(prepared, used);
  header.contracts = Json::array();
  header.peaks = prepared.peaks;
  header.plan_hash = prepared.plan.hash;
  return header;
}

// What --failed chooses: the suite is planned as the earlier run planned it, then what it takes of it. Gives
// the exit code instead if the suite is invalid.
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
    Diagnostics known;
    prepared.plan = plan::make_plan(prepared.suite, prepared.catalog, &prepared.inventory, planning, known);
    header.options["only"] = chosen;
    header.earlier = judge::earlier_from_document(document);
    Json& cases = header.earlier["cases"];
    for (auto entry = cases.begin(); entry != cases.end();) {
      entry = chosen.contains(entry.key()) ? std::next(entry) : cases.erase(entry);
    }
    return std::nullopt;
  } catch (const nlohmann::json::exception& error) {
    throw Error("result.malformed", "'" + options.failed + "' is not whole: " + error.what());
  }
}

// Throws Error if the journal is of another plan than this.
void require_same_plan(const result::JournalHeader& header, const Prepared& prepared) {
  std::string why = why_other_machine(header.inventory.at("backends"), header.system,
                                      system::to_json(prepared.inventory).at("backends"), prepared.host);
  if (why.empty() && header.plan_hash == prepared.plan.hash && header.suite_text == prepared.suite.source)
    return;
  if (why.empty() &&
      (header.suite_text != prepared.suite.source || header.includes != prepared.suite.includes))
    why = "the suite was changed since";
  if (why.empty()) {
    why = "its plan differs: a plugin was changed, or what this machine lacks";
  }
  throw Error("journal.other-plan", "the run cannot be resumed: " + why + "; start anew without --resume");
}

judge::Options judge_options(bool strict) {
  judge::Options options;
  options.strict = strict;
  return options;
}

// A header that somebody else wrote may lack what it should have.
template <typename Function>
void checked(const fs::path& folder, Function function) {
  try {
    function();
  } catch (const nlohmann::json::exception& error) {
    throw Error("journal.malformed",
                "'" + (folder / kJournal).string() + "' lacks something in its first line: " + error.what());
  }
}

// The cases to which the run that is gone on with was restricted by --failed.
std::optional<std::set<std::string>> chosen_before(const result::JournalHeader& header) {
  if (!header.options.is_object() || !header.options.contains("only")) return std::nullopt;
  return header.options.at("only").get<std::set<std::string>>();
}

// Reads --report. False if a request is wrong, which is then printed.
bool requests_of(const RunOptions& options, const Prepared& prepared,
                 std::vector<report::Request>& requests) {
  Diagnostics usage;
  for (const std::string& request : options.reports)
    requests.push_back(report::parse_request(request, prepared.catalog, usage));
  const auto keeps_truth = [](const report::Request& request) {
    return request.reporter == "json" && request.path.empty();
  };
  if (options.reports.empty()) {
    requests = default_reports();
  } else if (std::none_of(requests.begin(), requests.end(), keeps_truth)) {
    requests.insert(requests.begin(), {"json", {}, ""});  // the truth is always kept
  }
  if (usage.has_errors()) print(usage, {});
  return !usage.has_errors();
}

// A new run's journal, in a new folder or in that of a run which was killed before it began.
result::JournalWriter begin(const Context& context, const RunOptions& options, const fs::path& resumed,
                            const Prepared& prepared, const result::JournalHeader& chosen, fs::path& folder) {
  const double now = unix_time();
  const std::string id = make_run_id(now);
  result::JournalHeader header = make_header(context, options, prepared, id, now);
  header.earlier = chosen.earlier;
  if (chosen.options.is_object() && chosen.options.contains("only"))
    header.options["only"] = chosen.options.at("only");
  if (!resumed.empty()) {
    folder = resumed;
    print_error("nothing was measured in '" + printable(folder.string()) + "' yet: the run begins there\n");
    return result::JournalWriter::begin_again(folder / kJournal, header);
  }
  const ResultsFolder made = make_results_folder(options.folder, prepared.suite.name, id);
  folder = made.path;
  try {
    result::JournalWriter journal(folder / kJournal, header);
    if (options.folder.empty()) link_latest(folder);
    return journal;
  } catch (const Error&) {
    std::error_code ignored;  // somebody else's files stay
    if (made.made) fs::remove(folder, ignored);
    throw;
  }
}

// The journal of a run that goes on, and what it holds already, without the samples.
result::JournalWriter go_on(const Context& context, const fs::path& folder, const Prepared& prepared,
                            std::vector<result::Visit>& done) {
  result::JournalWriter journal = result::JournalWriter::resume(folder / kJournal);
  result::Journal earlier = result::read_journal(folder / kJournal);
  require_same_plan(earlier.header, prepared);
  done = std::move(earlier.visits);
  for (result::Visit& visit : done) {
    visit.ranks.clear();
    visit.telemetry.clear();
  }
  std::vector<std::string> command;
  for (const std::string& word : context.command) command.push_back(printable(word));
  journal.resumed(unix_time(), command);
  // It speaks of fewer visits than the journal from now on.
  std::error_code ignored;
  fs::remove(folder / "result.json", ignored);
  return journal;
}

// Runs what is left of the plan. Gives the signal that ended it, or 0.
int measure(const RunOptions& options, const Context& context, const run::Settings& settings,
            const Prepared& prepared, const std::vector<result::Visit>& done, const Rendering& rendering,
            result::JournalWriter& journal) {
  if (!prepared.plan.unmet.empty()) return 0;
  const SignalCatcher signals;
  ProgressLine progress(context.errors_are_terminal, options.quiet, context.width);
  const auto stop = [] {
    const SignalCatcher::Received received = SignalCatcher::received();
    return run::StopRequest{received.signal, received.count};
  };
  std::size_t kept = done.size();
  int restored = 0;
  const auto keep = [&](const result::Visit& visit) {
    try {
      journal.visit(visit);
    } catch (const Error& error) {
      const std::string next = rendering.repeat.empty()
                                   ? ""
                                   : "; once that is settled, go on with: " + rendering.repeat +
                                         " --resume " + judge::shell_word(rendering.run.string());
      throw Error("run.stopped", fmt::format("{}; {} of {} visits are kept{}", error.what(), kept,
                                             prepared.plan.order.size(), next));
    }
    ++kept;
    if (journal.restored() == restored) return;
    restored = journal.restored();
    progress.clear();
    print_error("assay: '" + printable(rendering.run.string()) +
                "' was removed meanwhile; it was made again, with every visit that was finished\n");
  };
  return run::run(prepared.plan, prepared.inventory, prepared.catalog, settings, done, stop, keep,
                  [&](const run::Progress& at) { progress.show(at); })
      .interrupted_by;
}

struct Judged {
  int exit_code = 0;
  std::string document;
};

// What is judged is what is kept: the same document comes from the journal at any time. Samples and tree are
// gone before the text is rendered.
Judged judge_journal(const Prepared& prepared, const fs::path& file, bool strict) {
  const result::Journal whole = result::read_journal(file);
  const Json document = judge::judge(prepared.suite, prepared.plan, prepared.inventory, whole.header,
                                     whole.visits, whole.end, judge_options(strict));
  return {document.at("verdict").at("exit_code").get<int>(), document.dump(1) + "\n"};
}

}  // namespace

std::string repeat_command(const std::string& suite_file, const RunOptions& options) {
  std::error_code ignored;
  if (!fs::exists(suite_file, ignored)) return {};
  std::string command = "assay run " + judge::shell_word(suite_file);
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) command += std::string(option) + judge::shell_word(value);
  };
  add(" --plugin ", options.plugins.plugins);
  add(" --plugin-dir ", options.plugins.plugin_folders);
  add(" --library-path ", options.plugins.library_path);
  add(" --set ", options.overrides);
  if (options.quick) command += " --quick";
  if (!options.wrap.empty()) command += " --wrap " + judge::shell_word(options.wrap);
  return command;
}

std::string read_include(const std::string& path) { return read_file(path, std::size_t{1} << 20); }

int worst_exit_code(const std::vector<int>& codes) {
  constexpr std::array<int, 10> kOrder = {kUsage, kInvalidSuite, kNoPlugin, 130, 143, 129, 5, 1, 6, 7};
  for (const int code : kOrder) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) return code;
  }
  return 0;
}

int run_suite(const Context& context, const RunOptions& asked, const SuiteText& text) {
  RunOptions options = asked;
  const fs::path resumed = options.resume.empty() ? fs::path() : folder_to_resume(options.resume);
  const bool goes_on = !resumed.empty() && result::has_header(resumed / kJournal);
  result::JournalHeader header;
  Prepared prepared;
  if (goes_on) {
    header = result::read_journal(resumed / kJournal).header;
    checked(resumed, [&] { adopt_options(options, header); });
  }
  const auto code = options.failed.empty() ? prepare(context, options, text, chosen_before(header), prepared)
                                           : prepare_retry(context, options, text, prepared, header);
  if (code) return *code;
  if (goes_on) checked(resumed, [&] { require_same_plan(header, prepared); });

  Rendering rendering;
  if (!requests_of(options, prepared, rendering.requests)) return kUsage;
  if (options.dry_run) {
    print_out(plan_text(prepared.plan));
    return prepared.plan.unmet.empty() ? 0 : 6;
  }
  const run::Settings settings = run_settings(context, options);
  const auto held = run::hold_devices(prepared.plan, prepared.inventory, settings);
  std::vector<result::Visit> done;
  result::JournalWriter journal = goes_on
                                      ? go_on(context, resumed, prepared, done)
                                      : begin(context, options, resumed, prepared, header, rendering.folder);
  if (goes_on) rendering.folder = resumed;
  rendering.run = rendering.folder;
  rendering.repeat = repeat_command(text.file, options);
  rendering.console = !options.quiet;

  const double started_s = monotonic_time();
  const int interrupted_by = measure(options, context, settings, prepared, done, rendering, journal);
  journal.end({unix_time(), interrupted_by, monotonic_time() - started_s});
  done.clear();
  const Judged judged = judge_journal(prepared, rendering.folder / kJournal, options.strict);
  const bool rendered = render_reports(context, prepared.catalog, judged.document, rendering);
  return worst_exit_code({judged.exit_code, rendered ? 0 : kNoReport});
}

}  // namespace assay::cli
