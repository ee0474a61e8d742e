// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include "cli/output.hpp"
#include "cli/plan_text.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "cli/timelines.hpp"
#include "engine/run_journal.hpp"
#include "engine/session.hpp"

#include <algorithm>
#include <array>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// Reads --report. False if a request is wrong, which is then printed.
bool requests_of(const RunOptions& options, const catalog::Catalog& catalog,
                 std::vector<report::Request>& requests) {
  Diagnostics usage;
  for (const std::string& request : options.reports)
    requests.push_back(report::parse_request(request, catalog, usage));
  const auto keeps_truth = [](const report::Request& request) {
    return request.reporter == "json" && request.path.empty();
  };
  if (options.reports.empty()) {
    requests = {{"json", {}, ""}, {"markdown", {}, ""}, {"junit", {}, ""}};
  } else if (std::none_of(requests.begin(), requests.end(), keeps_truth)) {
    requests.insert(requests.begin(), {"json", {}, ""});  // the truth is always kept
  }
  if (usage.has_errors()) print(usage);
  return !usage.has_errors();
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
      session, [&](const run::Progress& at) { progress.show(at); },
      [] {
        const SignalCatcher::Received received = SignalCatcher::received();
        return run::StopRequest{received.signal, received.count};
      });
  session.request.surroundings.tell = context.tell;
}

report::Sources sources_of(const engine::Session& session) {
  const suite::Suite& suite = session.prepared.suite;
  report::Sources sources{{session.folder / engine::kJournal, suite.file}, session.folder / "result.json"};
  for (const std::string& held : {session.request.site, session.request.baseline})
    if (!held.empty()) sources.files.emplace_back(held);
  for (const auto& [file, text] : suite.includes) sources.files.emplace_back(file);
  return sources;
}

}  // namespace

engine::Request with_surroundings(const engine::Request& request, const Context& context) {
  engine::Request whole = request;
  whole.surroundings = context;
  return whole;
}

int worst_exit_code(const std::vector<int>& codes) {
  constexpr std::array<int, 10> kOrder = {kUsage, kInvalidSuite, kNoPlugin, 130, 143, 129, 5, 1, 6, 7};
  for (const int code : kOrder) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) return code;
  }
  return 0;
}

int run_suite(const Context& context, const RunOptions& options, const SuiteText& text,
              const std::function<int(const std::string& document)>& remarks) {
  auto session = engine::prepare_session(with_surroundings(options, context), text);
  if (!session) return kInvalidSuite;
  const engine::Prepared& prepared = session->prepared;
  Rendering rendering;
  if (!requests_of(options, prepared.catalog, rendering.requests)) return kUsage;
  if (options.dry_run) {
    print_out(plan_text(prepared.suite, prepared.plan));
    return prepared.plan.unmet.empty() ? 0 : 6;
  }
  session->request.timelines = show_timelines(rendering.requests);
  measure_and_show(context, options.quiet, *session);
  const judge::Judgement judged = engine::judge_session(*session);
  const int code_so_far =
      remarks ? worst_exit_code({judged.exit_code, remarks(judged.document)}) : judged.exit_code;
  rendering.folder = rendering.run = session->folder;
  rendering.repeat = engine::repeat_command(text.file, session->request);
  rendering.console = !options.quiet;
  rendering.exit_code = code_so_far;
  rendering.sources = sources_of(*session);
  const bool rendered = render_reports(context, prepared.catalog, judged.document, rendering);
  return worst_exit_code({code_so_far, rendered ? 0 : kNoReport});
}

}  // namespace assay::cli
