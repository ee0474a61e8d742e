// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "engine/rejudge.hpp"
#include "engine/session.hpp"
#include "engine/suite_search.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <assay/engine.hpp>

#include <csignal>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace assay::engine {
namespace {

// Without it there are no plugins either, so that a run would skip all its cases.
void require_program(const Surroundings& surroundings) {
  std::error_code missing;
  if (std::filesystem::is_regular_file(surroundings.program, missing)) return;
  throw Error("usage.program",
              "Surroundings::program is '" + printable(surroundings.program.string()) +
                  "', and there is no such file; give the path of the installed program 'assay'");
}

Session session_of(const Request& request, const SuiteText& suite) {
  require_program(request.surroundings);
  auto session = prepare_session(request, suite);
  if (!session)
    throw Error("suite.invalid",
                "'" + suite.file + "' is not valid; what is wrong with it was given to Surroundings::tell");
  return std::move(*session);
}

Result result_of(judge::Judgement judgement, const std::filesystem::path& folder) {
  return {judgement.exit_code, std::move(judgement.outcomes), std::move(judgement.document), folder};
}

Progress progress_of(const run::RunProgress& at) {
  Progress progress{at.done, at.total, {}, {}, at.elapsed_s, at.expected_remaining_s};
  if (at.current != nullptr) progress.case_id = at.current->id;
  if (at.visit != nullptr) {
    progress.case_id = at.visit->case_id;
    progress.outcome = result::to_text(at.visit->outcome);
  }
  return progress;
}

// A document that a run, or a comparison, leaves.
bool is_result(std::string_view text) {
  constexpr std::size_t kBeginning = 200;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{' &&
         text.substr(begin, kBeginning).find("\"schema_version\"") != std::string_view::npos;
}

}  // namespace

SuiteText read_suite(const Surroundings& surroundings, const std::string& name) {
  const std::string file = find_suite(surroundings, name).string();
  // Beyond what a suite may have, so that the parser says so at its place.
  SuiteText suite = {file, read_named_file(file, std::size_t{16} << 20)};
  if (is_result(suite.text))
    throw Error("usage.suite", "'" + printable(file) + "' is a result, not a suite; 'assay report " +
                                   shell_word(printable(file)) + "' shows it");
  return suite;
}

Result run(const Request& request, const SuiteText& suite, const Watch& watch, const Cancel& cancel) {
  Session session = session_of(request, suite);
  measure(
      session,
      [&](const run::RunProgress& at) {
        if (watch) watch(progress_of(at));
      },
      [&] {
        const Stop stop = cancel ? cancel() : Stop::no;
        return run::StopRequest{stop == Stop::no ? 0 : SIGINT, static_cast<int>(stop)};
      });
  return result_of(judge_session(session), session.folder);
}

Result resume(Request request, const SuiteText& suite, const std::string& folder, const Watch& watch,
              const Cancel& cancel) {
  request.resume = folder;
  return run(request, suite, watch, cancel);
}

Result retry(Request request, const SuiteText& suite, const std::string& result, const Watch& watch,
             const Cancel& cancel) {
  request.failed = result;
  return run(request, suite, watch, cancel);
}

Result extend(Request request, const SuiteText& suite, const std::string& folder, const Watch& watch,
              const Cancel& cancel) {
  request.extend = folder;
  return run(request, suite, watch, cancel);
}

Result rejudge(const std::filesystem::path& journal) {
  return result_of(judge_journal(journal), journal.parent_path());
}

std::string plan(const Request& request, const SuiteText& suite) {
  return plan::to_json(session_of(request, suite).prepared.plan).dump();
}

}  // namespace assay::engine
