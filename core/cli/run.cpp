// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "cli/amounts.hpp"
#include "cli/bench_suite.hpp"
#include "cli/command.hpp"
#include "cli/command_suite.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "cli/programs.hpp"
#include "cli/require_option.hpp"
#include "cli/run_suite.hpp"
#include "cli/setup_and_cleanup.hpp"
#include "engine/folder.hpp"
#include "engine/plugin_search.hpp"
#include "engine/preparation.hpp"
#include "engine/rejudge.hpp"
#include "engine/run_journal.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

namespace assay::cli {
namespace {

void add_run_options(CLI::App& command, RunArguments& options) {
  command
      .add_option(
          "--filter", options.filters,
          "regular expression that ids of cases have to match, or an id as reports have it; of several, any")
      ->type_name("REGEX");
  command
      .add_option(
          "--only", options.where,
          "value of an axis or a parameter that cases must have, or a list of values: dtype=bf16,fp16; "
          "of several options, all")
      ->type_name("NAME=VALUE");
  command
      .add_option("--set", options.overrides,
                  "new value of a case's key: gemm.m=4096, gemm.measure.samples=5")
      ->type_name("CASE.KEY=VALUE");
  add_require_option(command, options.overrides);
  command
      .add_option("--site", options.site,
                  "site file written by 'assay system --write-site FILE' that this machine has "
                  "to match; exit 6 if it differs")
      ->type_name("FILE");
  command
      .add_option("--baseline", options.baseline,
                  "file written by 'assay baseline', with values of healthy devices, for 'within band' "
                  "and '% of baseline'")
      ->type_name("FILE");
  command.add_option("--report", options.reports, kReportHelp)->type_name("REPORT");
  command.add_option("-o,--output", options.folder, "folder for the results, new or empty")->type_name("DIR");
  command
      .add_option("--peaks", options.peaks,
                  "file of peak rates of devices; they take precedence over the built-in table")
      ->type_name("FILE");
  command
      .add_option(
          "--doctor", options.doctor,
          "result of 'assay doctor' on this machine: limits are judged by its run-to-run noise, instead of by 1 %")
      ->type_name("RESULT");
  command.add_option("--seed", options.seed, "seed for the order of cases and for input data")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->default_str("1")
      ->type_name("N");
  command.add_flag("--strict", options.strict, "undecided and skipped results count as failures, too");
  command.add_flag("--quick", options.quick, "one round, 20 samples, 1 s a visit; marked in every report");
  command
      .add_option("--isolation", options.isolation,
                  "a new worker when it is needed (worker) or for every case (case)")
      ->check(CLI::IsMember({"worker", "case"}))
      ->default_str("worker")
      ->type_name("HOW");
  command
      .add_option("--wrap", options.wrap,
                  "command before every worker, such as 'nsys profile'; results are shown, never judged")
      ->type_name("COMMAND");
  add_pair_options(command, options.pairs);
  command.add_flag("-q,--quiet", options.quiet, "no progress and no table");
  add_verbose_option(command, options.verbose);
  add_plugin_options(command, options.plugins);
}

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

// `warmup` is what --warmup says, if it stands there.
std::vector<SettingText> settings_of(const std::vector<std::string>& words,
                                     std::optional<std::uint64_t> warmup) {
  std::vector<SettingText> settings;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      const bool is_of_list = i > 0 && (words[i - 1].ends_with(",") || word.starts_with(","));
      throw Error("usage.setting",
                  "'" + printable(word) + "' is not of the form key=value" +
                      (is_of_list ? "; write lists without spaces: " + printable(words[i - 1] + word) : ""));
    }
    settings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    if (warmup && settings.back().first == "warmup")
      throw Error("usage.setting",
                  "--warmup and " + printable(word) + " say the same; leave one of them out");
  }
  if (warmup) settings.emplace_back("warmup", std::to_string(*warmup));
  return settings;
}

// What the run records as its command: of several suites its own alone.
Context with_one_suite(const Context& context, const std::vector<std::string>& suites, std::size_t mine) {
  Context result = context;
  std::erase_if(result.command, [&](const std::string& word) {
    return word != suites[mine] && std::find(suites.begin(), suites.end(), word) != suites.end();
  });
  return result;
}

// Options of which one leaves nothing to choose for the other.
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
  command->add_option("suite", options->suites, "YAML files, or names of suites that come with assay")
      ->type_name("SUITE...");
  command->add_flag("--dry-run", options->run.dry_run,
                    "plan of what would be measured, and where; nothing is measured");
  command
      ->add_option("--inventory", options->run.inventory,
                   "devices from 'assay system --json' of another machine, with --dry-run")
      ->type_name("FILE");
  command->add_option("--resume", options->run.resume, "folder of an interrupted run to continue")
      ->type_name("DIR");
  command
      ->add_option(
          "--failed", options->run.failed,
          "result whose cases run again if they did not pass, with the cases judged together with them")
      ->type_name("RESULT");
  command
      ->add_option("--extend", options->run.extend,
                   "finished run to continue, with twice the rounds for undecided cases and "
                   "the cases judged together with them")
      ->type_name("RUN");
  command
      ->add_option("--budget", options->budget,
                   "time for all cases; the rounds of each case are chosen to fit, by estimate")
      ->type_name("TIME");
  command
      ->add_option("--earlier", options->run.earlier,
                   "results for --budget, which show how rounds vary here and how long they take")
      ->type_name("RESULT");
  add_run_options(*command, options->run);
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

