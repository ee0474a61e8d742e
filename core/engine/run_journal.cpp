// SPDX-License-Identifier: Apache-2.0
#include "engine/run_journal.hpp"

#include "base/hash.hpp"
#include "engine/folder.hpp"
#include "engine/programs.hpp"
#include "engine/recorded_environment.hpp"
#include "engine/resume.hpp"
#include "engine/version.hpp"
#include "text/clock.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace assay::engine {
namespace {

namespace fs = std::filesystem;

// What is loaded to measure: the plugins of cases and backends, with the SHA-256 of each library.
Json loaded_libraries(const Prepared& prepared, const std::set<const catalog::Manifest*>& used) {
  Json libraries = Json::array();
  const auto add = [&](const catalog::Manifest& manifest) {
    try {
      const std::string sum = sha256_of_file(manifest.library);
      libraries.push_back({{"id", manifest.id},
                           {"version", manifest.version},
                           {"sha256", sum},
                           {"manifest_sha256", manifest.sha256}});
    } catch (const Error&) {
      return;  // missing, a folder, unreadable: it costs its own cases, which say so
    }
  };
  for (const catalog::Manifest& manifest : prepared.catalog.manifests()) {
    const auto& backends = prepared.inventory.backends;
    const bool is_backend =
        std::any_of(backends.begin(), backends.end(),
                    [&](const system::Backend& backend) { return backend.plugin == manifest.id; });
    if (is_backend || used.contains(&manifest)) add(manifest);
  }
  // Of a plugin whose other file a variant names.
  for (const catalog::Manifest& manifest : prepared.catalog.shadowed())
    if (used.contains(&manifest)) add(manifest);
  return libraries;
}

// The variables that the plugins in use say may change what they measure.
std::vector<std::string> declared_names(const Prepared& prepared) {
  std::vector<std::string> names;
  const auto add = [&](const catalog::Manifest& manifest) {
    names.insert(names.end(), manifest.environment.begin(), manifest.environment.end());
  };
  for (const plan::PlannedCase& planned : prepared.plan.cases) {
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

result::JournalHeader make_header(const Request& request, const Prepared& prepared, const std::string& id,
                                  double now) {
  result::JournalHeader header;
  header.run_id = id;
  header.started_at_s = now;
  header.tool = {{"name", "assay"}, {"version", version_number()}, {"commit", version_commit()}};
  header.command = printable_command(request);
  header.suite_file = prepared.suite.file;
  header.suite_text = prepared.suite.source;
  for (const auto& [file, text] : prepared.suite.includes) header.includes.push_back({file, text});
  header.overrides = request.overrides;
  header.options = recorded_options(request);
  header.options.missing_libraries = prepared.plan.missing_libraries;
  header.options.run_to_run = prepared.run_to_run;
  header.options.others_unseen = prepared.unseen;
  if (prepared.site != nullptr) header.options.site = {printable(prepared.site->file), prepared.site->text};
  header.options.baseline = prepared.baseline;
  header.inventory = system::to_json(prepared.inventory);
  header.system = prepared.host;
  header.environment = recorded_environment(request.surroundings.environment, declared_names(prepared));
  header.manifests = Json::array();
  std::set<const catalog::Manifest*> used;
  for (const plan::PlannedCase& planned : prepared.plan.cases) {
    used.insert(planned.manifest);
    used.insert(planned.device_backend);  // declares the telemetry
  }
  for (const catalog::Manifest& manifest : prepared.catalog.manifests()) {
    // A case of which nothing was planned here is read again, too, when the journal is judged.
    const auto names_it = [&](const suite::SuiteCase& one) {
      return manifest.benchmark(one.uses.value.substr(0, one.uses.value.find('@'))) != nullptr;
    };
    const auto& cases = prepared.suite.cases;
    if (used.contains(&manifest) || std::any_of(cases.begin(), cases.end(), names_it))
      header.manifests.push_back({{"path", manifest.path}, {"manifest", manifest.json}});
  }
  // Behind those that they are shadowed by, as they are found again.
  for (const catalog::Manifest& manifest : prepared.catalog.shadowed())
    if (used.contains(&manifest))
      header.manifests.push_back({{"path", manifest.path}, {"manifest", manifest.json}});
  header.options.libraries = loaded_libraries(prepared, used);
  header.options.programs = programs_of(prepared.suite, prepared.plan, request.surroundings);
  header.peaks = prepared.peaks;
  header.rules = prepared.rules;
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

}  // namespace

std::vector<std::string> printable_command(const Request& request) {
  std::vector<std::string> command;
  for (const std::string& word : request.surroundings.command) command.push_back(printable(word));
  return command;
}

result::JournalWriter begin_journal(const Request& request, const fs::path& resumed, const Prepared& prepared,
                                    const result::JournalHeader& chosen, fs::path& folder) {
  const double now = unix_s();
  const std::string id = make_run_id(now);
  result::JournalHeader header = make_header(request, prepared, id, now);
  header.earlier = chosen.earlier;
  header.options.only = chosen.options.only;
  header.options.rounds = chosen.options.rounds;
  header.options.budget_s = chosen.options.budget_s;
  if (!resumed.empty()) {
    folder = resumed;
    tell(request.surroundings,
         "nothing was measured in '" + printable(folder.string()) + "' yet: the run begins there\n");
    return result::JournalWriter::begin_again(folder / kJournal, header);
  }
  const ResultsFolder made = make_results_folder(request.folder, prepared.suite.name, id);
  folder = made.path;
  try {
    result::JournalWriter journal(folder / kJournal, header);
    if (request.folder.empty()) link_latest(request.surroundings, folder);
    return journal;
  } catch (const Error&) {
    std::error_code ignored;  // somebody else's files stay
    if (made.made) fs::remove(folder, ignored);
    throw;
  }
}

bool has_every_visit(const result::Journal& journal, const plan::Plan& plan) {
  std::set<std::pair<std::string, int>> finished;
  for (const result::Visit& visit : journal.visits) {
    if (visit.outcome != result::Outcome::cancelled) finished.insert({visit.case_id, visit.round});
  }
  return std::all_of(plan.order.begin(), plan.order.end(), [&](const plan::PlannedVisit& planned) {
    return finished.contains({plan.cases[planned.case_index].id, planned.round});
  });
}

result::JournalWriter resume_journal(const Request& request, const fs::path& folder, const Prepared& prepared,
                                     const result::Extension* extension, std::vector<result::Visit>& done) {
  result::JournalWriter journal = result::JournalWriter::resume(folder / kJournal);
  if (extension != nullptr) journal.extended(*extension, prepared.plan.hash);
  result::Journal earlier = result::read_journal(folder / kJournal);
  require_same_plan(request, folder, earlier.header, prepared);
  done = std::move(earlier.visits);
  for (result::Visit& visit : done) {
    visit.ranks.clear();
    visit.telemetry.clear();
  }
  if (extension == nullptr) journal.resumed(unix_s(), printable_command(request));
  // It speaks of fewer visits than the journal from now on.
  std::error_code ignored;
  fs::remove(folder / "result.json", ignored);
  return journal;
}

result::JournalHeader adopt_header(const fs::path& folder, Request& request) {
  result::JournalHeader header = result::read_journal(folder / kJournal).header;
  reading_header(folder / kJournal, [&] { adopt_options(request, header); });
  return header;
}

void require_same_plan(const Request& request, const fs::path& folder, const result::JournalHeader& header,
                       const Prepared& prepared) {
  const result::JournalHeader now = make_header(request, prepared, header.run_id, header.started_at_s);
  reading_header(folder / kJournal, [&] { compare_plans(header, now); });
}

}  // namespace assay::engine
