// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "cli/amounts.hpp"
#include "cli/command.hpp"
#include "cli/option_groups.hpp"
#include "cli/require_option.hpp"
#include "cli/run_suite.hpp"
#include "engine/folder.hpp"
#include "engine/preparation.hpp"
#include "engine/rejudge.hpp"
#include "engine/run_journal.hpp"
#include "text/lookup.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <limits>
#include <memory>

namespace assay::cli {
void add_run_options(CLI::App& command, RunArguments& options) {
  value_option(command, "--filter", "REGEX", options.filters, kFilterHelp);
  value_option(command, "--only", "NAME=VALUE", options.where,
               "value of an axis or a parameter that cases must have, or a list of values: dtype=bf16,fp16; "
               "of several options, all");
  value_option(command, "--set", "CASE.KEY=VALUE", options.overrides,
               "new value of a case's key: gemm.m=4096, gemm.measure.samples=5");
  add_require_option(command, options.overrides, options.made_by);
  value_option(command, "--site", "FILE", options.site,
               "site file written by 'assay system --write-site FILE' that this machine has "
               "to match; exit 6 if it differs");
  value_option(command, "--baseline", "FILE", options.baseline,
               "file written by 'assay baseline', with values of healthy devices, for 'within band' "
               "and '% of baseline'; 'none' measures without one, and these limits fail");
  value_option(command, "--report", "REPORT", options.reports, kReportHelp);
  value_option(command, "-o,--output", "DIR", options.folder, "folder for the results, new or empty");
  value_option(command, "--peaks", "FILE", options.peaks,
               "file of peak rates of devices; they take precedence over the built-in table");
  value_option(
      command, "--doctor", "RESULT", options.doctor,
      "result of 'assay doctor' on this machine: limits are judged by its run-to-run noise, instead of by 1 %");
  value_option(command, "--seed", "N", options.seed, "seed for the order of cases and for input data")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->default_str("1");
  command.add_flag("--strict", options.strict, "undecided and skipped results count as failures, too");
  command.add_flag("--quick", options.quick, "one round, 20 samples, 1 s a visit; marked in every report");
  value_option(command, "--isolation", "HOW", options.isolation,
               "a new worker when it is needed (worker) or for every case (case)")
      ->check(CLI::IsMember({"worker", "case"}))
      ->default_str("worker");
  value_option(command, "--wrap", "COMMAND", options.wrap,
               "command before every worker, such as 'nsys profile'; results are shown, never judged");
  add_pair_options(command, options.pairs);
  command.add_flag("-q,--quiet", options.quiet, "no progress and no table");
  add_verbose_option(command, options.verbose);
  add_plugin_options(command, options.plugins);
}

namespace {

// No suite was named. What a journal or a result names is not run by itself, it may come from anywhere; the
// command that would is said.
[[noreturn]] void ask_for_suite(const RunArguments& options) {
  std::string file, option;
  if (!options.resume.empty()) {
    const auto journal = engine::folder_to_resume(options.resume) / engine::kJournal;
    if (result::has_header(journal)) file = result::read_journal(journal).header.suite_file;
    option = " --resume " + shell_word(options.resume);
  } else if (!options.extend.empty()) {
    file = result::read_journal(engine::journal_of(options.extend)).header.suite_file;
    option = " --extend " + shell_word(options.extend);
  } else if (!options.failed.empty()) {
    file = engine::checked_result(options.failed, engine::text_of_result(options.failed)).run.suite_file;
    option = " --failed " + shell_word(options.failed);
  }
  throw Error("usage.suites",
              file.empty() ? "which suite? name a file, or one of those that come with assay: assay run quick"
                           : "which suite? what a file names is not run by itself; it was: assay run " +
                                 shell_word(printable(file)) + option);
}

// What the run records as its command: of several suites its own alone.
Context with_one_suite(const Context& context, const std::vector<std::string>& suites, std::size_t mine) {
  Context result = context;
  std::erase_if(result.command,
                [&](const std::string& word) { return word != suites[mine] && contains(suites, word); });
  return result;
}

// Refuses pairs of options if the first option leaves nothing to choose for the second.
void refuse_contradictions(const RunArguments& run) {
  const auto refuse = [](const std::string& why) { throw Error("usage.rounds", why); };
  const bool goes_on = !run.resume.empty() || !run.extend.empty();
  if (!run.extend.empty() && !(run.resume.empty() && run.failed.empty() && run.filters.empty()))
    refuse("--extend chooses the cases by itself; leave --resume, --failed and --filter out");
  if (!run.extend.empty() && !run.folder.empty())
    refuse("--extend goes on in the run's folder; leave -o out");
  if (run.budget_s && run.quick)
    refuse("--quick is one round a case, and --budget chooses more; give one of them");
  if (run.budget_s && (goes_on || !run.failed.empty()))
    refuse(
        "--budget chooses the rounds of a new run, and --resume, --failed and --extend have theirs; leave it out");
  if (!run.earlier.empty() && !run.budget_s)
    refuse("--earlier goes with --budget; 'assay plan' says what the rounds of a suite can show");
}

}  // namespace

void add_run(CLI::App& program, const Context& context, Action& action) {
  struct RunCommandOptions {
    RunArguments run;
    std::vector<std::string> suites;
    std::string budget;
  };
  auto options = std::make_shared<RunCommandOptions>();
  CLI::App* command = add_command(
      program, "run", "run suites and judge what they measure",
      "  assay run quick                                   a suite that comes with assay\n"
      "  assay run suite.yaml --report junit=results.xml   for CI\n"
      "  assay run suite.yaml --filter 'gemm\\[' --dry-run  what would be measured\n"
      "  assay run suite.yaml --resume assay-results/latest\n"
      "  assay run suite.yaml --failed assay-results/latest\n"
      "  assay run suite.yaml --extend assay-results/latest   more rounds for what is undecided\n"
      "  assay run suite.yaml --budget 10min                  as many rounds as fit\n"
      "  assay run suite.yaml --pairs env:OMP_NUM_THREADS=1 env:OMP_NUM_THREADS=2   which is slower?\n"
      "  assay run suite.yaml --pairs as-is with:bytes=64MiB --filter 'membw\\['     the suite, or so\n");
  value_option(*command, "suite", "SUITE...", options->suites,
               "YAML files, or names of suites that come with assay");
  command->add_flag("--dry-run", options->run.dry_run,
                    "plan of what would be measured, and where; nothing is measured");
  value_option(*command, "--inventory", "FILE", options->run.inventory,
               "devices from 'assay system --json' of another machine, with --dry-run");
  value_option(*command, "--resume", "DIR", options->run.resume, "folder of an interrupted run to continue");
  value_option(*command, "--failed", "RESULT", options->run.failed,
               "result whose cases run again if they did not pass, with the cases judged together with them");
  value_option(*command, "--extend", "RUN", options->run.extend,
               "finished run to continue, with twice the rounds for undecided cases and "
               "the cases judged together with them");
  add_run_options(*command, options->run);
  value_option(*command, "--budget", "TIME", options->budget,
               "time for all cases; the rounds of each case are chosen to fit, by estimate");
  value_option(*command, "--earlier", "RESULT", options->run.earlier,
               "results for --budget, which show how rounds vary here and how long they take");
  group_options(*command);
  act(*command, action, [options, &context] {
    RunArguments& run = options->run;
    if (!options->budget.empty()) run.budget_s = seconds_of("--budget", options->budget);
    refuse_contradictions(run);
    if (!run.inventory.empty() && !run.dry_run)
      throw Error("usage.inventory",
                  "--inventory goes with --dry-run: nothing can be measured on another machine");
    if (options->suites.size() > 1 &&
        (!run.resume.empty() || !run.failed.empty() || !run.extend.empty() || !run.folder.empty())) {
      throw Error("usage.suites",
                  "--resume, --failed, --extend and -o are for one suite; run them one by one");
    }
    const bool filtered = !run.filters.empty() || !run.where.empty();
    if (!run.failed.empty() && (!run.resume.empty() || filtered))
      throw Error("usage.failed",
                  !filtered ? "--resume goes on with a run that --failed began by itself; leave "
                              "--failed out"
                            : "--failed chooses the cases by itself; leave --filter and --only out");
    if (!run.resume.empty() && !run.folder.empty())
      throw Error("usage.resume", "--resume goes on in its folder; leave -o out");
    if (options->suites.empty()) ask_for_suite(run);
    std::vector<SuiteText> suites;
    for (const std::string& name : options->suites) suites.push_back(engine::read_suite(context, name));
    if (suites.size() > 1 && !all_valid(with_surroundings(run, context), suites)) return kInvalidSuite;
    std::vector<int> codes;
    for (std::size_t i = 0; i < suites.size(); ++i) {
      codes.push_back(run_suite(with_one_suite(context, options->suites, i), run, suites[i]));
      if (codes.back() >= 128) break;
    }
    return worst_exit_code(codes);
  });
}

}  // namespace assay::cli
