// SPDX-License-Identifier: Apache-2.0
#include "engine/rejudge.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_limits.hpp"
#include "base/json_words.hpp"
#include "catalog/catalog.hpp"
#include "engine/preparation.hpp"
#include "engine/run_journal.hpp"
#include "model/document_json.hpp"
#include "result/contradiction.hpp"
#include "suite/undecidable.hpp"
#include "text/json_cursor.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::engine {
namespace {

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
  if (has_every_visit(journal, plan)) return end;
  end.killed = !journal.has_end;
  end.damage = damage_text(journal);
  return end;
}

// Without what no line of the journal planned, which `end` tells: where the line of an extension was damaged, its rounds would be judged as
// if nobody had looked before.
std::vector<result::Visit> planned_of(const result::Journal& journal, const plan::Plan& plan,
                                      result::JournalEnd& end) {
  std::map<std::string, int> rounds;
  for (const plan::PlannedCase& planned : plan.cases) rounds[planned.id] = planned.rounds;
  std::vector<result::Visit> visits = journal.visits;
  const std::size_t left_out = std::erase_if(visits, [&](const result::Visit& visit) {
    const auto found = rounds.find(visit.case_id);
    return found == rounds.end() || visit.round > found->second;
  });
  if (left_out == 0) return visits;
  const std::string damage = damage_text(journal);
  end.left_out = std::to_string(left_out) + (left_out == 1 ? " visit is" : " visits are") +
                 " left out: no line that can be read has planned " + (left_out == 1 ? "it" : "them") +
                 (damage.empty() ? "" : "; " + damage);
  return visits;
}

std::string read_result(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error))
    return path.extension() == ".jsonl" ? judge_journal(path).document : read_file(path);
  if (std::filesystem::exists(path / "result.json", error)) return read_file(path / "result.json");
  if (std::filesystem::exists(path / kJournal, error)) return judge_journal(path / kJournal).document;
  throw Error("result.missing",
              "there is neither a result.json nor a journal.jsonl in '" + path.string() + "'");
}

}  // namespace

std::filesystem::path journal_of(const std::filesystem::path& run) {
  std::error_code error;
  if (run.extension() == ".jsonl") return run;
  const std::filesystem::path folder = std::filesystem::is_directory(run, error) ? run : run.parent_path();
  if (std::filesystem::exists(folder / kJournal, error)) return folder / kJournal;
  throw Error("result.no-journal",
              "'" + printable(run.string()) +
                  "' has no journal beside it, which alone holds all samples: name the folder of the "
                  "run, or its journal.jsonl");
}

std::string text_of_result(const std::filesystem::path& path) {
  try {
    return read_result(path);
  } catch (const Error& error) {
    if (error.code() == "file.unreadable") throw Error("usage.file", error.what());
    throw;
  }
}

namespace {

std::string quoted_file_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path inside = path / "result.json";
  return "'" + (std::filesystem::exists(inside, error) ? inside : path).string() + "'";
}

void refuse_contradiction(const std::filesystem::path& path, const model::Document& stated) {
  const std::string problem = result::contradiction_in(stated);
  if (problem.empty()) return;
  throw Error("result.contradiction",
              quoted_file_of(path) + " contradicts itself: " + problem +
                  "; it was changed after it was written: take it as it was, or judge its run anew (assay "
                  "report RUN/journal.jsonl)");
}

}  // namespace

