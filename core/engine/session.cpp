// SPDX-License-Identifier: Apache-2.0
#include "engine/session.hpp"

#include "base/error.hpp"
#include "engine/extend.hpp"
#include "engine/folder.hpp"
#include "engine/rejudge.hpp"
#include "engine/run_journal.hpp"
#include "run/run_registry.hpp"
#include "text/clock.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace assay::engine {
namespace {

namespace fs = std::filesystem;

// Runs what is left of the plan. Gives the signal that ended it, or 0.
int measure_rest(const Session& session, const run::RunSettings& settings,
                 const std::vector<result::Visit>& done, const run::RunWatch& watch,
                 const std::function<run::StopRequest()>& stop, result::JournalWriter& journal) {
  const Prepared& prepared = session.prepared;
  if (!prepared.plan.unmet.empty()) return 0;
  std::size_t kept = done.size();
  int restored = 0;
  const auto keep = [&](const result::Visit& visit) {
    try {
      journal.visit(visit);
    } catch (const Error& error) {
      const std::string repeat = repeat_command(prepared.suite.file, session.request);
      const std::string next = repeat.empty() ? ""
                                              : "; once that is settled, go on with: " + repeat +
                                                    " --resume " + shell_word(session.folder.string());
      throw Error("run.stopped", fmt::format("{}; {} of {} visits are kept{}", error.what(), kept,
                                             prepared.plan.order.size(), next));
    }
    ++kept;
    if (journal.restored() == restored) return;
    restored = journal.restored();
    tell(session.request.surroundings,
         "assay: '" + printable(session.folder.string()) +
             "' was removed meanwhile; it was made again, with every visit that was finished\n");
  };
  return run::run(prepared.plan, prepared.inventory, prepared.catalog, settings, done, stop, keep, watch)
      .interrupted_by;
}

// A run without cases says so in its result; only here is it known that filters left all of them out.
void tell_of_filters(const Session& session) {
  const Request& request = session.request;
  const Prepared& prepared = session.prepared;
  if (request.filters.empty() && request.where.empty()) return;
  if (!prepared.plan.cases.empty() || !prepared.plan.unmet.empty()) return;
  std::vector<std::string> filters, only, cases;
  for (const std::string& filter : request.filters) filters.push_back("'" + printable(filter) + "'");
  for (const std::string& term : request.where) only.push_back("'" + printable(term) + "'");
  std::vector<std::string> asked;
  if (!filters.empty()) asked.push_back("--filter " + join(filters, " or "));
  if (!only.empty()) asked.push_back("--only " + join(only, " and "));
  constexpr std::size_t kNamed = 20;
  for (const suite::SuiteCase& one : prepared.suite.cases) {
    if (cases.size() < kNamed) cases.push_back(one.id.value);
  }
  if (prepared.suite.cases.size() > kNamed) cases.emplace_back("…");
  tell(request.surroundings,
       "no case matches " + join(asked, " and ") + "; the suite has " + join(cases, ", ") + "\n");
}

// More rounds for what the run that was judged left open.
void add_rounds(Session& session) {
  if (!session.is_continued)
    throw Error("usage.extend", "nothing was measured in '" + printable(session.resumed.string()) +
                                    "' yet; go on with it first: --resume instead of --extend");
  const result::Journal journal = result::read_journal(session.resumed / kJournal);
  Prepared& prepared = session.prepared;
  result::RunOptions& options = session.header.options;
  session.extension =
      result::Extension{unix_s(), printable_command(session.request),
                        rounds_for_open(prepared.suite, prepared.plan, prepared.inventory, journal)};
  options.extensions.push_back(*session.extension);
  plan_again(session.request, options, prepared);
}

// False, and the place is told, if the suite asks for a baseline of which the request says nothing.
bool has_its_baseline(const Session& session) {
  const Prepared& prepared = session.prepared;
  Diagnostics diagnostics;
  check_for_baseline(session.request, prepared.suite, prepared.plan, diagnostics);
  tell_problems(session.request.surroundings, prepared.suite, diagnostics, ", nothing was run");
  return !diagnostics.has_errors();
}

void choose_rounds(Session& session) {
  session.effort = effort_of(session.request, session.prepared);
  result::RunOptions& options = session.header.options;
  options.budget_s = session.request.budget_s;
  for (const CaseEffort& one : session.effort->cases) options.rounds[one.id] = *one.rounds;
  plan_again(session.request, options, session.prepared);
}

}  // namespace