void add_bench(CLI::App& program, const Context& context, Action& action) {
  struct BenchCommandOptions {
    RunArguments run;
    std::vector<std::string> words;
    std::optional<std::uint64_t> runs, warmup;
    SetupAndCleanup hooks;
    bool yaml = false;
  };
  auto options = std::make_shared<BenchCommandOptions>();
  CLI::App* command = add_command(
      program, "bench", "run one benchmark, or commands of one's own, without a file",
      "  assay bench membw@host kernel=triad,copy bytes=1GiB     commas make an axis\n"
      "  assay bench gemm@host dtype=fp32,fp64 reference=dtype=fp64  is fp32 faster?\n"
      "  assay bench membw@host bytes=1MiB..64MiB*4              and so does a range, with * or +\n"
      "  assay bench gemm@host dtype=fp64 samples=30\n"
      "  assay bench gemm dtype=fp32 --yaml > suite.yaml    a suite to go on with\n"
      "  assay bench --runs 20 -- ./program --size 4             a command, twenty times\n"
      "  assay bench -- ./old -- ./new                           is the second faster than the first?\n"
      "  assay bench n=1,2,4 -- ./program --threads '{n}'        an axis in a command\n"
      "  assay bench --setup 'make {target}' target=a,b -- ./run '{target}'  before the first execution\n");
  command
      ->add_option("words", options->words,
                   "benchmark (membw, gemm@host), then parameters and keys of a case as key=value; "
                   "before a command, without benchmark")
      ->type_name("NAME KEY=VALUE...");
  command->add_option("--runs", options->runs, "number of runs of each command, a round each")
      ->check(whole_number(1, 1000))
      ->default_str("10")
      ->type_name("N");
  command
      ->add_option("--warmup", options->warmup,
                   "executions or iterations before those that count, in every round; as warmup=N")
      ->check(whole_number(0, 1'000'000'000))
      ->type_name("N");
  command
      ->add_option("--setup", options->hooks.setup,
                   "line for /bin/sh, run once before each command's first execution; {name} is a parameter")
      ->allow_extra_args(false)
      ->type_name("LINE");
  command
      ->add_option(
          "--cleanup", options->hooks.cleanup,
          "line for /bin/sh, run once after each command's last execution, unless its --setup failed")
      ->allow_extra_args(false)
      ->type_name("LINE");
  command->add_flag("--yaml,--print-suite", options->yaml, "suite as YAML, instead of a run");
  command->add_flag("--dry-run", options->run.dry_run,
                    "plan of what would be measured, and where; nothing is measured");
  add_run_options(*command, options->run);
  act(*command, action, [options, &context] {
    std::vector<std::string> words = options->words;
    if (!context.commands.empty()) {
      const std::vector<SettingText> settings = settings_of(words, options->warmup);
      const std::string suite = command_suite(context.commands, settings, options->runs.value_or(10));
      if (options->yaml) {
        if (!options->hooks.is_nothing())
          throw Error("usage.setup",
                      "a suite has no --setup and no --cleanup: leave them out here, and do what they "
                      "do around 'assay run'");
        print_out(suite);
        return 0;
      }
      const SuiteText text = {"(from the command line)", suite};
      if (options->run.dry_run) return run_suite(context, options->run, text);
      return run_with_setup(options->hooks, suite, context, [&](const CleanUp& clean_up) {
        // A setup may have made the program.
        require_programs(context.commands, settings, context);
        return run_suite(context, options->run, text, [&](const std::string&) -> CommandVerdict {
          const int code = clean_up();
          return code == 0 ? CommandVerdict() : CommandVerdict{code, "because --cleanup did not succeed"};
        });
      });
    }
    if (!options->hooks.is_nothing())
      throw Error("usage.setup",
                  "--setup and --cleanup are of commands behind '--'; a benchmark sets itself up");
    if (options->runs)
      throw Error("usage.runs", "--runs is of commands behind '--'; a benchmark has processes=N");
    if (words.empty()) {
      throw Error("usage.benchmark",
                  "which benchmark? 'assay list' shows them; a command of one's own stands behind '--'");
    }
    const std::string name = words.front();
    const catalog::Catalog catalog = load_catalog(context, options->run.plugins, engine::SameIds::kept);
    refuse_suite(context, catalog, name);
    refuse_program(catalog, words, context);
    const ChosenProvider chosen =
        choose_provider(catalog, name, devices_here(context, options->run.plugins, catalog));
    words.erase(words.begin());
    const std::vector<SettingText> settings = settings_of(words, options->warmup);
    if (options->yaml) {
      print_out(settings.empty() ? template_suite(chosen) : bench_suite(chosen, settings));
      return 0;
    }
    // Numbers of the processors must not pass for those of a GPU that is missing.
    if (!options->run.quiet && !chosen.also_on.empty() &&
        chosen.provider.manifest->backend == catalog::kHostBackend)
      print_error("no device of " + chosen.also_on + " is here: '" + printable(name) +
                  "' runs on the host\n");
    return run_suite(context, options->run,
                     {name + " (from the command line)", bench_suite(chosen, settings)});
  });
}

}  // namespace assay::cli