ResultText checked_result(const std::filesystem::path& path, std::string text) {
  const std::string file = quoted_file_of(path);
  ResultText checked{std::move(text), {}};
  model::Document stated;
  std::set<std::string, std::less<>> keys;
  try {
    JsonCursor cursor(checked.document, kMaximumJsonKeys);
    const auto take = [&](JsonCursor& value, std::string_view key) {
      keys.emplace(key);
      model::read_member(model::TextCursor(value), key, stated, model::Path(model::kLenientInBrief));
    };
    if (cursor.kind() == JsonKind::object) {
      cursor.members(take);
    } else {
      (void)cursor.pass();
    }
    cursor.end();
  } catch (const BadJson& bad) {
    (void)parse_json(checked.document, "result.malformed", file);  // says what is wrong
    throw Error("result.malformed", file + " is not JSON: " + place_in(checked.document, bad.at));
  }
  const std::string& version = stated.schema_version;
  if (version.empty()) {
    throw Error("result.malformed",
                file + " is not a result of assay: it is not a JSON object with a schema_version");
  }
  if (!version.starts_with("1.")) {
    throw Error("result.version", file + " has schema version " + version +
                                      ", and this assay reads version 1: use the assay that wrote it");
  }
  for (const char* key : {"verdict", "run", "cases"}) {
    if (!keys.contains(key))
      throw Error("result.malformed", file + " is not whole: it has no '" + std::string(key) + "'");
  }
  refuse_contradiction(path, stated);
  checked.run = std::move(stated.run);
  return checked;
}

comparison::LoadedResult side_of_comparison(const std::string& path) {
  comparison::LoadedResult side = comparison::read_result(text_of_result(path), path);
  refuse_contradiction(path, side);
  return side;
}

model::Document result_of(const std::filesystem::path& path) {
  const std::string name = "'" + printable(path.string()) + "'";
  const Json json = parse_json(checked_result(path, text_of_result(path)).document, "result.malformed", name);
  return model::from_json<model::Document>(json, {"result.malformed", name + " is not whole",
                                                  "take another result, or judge its journal anew", false});
}

judge::Judgement judge_run(const suite::Suite& suite, const plan::Plan& plan,
                           const system::Inventory& inventory, const result::Journal& journal) {
  judge::JudgeOptions options;
  options.strict = journal.header.options.strict;
  result::JournalEnd end = end_of(journal, plan);
  const std::vector<result::Visit> visits = planned_of(journal, plan, end);
  return judge::judge(suite, plan, inventory, journal.header, visits, end, options);
}

model::Document document_in(const judge::Judgement& judgement) {
  const Json json = parse_json(judgement.document, "result.malformed", "the result");
  return model::from_json<model::Document>(
      json, {"result.malformed", "the result", "judge its journal anew", false});
}

RecordedInputs recorded_in(const result::JournalHeader& header) {
  RecordedInputs recorded;
  recorded.catalog = recorded_catalog(header, recorded.diagnostics);
  // What was missing where it ran, not what is missing here.
  recorded.options = plan_options(header.options);
  if (const auto& site = header.options.site) {
    recorded.options.site =
        std::make_shared<const plan::Site>(plan::parse_site(site->file, site->text, recorded.diagnostics));
    recorded.options.host = header.system;
  }
  recorded.inventory = system::inventory_from_json(header.inventory);
  return recorded;
}

Checked plan_recorded(const RecordedInputs& recorded, const result::JournalHeader& header,
                      const std::filesystem::path& file) {
  const auto read_recorded = [&](const std::string& path) {
    const auto* const found =
        find_in(header.includes, [&](const result::NamedText& include) { return include.file == path; });
    if (found == nullptr)
      throw Error("journal.malformed", "the journal does not hold the included file '" + path + "'");
    return found->text;
  };
  Checked planned =
      plan_suite(recorded.catalog, &recorded.inventory, {header.suite_file, header.suite_text}, read_recorded,
                 header.overrides, recorded.options, recorded.diagnostics, header.options.made_by);
  // A limit that can never be decided is no error here: an earlier version ran it all the same, so it is judged.
  for (const Diagnostic& each : planned.diagnostics.sorted()) {
    if (each.severity != Severity::error || suite::only_prevents_deciding(each.code)) continue;
    throw Error(
        "journal.malformed",
        "'" + file.string() + "' holds a suite that this version of assay does not accept: " + each.text);
  }
  return planned;
}

judge::Judgement judge_journal(const std::filesystem::path& file) {
  const result::Journal journal = result::read_journal(file);
  return reading_header(file, [&] {
    const RecordedInputs recorded = recorded_in(journal.header);
    const Checked planned = plan_recorded(recorded, journal.header, file);
    return judge_run(planned.suite, planned.plan, recorded.inventory, journal);
  });
}

}  // namespace assay::engine
