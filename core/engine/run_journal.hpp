// SPDX-License-Identifier: Apache-2.0
//
// The journal of a run: begun with all that its result needs to be made again, or gone on with.
#pragma once

#include "base/error.hpp"
#include "base/json_words.hpp"
#include "engine/preparation.hpp"
#include "result/journal.hpp"

#include <filesystem>
#include <vector>

namespace assay::engine {

inline constexpr const char* kJournal = "journal.jsonl";

// Gives what `read` makes of the journal's header. One that somebody else wrote may lack what it should have.
template <typename Read>
auto reading_header(const std::filesystem::path& journal, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw Error("journal.malformed",
                "'" + journal.string() + "' has a first line that is not a header: " + in_words(error));
  }
}

// The command of this run as its journal keeps it.
[[nodiscard]] std::vector<std::string> printable_command(const Request& request);

// A new run's journal, in a new folder, which `folder` receives, or in `resumed`, that of a run which was
// killed before it began. `chosen` is what Request::failed or the earlier run chose.
[[nodiscard]] result::JournalWriter begin_journal(const Request& request,
                                                  const std::filesystem::path& resumed,
                                                  const Prepared& prepared,
                                                  const result::JournalHeader& chosen,
                                                  std::filesystem::path& folder);

// True if the journal holds every visit of the plan.
[[nodiscard]] bool has_every_visit(const result::Journal& journal, const plan::Plan& plan);

// The journal of a run that goes on, or is extended, and what it holds already, without the samples.
[[nodiscard]] result::JournalWriter resume_journal(const Request& request,
                                                   const std::filesystem::path& folder,
                                                   const Prepared& prepared,
                                                   const result::Extension* extension,
                                                   std::vector<result::Visit>& done);

// Takes the options over from the header of the run in this folder, and gives it.
[[nodiscard]] result::JournalHeader adopt_header(const std::filesystem::path& folder, Request& request);

// Throws Error "journal.other-plan", which names what differs, if the journal is of another plan than this or
// its visits were measured by something else.
void require_same_plan(const Request& request, const std::filesystem::path& folder,
                       const result::JournalHeader& header, const Prepared& prepared);

}  // namespace assay::engine
