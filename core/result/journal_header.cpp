// SPDX-License-Identifier: Apache-2.0
#include "result/journal_header.hpp"

#include "base/error.hpp"
#include "model/field_json.hpp"
#include "result/journal_format.hpp"

#include <cmath>

namespace assay::result {

using model::field;

static constexpr auto fields_of(const NamedText*) {
  return model::object(field("file", &NamedText::file), field("text", &NamedText::text));
}

static constexpr auto fields_of(const RunOptions*) {
  return model::object(
      field("filters", &RunOptions::filters), field("seed", &RunOptions::seed),
      field("quick", &RunOptions::quick), field("strict", &RunOptions::strict),
      field("isolation", &RunOptions::isolation), field("wrap", &RunOptions::wrap).if_any(),
      field("doctor", &RunOptions::doctor).or_default(),
      field("missing_libraries", &RunOptions::missing_libraries),
      field("run_to_run", &RunOptions::run_to_run).if_any(),
      field("others_unseen", &RunOptions::others_unseen).if_any(), field("site", &RunOptions::site).if_any(),
      field("baseline", &RunOptions::baseline).if_any(),
      field("libraries", &RunOptions::libraries).or_default(),
      field("programs", &RunOptions::programs).if_any(), field("only", &RunOptions::only).if_any(),
      field("budget_s", &RunOptions::budget_s).if_any(), field("rounds", &RunOptions::rounds).if_any(),
      field("where", &RunOptions::where).if_any(), field("made_by", &RunOptions::made_by).if_any());
}

static constexpr auto fields_of(const JournalHeader*) {
  return model::object(
      field("run_id", &JournalHeader::run_id), field("started_at_s", &JournalHeader::started_at_s),
      field("tool", &JournalHeader::tool), field("command", &JournalHeader::command),
      field("suite_file", &JournalHeader::suite_file), field("suite_text", &JournalHeader::suite_text),
      field("includes", &JournalHeader::includes), field("overrides", &JournalHeader::overrides),
      field("options", &JournalHeader::options), field("inventory", &JournalHeader::inventory),
      field("system", &JournalHeader::system), field("environment", &JournalHeader::environment),
      field("manifests", &JournalHeader::manifests), field("peaks", &JournalHeader::peaks),
      field("rules", &JournalHeader::rules).if_any(), field("plan_hash", &JournalHeader::plan_hash),
      field("earlier", &JournalHeader::earlier).if_any());
}

Json to_json(const JournalHeader& header) {
  Json json = {{"type", "header"}, {"journal", kJournalFormat}};
  json.update(model::to_json(header));
  return json;
}

JournalHeader header_from_json(const Json& json) {
  if (json.value("type", "") != "header") {
    throw Error("journal.malformed", "the first line is not a header: this file is not a journal of a run");
  }
  if (const int format = integer_at<int>(json, "journal"); format != kJournalFormat)
    throw Error("journal.malformed", other_format(format));
  const model::DocumentSource source{"journal.malformed", "the first line is not a header",
                                     "take the file from a backup, or start anew in another folder"};
  auto header = model::from_json<JournalHeader>(json, source);
  for (const auto& [id, rounds] : header.options.rounds)
    if (rounds < 1 || rounds > kMostRoundsOfACase)
      model::Path(model::Path(source), "options").fault("has rounds that no case can have");
  if (!std::isfinite(header.started_at_s))
    model::Path(model::Path(source), "started_at_s").fault("is not a number");
  return header;
}

}  // namespace assay::result
