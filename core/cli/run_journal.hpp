// SPDX-License-Identifier: Apache-2.0
//
// The journal of a run: begun with all that its result needs to be made again, or gone on with.
#pragma once

#include "cli/preparation.hpp"
#include "result/journal.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::cli {

inline constexpr const char* kJournal = "journal.jsonl";

// A new run's journal, in a new folder, which `folder` receives, or in `resumed`, that of a run which was
// killed before it began. `chosen` is what --failed or the earlier run chose.
[[nodiscard]] result::JournalWriter begin_journal(const Context& context, const RunOptions& options,
                                                  const std::filesystem::path& resumed,
                                                  const Prepared& prepared,
                                                  const result::JournalHeader& chosen,
                                                  std::filesystem::path& folder);

// True if the run in the folder came to its end with every visit of the plan.
[[nodiscard]] bool is_whole(const std::filesystem::path& folder, const plan::Plan& plan);

// The journal of a run that goes on, and what it holds already, without the samples.
[[nodiscard]] result::JournalWriter resume_journal(const Context& context, const RunOptions& options,
                                                   const std::filesystem::path& folder,
                                                   const Prepared& prepared,
                                                   std::vector<result::Visit>& done);

// Takes the options over from the header of the run in this folder, and gives it.
[[nodiscard]] result::JournalHeader adopt_header(const std::filesystem::path& folder, RunOptions& options);

// The cases to which the run that is gone on with was restricted by --failed.
[[nodiscard]] std::optional<std::set<std::string>> chosen_before(const result::JournalHeader& header);

// Throws Error "journal.other-plan", which names what differs, if the journal is of another plan than this or
// its visits were measured by something else.
void require_same_plan(const Context& context, const RunOptions& options, const std::filesystem::path& folder,
                       const result::JournalHeader& header, const Prepared& prepared);

}  // namespace assay::cli
