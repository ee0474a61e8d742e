// SPDX-License-Identifier: Apache-2.0
#include "cli/run_suite.hpp"

#include "cli/effort_text.hpp"
#include "cli/more_rounds.hpp"
#include "cli/output.hpp"
#include "cli/plan_text.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/timelines.hpp"
#include "engine/run_journal.hpp"
#include "engine/session.hpp"
#include "model/comparison.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// Reads --report. False if a request is wrong, which is then printed.
bool requests_of(const RunArguments& options, const catalog::Catalog& catalog,
                 std::vector<report::ReportRequest>& requests) {
  const bool is_right = read_requests(options.reports, catalog, requests);
  const auto keeps_truth = [](const report::ReportRequest& request) {
    return request.reporter == "json" && request.path.empty();
  };
  if (options.reports.empty()) {
    requests = {{"json", {}, ""}, {"markdown", {}, ""}, {"junit", {}, ""}};
  } else if (std::none_of(requests.begin(), requests.end(), keeps_truth)) {
    requests.insert(requests.begin(), {"json", {}, ""});  // the truth is always kept
  }
  return is_right;
}

report::Sources sources_of(const engine::Session& session) {
  const suite::Suite& suite = session.prepared.suite;
  report::Sources sources{{session.folder / engine::kJournal, suite.file}, session.folder / "result.json"};
  for (const std::string& held : {session.request.site, session.request.baseline})
    if (!held.empty() && held != engine::kNoBaseline) sources.files.emplace_back(held);
  for (const auto& [file, text] : suite.includes) sources.files.emplace_back(file);
  return sources;
}

// What both variants come to. None where the run has no case, as it says itself.
std::optional<model::Comparison> comparison_of_pairs(const std::string& document,
                                                     const engine::Session& session,
                                                     const comparison::Question& question) {
  const comparison::LoadedResult reading =
      comparison::read_result(document, (session.folder / "result.json").string());
  if (reading.cases.empty()) return std::nullopt;
  return comparison::compare_variants(reading, kBefore, kAfter, question);
}

}  // namespace

engine::Request with_surroundings(const engine::Request& request, const Context& context) {
  engine::Request whole = request;
  whole.surroundings = context;
  return whole;
}

void measure_and_show(const Context& context, bool quiet, engine::Session& session) {
  const SignalCatcher signals;
  // A terminal that knows no escapes gets lines, as a file does.
  const bool draws = context.errors_are_terminal && variable(context, "TERM") != "dumb";
  ProgressLine progress(draws, quiet, context.width);
  session.request.surroundings.tell = [&](std::string_view text) {
    progress.clear();
    print_error(text);
  };
  engine::measure(
      session, [&](const run::RunProgress& at) { progress.show(at); },
      [] {
        const SignalCatcher::Received received = SignalCatcher::received();
        return run::StopRequest{received.signal, received.count};
      });
  session.request.surroundings.tell = context.tell;
}

int worst_exit_code(const std::vector<int>& codes) {
  constexpr std::array<int, 10> kOrder = {kUsage, kInvalidSuite, kNoPlugin, 130, 143, 129, 5, 1, 6, 7};
  // Of a run that was killed: 137. What has no place of its own is as bad as a signal, and never 0.
  const auto other = std::find_if(codes.begin(), codes.end(),
                                  [&](int code) { return code != 0 && !contains(kOrder, code); });
  for (const int code : kOrder) {
    if (code == 5 && other != codes.end()) return *other;
    if (contains(codes, code)) return code;
  }
  return 0;
}

int run_suite(const Context& context, const RunArguments& options, const SuiteText& text,
              const std::function<CommandVerdict(const std::string& document)>& command_verdict) {
  const comparison::Question question = question_of(options.pairs);
  const engine::Request request = with_surroundings(options, context);
  auto session = engine::prepare_session(
      options.pairs.is_asked() ? with_pairs(request, options.pairs, text) : request, text);
  if (!session) return kInvalidSuite;
  const engine::Prepared& prepared = session->prepared;
  Rendering rendering;
  if (!requests_of(options, prepared.catalog, rendering.requests)) return kUsage;
  if (options.pairs.is_asked()) require_pairs(prepared.plan);
  if (options.dry_run) {
    const engine::Effort effort =
        session->effort ? *session->effort : engine::effort_of(prepared.suite, prepared.plan, {});
    print_out(plan_text(prepared.suite, prepared.plan, effort, context.line_width()));
    if (session->effort) print_out("\n" + effort_text(effort, context.width));
    // Of a filter that matches nothing the run says so, too, and measures nothing.
    return prepared.plan.unmet.empty() && !prepared.plan.cases.empty() ? 0 : 6;
  }
  if (session->effort && !options.quiet) print_out(effort_text(*session->effort, context.width) + "\n");
  session->request.timelines = show_timelines(rendering.requests);
  measure_and_show(context, options.quiet, *session);
  judge::Judgement judged = engine::judge_session(*session);
  const CommandVerdict said = command_verdict ? command_verdict(judged.document) : CommandVerdict();
  std::optional<model::Comparison> paired;
  if (options.pairs.is_asked()) paired = comparison_of_pairs(judged.document, *session, question);
  // Every report of the run says what the command ends with.
  if (paired && worst_exit_code({judged.exit_code, paired->verdict.exit_code}) != judged.exit_code)
    judged = with_verdict_of_pairs(judged, *paired);
  const int code_so_far = worst_exit_code({judged.exit_code, said.exit_code});
  rendering.folder = rendering.run = session->folder;
  rendering.repeat = engine::repeat_command(text.file, session->request);
  rendering.console = !options.quiet;
  rendering.verbose = options.verbose;
  rendering.exit_code = code_so_far;
  if (code_so_far == said.exit_code) rendering.why_exit_code = said.why;
  rendering.sources = sources_of(*session);
  // 'bench' has no file to which --extend could be added.
  if (!paired && judged.exit_code == 0 && context.command.size() > 1 && context.command[1] == "bench")
    rendering.again = command_with_rounds(context.command, rounds_to_decide(judged.document));
  rendering.is_continued = paired.has_value();
  bool rendered = render_reports(context, prepared.catalog, judged.document, rendering, &rendering.written);
  if (paired) {
    rendering.is_continued = false;
    rendering.requests = {{"json", {}, (session->folder / "comparison.json").string()}};
    rendering.repeat.clear();
    rendering.again = judged.exit_code >= 128
                          ? command_that_resumes(context.command, session->folder)
                          : command_with_rounds(context.command, rounds_to_decide(*paired));
    rendering.exit_code = worst_exit_code({code_so_far, rendered ? 0 : kNoReport});
    rendered = render_reports(context, prepared.catalog, model::to_json(*paired).dump(1) + "\n", rendering) &&
               rendered;
  }
  return worst_exit_code({code_so_far, rendered ? 0 : kNoReport});
}

}  // namespace assay::cli
