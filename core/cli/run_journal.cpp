// SPDX-License-Identifier: Apache-2.0
#include "cli/run_journal.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_words.hpp"
#include "cli/environment.hpp"
#include "cli/folder.hpp"
#include "cli/output.hpp"
#include "cli/resume.hpp"
#include "cli/version.hpp"
#include "text/clock.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> printable_command(const Context& context) {
  std::vector<std::string> command;
  for (const std::string& word : context.command) command.push_back(printable(word));
  return command;
}

// What is loaded to measure: the plugins of cases and backends, with the SHA-256 of each library.
Json loaded_libraries(const Prepared& prepared, const std::set<const catalog::Manifest*>& used) {
  Json libraries = Json::array();
  for (const catalog::Manifest& manifest : prepared.catalog.manifests()) {
    const auto& backends = prepared.inventory.backends;
    const bool is_backend =
        std::any_of(backends.begin(), backends.end(),
                    [&](const system::Backend& backend) { return backend.plugin == manifest.id; });
    if (!is_backend && !used.contains(&manifest)) continue;
    try {
      const std::string sum = sha256_of_file(manifest.library);
      libraries.push_back({{"id", manifest.id},
                           {"version", manifest.version},
                           {"sha256", sum},
                           {"manifest_sha256", manifest.sha256}});
    } catch (const Error&) {
      continue;  // missing, a folder, unreadable: it costs its own cases, which say so
    }
  }
  return libraries;
}

// The variables that the plugins in use say may change what they measure.
std::vector<std::string> declared_names(const Prepared& prepared) {
  std::vector<std::string> names;
  const auto add = [&](const catalog::Manifest& manifest) {
    names.insert(names.end(), manifest.environment.begin(), manifest.environment.end());
  };
  for (const plan::Case& planned : prepared.plan.cases) {
    if (planned.manifest != nullptr) add(*planned.manifest);
  }
  for (const catalog::Manifest& manifest : prepared.catalog.manifests()) {
    const bool is_backend = prepared.inventory.find(manifest.provides_backend) != nullptr;
    if (is_backend && !manifest.provides_backend.empty()) add(manifest);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

result::JournalHeader make_header(const Context& context, const RunOptions& options, const Prepared& prepared,
                                  const std::string& id, double now) {
  result::JournalHeader header;
  header.run_id = id;
  header.started_at_s = now;
  header.tool = {{"name", "assay"}, {"version", version_number()}, {"commit", version_commit()}};
  header.command = printable_command(context);
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
                    {"doctor", printable(options.doctor)},
                    {"missing_libraries", prepared.plan.missing_libraries}};
  if (!prepared.run_to_run.is_null()) header.options["run_to_run"] = prepared.run_to_run;
  if (!prepared.unseen.empty()) header.options["others_unseen"] = prepared.unseen;
  if (prepared.site != nullptr)
    header.options["site"] = {{"file", printable(prepared.site->file)}, {"text", prepared.site->text}};
  header.inventory = system::to_json(prepared.inventory);
  header.system = prepared.host;
  header.environment = recorded_environment(context.environment, declared_names(prepared));
  header.manifests = Json::array();
  std::set<const catalog::Manifest*> used;
  for (const plan::Case& planned : prepared.plan.cases) {
    used.insert(planned.manifest);
    used.insert(planned.device_backend);  // declares the telemetry
  }
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

void compare_plans(const result::JournalHeader& then, const result::JournalHeader& now) {
  std::string why =
      why_other_machine(then.inventory.at("backends"), then.system, now.inventory.at("backends"), now.system);
  if (why.empty() && (then.suite_text != now.suite_text || then.includes != now.includes))
    why = "the suite was changed since";
  if (why.empty()) why = why_measured_otherwise(then, now);
  if (why.empty() && then.plan_hash != now.plan_hash)
    why = "its plan differs: what this machine lacks differs";
  if (why.empty()) return;
  throw Error("journal.other-plan",
              "the run cannot be resumed: " + why + "; put that right, or start anew without --resume");
}

// A header that somebody else wrote may lack what it should have.
template <typename Function>
void checked(const fs::path& folder, Function function) {
  try {
    function();
  } catch (const nlohmann::json::exception& error) {
    throw Error("journal.malformed", "'" + (folder / kJournal).string() +
                                         "' has a first line that is no header: " + in_words(error));
  }
}

}  // namespace

result::JournalWriter begin_journal(const Context& context, const RunOptions& options,
                                    const fs::path& resumed, const Prepared& prepared,
                                    const result::JournalHeader& chosen, fs::path& folder) {
  const double now = unix_s();
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

bool is_whole(const fs::path& folder, const plan::Plan& plan) {
  const result::Journal journal = result::read_journal(folder / kJournal);
  std::set<std::pair<std::string, int>> finished;
  for (const result::Visit& visit : journal.visits) {
    if (visit.outcome != result::Outcome::cancelled) finished.insert({visit.case_id, visit.round});
  }
  return journal.has_end && journal.end.interrupted_by == 0 &&
         std::all_of(plan.order.begin(), plan.order.end(), [&](const plan::PlannedVisit& planned) {
           return finished.contains({plan.cases[planned.case_index].id, planned.round});
         });
}

result::JournalWriter resume_journal(const Context& context, const RunOptions& options,
                                     const fs::path& folder, const Prepared& prepared,
                                     std::vector<result::Visit>& done) {
  result::JournalWriter journal = result::JournalWriter::resume(folder / kJournal);
  result::Journal earlier = result::read_journal(folder / kJournal);
  require_same_plan(context, options, folder, earlier.header, prepared);
  done = std::move(earlier.visits);
  for (result::Visit& visit : done) {
    visit.ranks.clear();
    visit.telemetry.clear();
  }
  journal.resumed(unix_s(), printable_command(context));
  // It speaks of fewer visits than the journal from now on.
  std::error_code ignored;
  fs::remove(folder / "result.json", ignored);
  return journal;
}

result::JournalHeader adopt_header(const fs::path& folder, RunOptions& options) {
  result::JournalHeader header = result::read_journal(folder / kJournal).header;
  checked(folder, [&] { adopt_options(options, header); });
  return header;
}

void require_same_plan(const Context& context, const RunOptions& options, const fs::path& folder,
                       const result::JournalHeader& header, const Prepared& prepared) {
  const result::JournalHeader now =
      make_header(context, options, prepared, header.run_id, header.started_at_s);
  checked(folder, [&] { compare_plans(header, now); });
}

std::optional<std::set<std::string>> chosen_before(const result::JournalHeader& header) {
  if (!header.options.is_object() || !header.options.contains("only")) return std::nullopt;
  return header.options.at("only").get<std::set<std::string>>();
}

}  // namespace assay::cli
