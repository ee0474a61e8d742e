// SPDX-License-Identifier: Apache-2.0
#include "cli/rejudge.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_limits.hpp"
#include "base/json_words.hpp"
#include "catalog/catalog.hpp"
#include "judge/judge.hpp"
#include "plan/plan.hpp"
#include "result/journal.hpp"
#include "suite/undecidable.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace assay::cli {
namespace {

// `include` reads through a plain function; the journal's texts take the files' place while one suite is
// parsed.
thread_local const std::map<std::string, std::string>* recorded_includes = nullptr;

std::string read_recorded(const std::string& path) {
  const auto found = recorded_includes->find(path);
  if (found == recorded_includes->end())
    throw Error("journal.malformed", "the journal does not hold the included file '" + path + "'");
  return found->second;
}

catalog::Catalog recorded_catalog(const result::JournalHeader& header, Diagnostics& diagnostics) {
  catalog::Catalog catalog;
  for (const Json& entry : header.manifests) {
    const std::string path = entry.at("path").get<std::string>();
    if (auto manifest = catalog::parse_manifest(path, entry.at("manifest").dump(), diagnostics))
      catalog.add(std::move(*manifest));
  }
  // A backend on which only commands ran has no manifest there.
  for (const Json& backend : header.inventory.at("backends")) {
    const std::string name = backend.at("name").get<std::string>();
    const auto& known = catalog.manifests();
    if (std::any_of(known.begin(), known.end(),
                    [&](const catalog::Manifest& manifest) { return manifest.provides_backend == name; }))
      continue;
    catalog::Manifest manifest;
    manifest.id = backend.at("plugin").get<std::string>();
    manifest.provides_backend = name;
    catalog.add(std::move(manifest));
  }
  return catalog;
}

bool is_whole(const result::Journal& journal, const plan::Plan& plan) {
  std::set<std::pair<std::string, int>> known;
  for (const result::Visit& visit : journal.visits) {
    if (visit.outcome != result::Outcome::cancelled) known.emplace(visit.case_id, visit.round);
  }
  return std::all_of(plan.order.begin(), plan.order.end(), [&](const plan::PlannedVisit& planned) {
    return known.contains({plan.cases[planned.case_index].id, planned.round});
  });
}

std::string damage_text(const result::Journal& journal) {
  std::vector<std::string> parts;
  if (journal.torn_bytes > 0)
    parts.push_back("its last line was cut off after " + std::to_string(journal.torn_bytes) + " bytes");
  if (!journal.unreadable_lines.empty()) {
    parts.push_back(std::to_string(journal.unreadable_lines.size()) +
                    " of its lines cannot be read, the first is line " +
                    std::to_string(journal.unreadable_lines.front()));
  }
  return parts.empty() ? "" : "of the journal " + join(parts, ", and ");
}

// How the run ended, as far as its journal tells.
result::JournalEnd end_of(const result::Journal& journal, const plan::Plan& plan) {
  result::JournalEnd end = journal.end;
  if (!journal.has_end) {
    end.finished_at_s = journal.header.started_at_s;
    for (const result::Visit& visit : journal.visits)
      end.finished_at_s = std::max(end.finished_at_s, visit.started_at_s + visit.duration_s);
    end.interrupted_by = 0;
  }
  if (is_whole(journal, plan)) return end;
  end.killed = !journal.has_end;
  end.damage = damage_text(journal);
  return end;
}

std::string read_result(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return path.extension() == ".jsonl" ? rejudge(path) : checked_document(path, read_file(path));
  }
  if (std::filesystem::exists(path / "result.json", error))
    return checked_document(path / "result.json", read_file(path / "result.json"));
  if (std::filesystem::exists(path / "journal.jsonl", error)) return rejudge(path / "journal.jsonl");
  throw Error("result.missing",
              "there is neither a result.json nor a journal.jsonl in '" + path.string() + "'");
}

}  // namespace

std::string document_of(const std::filesystem::path& path) {
  try {
    return read_result(path);
  } catch (const Error& error) {
    if (error.code() == "file.unreadable") throw Error("usage.file", error.what());
    throw;
  }
}

std::string rejudge(const std::filesystem::path& file) {
  const result::Journal journal = result::read_journal(file);
  const result::JournalHeader& header = journal.header;
  try {
    Diagnostics diagnostics;
    const catalog::Catalog catalog = recorded_catalog(header, diagnostics);
    const std::map<std::string, std::string> includes(header.includes.begin(), header.includes.end());
    recorded_includes = &includes;
    suite::Suite suite = suite::parse_suite(header.suite_file, header.suite_text, read_recorded, diagnostics);
    recorded_includes = nullptr;
    for (const std::string& assignment : header.overrides)
      suite::apply_override(suite, assignment, diagnostics);
    plan::Options options;
    options.filters = value_at<std::vector<std::string>>(header.options, "filters");
    options.seed = integer_at<std::uint64_t>(header.options, "seed");
    options.quick = value_at<bool>(header.options, "quick");
    // What was missing where it ran, not what is missing here.
    if (const auto only = header.options.find("only"); only != header.options.end())
      options.only = value_at<std::set<std::string>>(header.options, "only");
    options.missing_libraries =
        value_at<std::map<std::string, std::vector<std::string>>>(header.options, "missing_libraries");
    if (const auto site = header.options.find("site"); site != header.options.end()) {
      options.site = std::make_shared<const plan::Site>(plan::parse_site(
          value_at<std::string>(*site, "file"), value_at<std::string>(*site, "text"), diagnostics));
      options.host = header.system;
    }
    const system::Inventory inventory = system::inventory_from_json(header.inventory);
    const plan::Plan plan = plan::make_plan(suite, catalog, &inventory, options, diagnostics);
    // What could not be decided was run all the same by who did not know it, and is judged so.
    for (const Diagnostic& each : diagnostics.sorted()) {
      if (each.severity != Severity::error || suite::keeps_from_deciding_only(each.code)) continue;
      throw Error(
          "journal.malformed",
          "'" + file.string() + "' holds a suite that this version of assay does not accept: " + each.text);
    }
    judge::Options judging;
    judging.strict = value_at<bool>(header.options, "strict");
    const result::JournalEnd end = end_of(journal, plan);
    return judge::judge(suite, plan, inventory, header, journal.visits, end, judging).document;
  } catch (const nlohmann::json::exception& error) {
    throw Error("journal.malformed",
                "'" + file.string() + "' has a first line that is no header: " + in_words(error));
  }
}

std::string checked_document(const std::filesystem::path& path, std::string text) {
  const Json document = parse_json(text, "result.malformed", "'" + path.string() + "'");
  if (!document.is_object() || !document.contains("schema_version") ||
      !document["schema_version"].is_string()) {
    throw Error("result.malformed",
                "'" + path.string() + "' is no result of assay: it is no JSON object with a schema_version");
  }
  const std::string version = document["schema_version"].get<std::string>();
  if (!version.starts_with("1.")) {
    throw Error("result.version", "'" + path.string() + "' has schema version " + version +
                                      ", and this assay reads version 1: use the assay that wrote it");
  }
  for (const char* key : {"verdict", "run", "cases"}) {
    if (!document.contains(key))
      throw Error("result.malformed", "'" + path.string() + "' is not whole: it has no '" + key + "'");
  }
  return text;
}

}  // namespace assay::cli
