// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.hpp"
#include "comparison/reading.hpp"
#include "engine/preparation.hpp"
#include "judge/judge.hpp"
#include "model/document.hpp"

#include <filesystem>
#include <string>

namespace assay::engine {

// Judges what a journal holds of a run: what is judged is what is kept.
[[nodiscard]] judge::Judgement judge_run(const suite::Suite& suite, const plan::Plan& plan,
                                         const system::Inventory& inventory, const result::Journal& journal);

// What it came to.
[[nodiscard]] model::Document document_in(const judge::Judgement& judgement);

// What a journal's header holds of a plan's inputs, but the suite. Plans made of it speak of its plugins.
struct RecordedInputs {
  Diagnostics diagnostics;
  catalog::Catalog catalog;
  system::Inventory inventory;
  plan::PlanOptions options;
};
[[nodiscard]] RecordedInputs recorded_in(const result::JournalHeader& header);
// The plan that the journal is of. Throws Error "journal.malformed", as for the file that it is in.
[[nodiscard]] Checked plan_recorded(const RecordedInputs& recorded, const result::JournalHeader& header,
                                    const std::filesystem::path& file);

// The same by the journal alone: its header holds all inputs of the plan, so no plugin and no device is needed.
// Throws Error.
[[nodiscard]] judge::Judgement judge_journal(const std::filesystem::path& journal);

// The journal of a run, by itself, by its folder or by a file in that. Throws Error "result.no-journal".
[[nodiscard]] std::filesystem::path journal_of(const std::filesystem::path& run);

// The text of a result.json, or what a journal is judged to, or of the folder that holds either: not looked into. Throws Error.
[[nodiscard]] std::string text_of_result(const std::filesystem::path& path);
struct ResultText {
  std::string document;
  model::Run run;  // read leniently, without the resolved suite
};
// That text, if it is a result document of a version that is understood, and says of its run what its cases come to. `path` is what it was
// read by. Throws Error "result.malformed", "result.version" or "result.contradiction".
[[nodiscard]] ResultText checked_result(const std::filesystem::path& path, std::string text);
// The same, as much of it as a comparison or a baseline looks at. Throws as comparison::read_result(), too.
[[nodiscard]] comparison::LoadedResult side_of_comparison(const std::string& path);
// The same, read. Throws Error "result.malformed", too, if anything is missing or of a wrong type.
[[nodiscard]] model::Document result_of(const std::filesystem::path& path);

}  // namespace assay::engine
