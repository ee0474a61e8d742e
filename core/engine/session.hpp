// SPDX-License-Identifier: Apache-2.0
//
// One run of one suite in the order in which it happens: prepare, measure, judge. The command steps in between.
#pragma once

#include "engine/effort.hpp"
#include "engine/preparation.hpp"
#include "judge/judge.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace assay::engine {

struct Session {
  Request request;                               // with what the run that goes on was begun with
  std::filesystem::path resumed{};               // the folder of that run; "" without
  bool is_continued = false;                     // something was measured there
  result::JournalHeader header{};                // of that run, or what Request::failed chose
  std::optional<result::Extension> extension{};  // that Request::extend chose
  std::optional<Effort> effort{};                // of the rounds that Request::budget_s chose
  Prepared prepared{};
  std::filesystem::path folder{};  // of the journal, once it was begun
};

// None if the suite is invalid: its problems were told. Throws Error for what else stops the operation.
[[nodiscard]] std::optional<Session> prepare_session(Request request, const SuiteText& suite);

// Measures what a new journal, or that of the run that goes on, does not hold yet.
void measure(Session& session, const run::RunWatch& watch, const std::function<run::StopRequest()>& stop);

// The journal of the session, judged.
[[nodiscard]] judge::Judgement judge_session(const Session& session);

// "assay run suite.yaml --plugin-dir x": the command of a run without what chooses cases, the folder and the
// reports, for a shell; "" if the suite has no file here.
[[nodiscard]] std::string repeat_command(const std::string& suite_file, const Request& request);

}  // namespace assay::engine
