// SPDX-License-Identifier: Apache-2.0
#include "cli/rejudge.hpp"

#include "base/error.hpp"
#include "catalog/catalog.hpp"
#include "judge/judge.hpp"
#include "plan/plan.hpp"
#include "result/journal.hpp"

#include <map>

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
  return catalog;
}

}  // namespace

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
    options.filters = header.options.at("filters").get<std::vector<std::string>>();
    options.seed = header.options.at("seed").get<std::uint64_t>();
    options.quick = header.options.at("quick").get<bool>();
    // What was missing where it ran, not what is missing here.
    options.missing_libraries =
        header.options.at("missing_libraries").get<std::map<std::string, std::vector<std::string>>>();
    const system::Inventory inventory = system::inventory_from_json(header.inventory);
    const plan::Plan plan = plan::make_plan(suite, catalog, &inventory, options, diagnostics);
    if (diagnostics.has_errors()) {
      throw Error("journal.malformed", "'" + file.string() +
                                           "' holds a suite that this version of assay does not accept: " +
                                           diagnostics.sorted().front().text);
    }
    judge::Options judging;
    judging.strict = header.options.at("strict").get<bool>();
    result::JournalEnd end = journal.end;
    if (!journal.has_end) {
      // Killed: it ended when its last visit did, as far as anybody knows.
      end.finished_at_s = header.started_at_s;
      for (const result::Visit& visit : journal.visits)
        end.finished_at_s = std::max(end.finished_at_s, visit.started_at_s + visit.duration_s);
      end.interrupted_by = 9;
    }
    return judge::judge(suite, plan, inventory, header, journal.visits, end, judging).dump(1) + "\n";
  } catch (const nlohmann::json::exception& error) {
    throw Error("journal.malformed",
                "'" + file.string() + "' lacks something in its first line: " + error.what());
  }
}

std::string checked_document(const std::filesystem::path& path, std::string text) {
  const Json document = Json::parse(text, nullptr, false);
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
