// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/folder.hpp"
#include "cli/output.hpp"
#include "cli/plan_text.hpp"
#include "cli/preparation.hpp"
#include "cli/progress.hpp"
#include "cli/run_journal.hpp"
#include "cli/signals.hpp"
#include "cli/suite_search.hpp"
#include "cli/timelines.hpp"
#include "result/exit_code.hpp"
#include "run/run_registry.hpp"
#include "text/clock.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// Reads --report. False if a request is wrong, which is then printed.
bool requests_of(const RunOptions& options, const Prepared& prepared,
                 std::vector<report::Request>& requests) {
  Diagnostics usage;
  for (const std::string& request : options.reports)
    requests.push_back(report::parse_request(request, prepared.catalog, usage));
  const auto keeps_truth = [](const report::Request& request) {
    return request.reporter == "json" && request.path.empty();
  };
  if (options.reports.empty()) {
    requests = default_reports();
  } else if (std::none_of(requests.begin(), requests.end(), keeps_truth)) {
    requests.insert(requests.begin(), {"json", {}, ""});  // the truth is always kept
  }
  if (usage.has_errors()) print(usage, {});
  return !usage.has_errors();
}

// Runs what is left of the plan. Gives the signal that ended it, or 0.
int measure(const RunOptions& options, const Context& context, const run::Settings& settings,
            const Prepared& prepared, const std::vector<result::Visit>& done, const Rendering& rendering,
            result::JournalWriter& journal) {
  if (!prepared.plan.unmet.empty()) return 0;
  const SignalCatcher signals;
  // A terminal that knows no escapes gets lines, as a file does.
  const bool draws = context.errors_are_terminal && context.variable("TERM") != "dumb";
  ProgressLine progress(draws, options.quiet, context.width);
  const auto stop = [] {
    const SignalCatcher::Received received = SignalCatcher::received();
    return run::StopRequest{received.signal, received.count};
  };
  std::size_t kept = done.size();
  int restored = 0;
  const auto keep = [&](const result::Visit& visit) {
    try {
      journal.visit(visit);
    } catch (const Error& error) {
      const std::string next = rendering.repeat.empty()
                                   ? ""
                                   : "; once that is settled, go on with: " + rendering.repeat +
                                         " --resume " + shell_word(rendering.run.string());
      throw Error("run.stopped", fmt::format("{}; {} of {} visits are kept{}", error.what(), kept,
                                             prepared.plan.order.size(), next));
    }
    ++kept;
    if (journal.restored() == restored) return;
    restored = journal.restored();
    progress.clear();
    print_error("assay: '" + printable(rendering.run.string()) +
                "' was removed meanwhile; it was made again, with every visit that was finished\n");
  };
  return run::run(prepared.plan, prepared.inventory, prepared.catalog, settings, done, stop, keep,
                  [&](const run::Progress& at) { progress.show(at); })
      .interrupted_by;
}

judge::Options judge_options(bool strict) {
  judge::Options options;
  options.strict = strict;
  return options;
}

// What is judged is what is kept: the same document comes from the journal at any time. The samples are gone
// before the text is rendered.
judge::Judgement judge_journal(const Prepared& prepared, const fs::path& file, bool strict) {
  const result::Journal whole = result::read_journal(file);
  return judge::judge(prepared.suite, prepared.plan, prepared.inventory, whole.header, whole.visits,
                      whole.end, judge_options(strict));
}

// A run without cases says so in its result; only here is it known that a filter left all of them out.
void tell_of_filters(const RunOptions& options, const Prepared& prepared) {
  if (options.filters.empty() || !prepared.plan.cases.empty() || !prepared.plan.unmet.empty()) return;
  std::vector<std::string> filters, cases;
  for (const std::string& filter : options.filters) filters.push_back("'" + printable(filter) + "'");
  constexpr std::size_t kNamed = 20;
  for (const suite::Case& one : prepared.suite.cases) {
    if (cases.size() < kNamed) cases.push_back(one.id.value);
  }
  if (prepared.suite.cases.size() > kNamed) cases.emplace_back("…");
  print_error("no case matches --filter " + join(filters, " or ") + "; the suite has " + join(cases, ", ") +
              "\n");
}