std::string repeat_command(const std::string& suite_file, const Request& request) {
  std::error_code ignored;
  if (!fs::exists(suite_file, ignored)) return {};
  std::string command = "assay run " + shell_word(suite_file);
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) command += std::string(option) + shell_word(value);
  };
  add(" --plugin ", request.plugins.plugins);
  add(" --plugin-dir ", request.plugins.plugin_folders);
  add(" --library-path ", request.plugins.library_path);
  add(" --set ", request.overrides);
  add(" --peaks ", request.peaks);
  if (request.quick) command += " --quick";
  if (request.strict) command += " --strict";
  if (!request.site.empty()) command += " --site " + shell_word(request.site);
  if (!request.baseline.empty()) command += " --baseline " + shell_word(request.baseline);
  if (!request.doctor.empty()) command += " --doctor " + shell_word(request.doctor);
  if (!request.wrap.empty()) command += " --wrap " + shell_word(request.wrap);
  return command;
}

std::optional<Session> prepare_session(Request request, const SuiteText& suite) {
  Session session{std::move(request)};
  Request& asked = session.request;
  if (!asked.extend.empty()) asked.resume = journal_of(asked.extend).parent_path();
  if (!asked.resume.empty()) session.resumed = folder_to_resume(asked.resume);
  session.is_continued = !session.resumed.empty() && result::has_header(session.resumed / kJournal);
  if (session.is_continued) session.header = adopt_header(session.resumed, asked);
  if (!(asked.failed.empty() ? prepare(asked, suite, session.header.options, session.prepared)
                             : prepare_retry(asked, suite, session.prepared, session.header)))
    return std::nullopt;
  if (!session.is_continued && !has_its_baseline(session)) return std::nullopt;
  if (session.is_continued) require_same_plan(asked, session.resumed, session.header, session.prepared);
  if (!asked.extend.empty()) add_rounds(session);
  if (asked.budget_s && !session.is_continued) choose_rounds(session);
  tell_of_filters(session);
  return session;
}

void measure(Session& session, const run::RunWatch& watch, const std::function<run::StopRequest()>& stop) {
  const Request& request = session.request;
  Prepared& prepared = session.prepared;
  if (session.is_continued) {
    const result::Journal journal = result::read_journal(session.resumed / kJournal);
    if (journal.has_end && journal.end.interrupted_by == 0 && has_every_visit(journal, prepared.plan)) {
      tell(request.surroundings, "nothing is left to measure in '" + printable(session.resumed.string()) +
                                     "': its reports are made again\n");
      session.folder = session.resumed;
      return;
    }
  }
  run::RunSettings settings = run_settings(request);
  const auto held = run::hold_devices(prepared.plan, prepared.inventory, settings);
  std::shared_ptr<const run::RunRegistry> registered;
  if (prepared.plan.unmet.empty()) {
    registered = run::register_run(prepared.plan, prepared.inventory, settings, prepared.suite.name,
                                   prepared.suite.policy.alone.value);
    settings.others = [registered] { return registered->others(); };
    prepared.unseen = printable(registered->problem());
    if (!prepared.unseen.empty())
      tell(request.surroundings,
           "assay: other runs on these processors cannot be seen: " + prepared.unseen + "\n");
  }
  std::vector<result::Visit> done;
  if (session.is_continued) session.folder = session.resumed;
  result::JournalWriter journal =
      session.is_continued
          ? resume_journal(request, session.folder, prepared,
                           session.extension ? &*session.extension : nullptr, done)
          : begin_journal(request, session.resumed, prepared, session.header, session.folder);
  const double started_s = monotonic_s();
  const int interrupted_by = measure_rest(session, settings, done, watch, stop, journal);
  journal.end({unix_s(), interrupted_by, monotonic_s() - started_s});
}

judge::Judgement judge_session(const Session& session) {
  const Prepared& prepared = session.prepared;
  return judge_run(prepared.suite, prepared.plan, prepared.inventory,
                   result::read_journal(session.folder / kJournal));
}

}  // namespace assay::engine