// Measures what a new journal, or that of the run that goes on, does not hold yet.
void measure_and_keep(const Context& context, const RunOptions& options, const fs::path& resumed,
                      bool goes_on, const result::JournalHeader& header, Prepared& prepared,
                      Rendering& rendering) {
  run::Settings settings = run_settings(context, options);
  settings.trace = show_timelines(rendering.requests);
  const auto held = run::hold_devices(prepared.plan, prepared.inventory, settings);
  std::shared_ptr<const run::RunRegistry> registered;
  if (prepared.plan.unmet.empty()) {
    registered = run::register_run(prepared.plan, prepared.inventory, settings, prepared.suite.name,
                                   prepared.suite.policy.alone.value);
    settings.others = [registered] { return registered->others(); };
    prepared.unseen = printable(registered->problem());
    if (!prepared.unseen.empty())
      print_error("assay: other runs on these processors cannot be seen: " + prepared.unseen + "\n");
  }
  std::vector<result::Visit> done;
  result::JournalWriter journal =
      goes_on ? resume_journal(context, options, resumed, prepared, done)
              : begin_journal(context, options, resumed, prepared, header, rendering.folder);
  if (goes_on) rendering.folder = resumed;
  rendering.run = rendering.folder;
  const double started_s = monotonic_s();
  const int interrupted_by = measure(options, context, settings, prepared, done, rendering, journal);
  journal.end({unix_s(), interrupted_by, monotonic_s() - started_s});
}

report::Sources sources_of(const fs::path& folder, const suite::Suite& suite, const std::string& site) {
  report::Sources sources{{folder / kJournal, suite.file}, folder / "result.json"};
  if (!site.empty()) sources.files.emplace_back(site);
  for (const auto& [file, text] : suite.includes) sources.files.emplace_back(file);
  return sources;
}

}  // namespace

std::string repeat_command(const std::string& suite_file, const RunOptions& options) {
  std::error_code ignored;
  if (!fs::exists(suite_file, ignored)) return {};
  std::string command = "assay run " + shell_word(suite_file);
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) command += std::string(option) + shell_word(value);
  };
  add(" --plugin ", options.plugins.plugins);
  add(" --plugin-dir ", options.plugins.plugin_folders);
  add(" --library-path ", options.plugins.library_path);
  add(" --set ", options.overrides);
  if (options.quick) command += " --quick";
  if (!options.site.empty()) command += " --site " + shell_word(options.site);
  if (!options.doctor.empty()) command += " --doctor " + shell_word(options.doctor);
  if (!options.wrap.empty()) command += " --wrap " + shell_word(options.wrap);
  return command;
}

// Beyond what a suite may have, so that the parser says so at its place.
SuiteText read_suite(const Context& context, const std::string& name) {
  const std::string file = find_suite(context, name).string();
  return {file, read_named_file(file, std::size_t{16} << 20)};
}

std::string read_include(const std::string& path) { return read_file(path, std::size_t{1} << 20); }

int worst_exit_code(const std::vector<int>& codes) {
  constexpr std::array<int, 10> kOrder = {kUsage, kInvalidSuite, kNoPlugin, 130, 143, 129, 5, 1, 6, 7};
  for (const int code : kOrder) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) return code;
  }
  return 0;
}

int run_suite(const Context& context, const RunOptions& asked, const SuiteText& text,
              const std::function<int(const std::string& document)>& remarks) {
  RunOptions options = asked;
  const fs::path resumed = options.resume.empty() ? fs::path() : folder_to_resume(options.resume);
  const bool goes_on = !resumed.empty() && result::has_header(resumed / kJournal);
  result::JournalHeader header;
  Prepared prepared;
  if (goes_on) header = adopt_header(resumed, options);
  const auto code = options.failed.empty() ? prepare(context, options, text, chosen_before(header), prepared)
                                           : prepare_retry(context, options, text, prepared, header);
  if (code) return *code;
  if (goes_on) require_same_plan(context, options, resumed, header, prepared);
  tell_of_filters(options, prepared);

  Rendering rendering;
  if (!requests_of(options, prepared, rendering.requests)) return kUsage;
  if (options.dry_run) {
    print_out(plan_text(prepared.suite, prepared.plan));
    return prepared.plan.unmet.empty() ? 0 : 6;
  }
  rendering.repeat = repeat_command(text.file, options);
  rendering.console = !options.quiet;
  if (goes_on && is_whole(resumed, prepared.plan)) {
    print_error("nothing is left to measure in '" + printable(resumed.string()) +
                "': its reports are made again\n");
    rendering.folder = rendering.run = resumed;
  } else {
    measure_and_keep(context, options, resumed, goes_on, header, prepared, rendering);
  }
  const judge::Judgement judged = judge_journal(prepared, rendering.folder / kJournal, options.strict);
  const int code_so_far =
      remarks ? worst_exit_code({judged.exit_code, remarks(judged.document)}) : judged.exit_code;
  rendering.exit_code = code_so_far;
  rendering.sources = sources_of(rendering.folder, prepared.suite, options.site);
  const bool rendered = render_reports(context, prepared.catalog, judged.document, rendering);
  return worst_exit_code({code_so_far, rendered ? 0 : kNoReport});
}

}  // namespace assay::cli
