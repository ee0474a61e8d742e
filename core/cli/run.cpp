// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "cli/bench_suite.hpp"
#include "cli/command.hpp"
#include "cli/command_suite.hpp"
#include "cli/output.hpp"
#include "cli/requirements.hpp"
#include "cli/session.hpp"
#include "engine/folder.hpp"
#include "engine/plugin_search.hpp"
#include "engine/preparation.hpp"
#include "engine/rejudge.hpp"
#include "engine/run_journal.hpp"
#include "model/document.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace assay::cli {
namespace {

void add_run_options(CLI::App& command, RunOptions& options) {
  command
      .add_option("--filter", options.filters,
                  "only cases whose id matches this regular expression; several: any")
      ->type_name("REGEX");
  command
      .add_option("--set", options.overrides,
                  "replace a value of a case: gemm.m=4096, gemm.measure.samples=5")
      ->type_name("CASE.KEY=VALUE");
  command
      .add_option_function<std::vector<std::string>>(
          "--require",
          [&options](const std::vector<std::string>& words) {
            for (const std::string& word : words)
              for (std::string& setting : settings_of_requirements(word))
                options.overrides.push_back(std::move(setting));
          },
          "what the machine must have, as 'requires' says it: devices=8,driver=>=580; unmet is exit 6")
      ->type_name("KEY=VALUE");
  command
      .add_option("--site", options.site,
                  "what this machine must be, as 'assay system --write-site FILE' wrote it; a difference is "
                  "exit 6")
      ->type_name("FILE");
  command
      .add_option(
          "--baseline", options.baseline,
          "what healthy devices reach, as 'assay baseline' wrote it, for 'within band' and '% of baseline'")
      ->type_name("FILE");
  command
      .add_option("--report", options.reports,
                  "NAME[:key=value,…][=PATH]; may be given several times; '-' is standard output")
      ->type_name("REPORT");
  command.add_option("-o,--output", options.folder, "folder for the results, new or empty")->type_name("DIR");
  command.add_option("--peaks", options.peaks, "peak rates of devices; they stand before the built-in table")
      ->type_name("FILE");
  command
      .add_option(
          "--doctor", options.doctor,
          "judge limits by the run-to-run noise that 'assay doctor' measured on this machine, instead "
          "of by 1 %")
      ->type_name("RESULT");
  command.add_option("--seed", options.seed, "seed for the order of cases and for input data")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->default_str("1")
      ->type_name("N");
  command.add_flag("--strict", options.strict, "undecided and skipped are failures, too");
  command.add_flag("--quick", options.quick, "one round, 20 samples, 1 s a visit; marked in every report");
  command
      .add_option("--isolation", options.isolation,
                  "a new worker when it is needed (worker) or for every case (case)")
      ->check(CLI::IsMember({"worker", "case"}))
      ->default_str("worker")
      ->type_name("HOW");
  command
      .add_option("--wrap", options.wrap,
                  "put a command before every worker, 'nsys profile'; shown, never judged")
      ->type_name("COMMAND");
  command.add_flag("-q,--quiet", options.quiet, "no progress and no table");
  add_plugin_options(command, options.plugins);
}

// No suite was named. What a journal or a result names is not run by itself, it may come from anywhere; the
// command that would is said.
[[noreturn]] void ask_for_suite(const RunOptions& options) {
  std::string file, option;
  if (!options.resume.empty()) {
    const auto journal = engine::folder_to_resume(options.resume) / engine::kJournal;
    if (result::has_header(journal)) file = result::read_journal(journal).header.suite_file;
    option = " --resume " + shell_word(options.resume);
  } else if (!options.failed.empty()) {
    file = model::read_document(engine::document_of(options.failed)).run.suite_file;
    option = " --failed " + shell_word(options.failed);
  }
  throw Error("usage.suites",
              file.empty() ? "which suite? name a file, or one of those that come with assay: assay run quick"
                           : "which suite? what a file names is not run by itself; it was: assay run " +
                                 shell_word(printable(file)) + option);
}

std::vector<Setting> settings_of(const std::vector<std::string>& words) {
  std::vector<Setting> settings;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error("usage.setting", "'" + printable(word) + "' is no key=value");
    settings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
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

}  // namespace

void add_run(CLI::App& program, const Context& context, Action& action) {
  struct Options {
    RunOptions run;
    std::vector<std::string> suites;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(program, "run", "run suites and judge what they measure",
                  "  assay run quick                                   a suite that comes with assay\n"
                  "  assay run suite.yaml --report junit=results.xml   for CI\n"
                  "  assay run suite.yaml --filter 'gemm\\[' --dry-run  what would be measured\n"
                  "  assay run suite.yaml --resume assay-results/latest\n"
                  "  assay run suite.yaml --failed assay-results/latest\n");
  command->add_option("suite", options->suites, "YAML files, or names of suites that come with assay")
      ->type_name("SUITE...");
  command->add_flag("--dry-run", options->run.dry_run, "show what would be measured, and where");
  command
      ->add_option("--inventory", options->run.inventory,
                   "devices from 'assay system --json' of another machine, with --dry-run")
      ->type_name("FILE");
  command
      ->add_option("--resume", options->run.resume, "go on with a run that was interrupted, from its folder")
      ->type_name("DIR");
  command
      ->add_option("--failed", options->run.failed,
                   "run again only what did not pass in RESULT, and what is judged together with it")
      ->type_name("RESULT");
  add_run_options(*command, options->run);
  command->callback([options, &context, &action] {
    action = [options, &context] {
      const RunOptions& run = options->run;
      if (!run.inventory.empty() && !run.dry_run)
        throw Error("usage.inventory",
                    "--inventory goes with --dry-run: nothing can be measured on another machine");
      if (options->suites.size() > 1 && (!run.resume.empty() || !run.failed.empty() || !run.folder.empty())) {
        throw Error("usage.suites", "--resume, --failed and -o are for one suite; run them one by one");
      }
      if (!run.failed.empty() && (!run.resume.empty() || !run.filters.empty()))
        throw Error("usage.failed", run.filters.empty()
                                        ? "--resume goes on with a run that --failed began by itself; leave "
                                          "--failed out"
                                        : "--failed chooses the cases by itself; leave --filter out");
      if (!run.resume.empty() && !run.folder.empty())
        throw Error("usage.resume", "--resume goes on in its folder; leave -o out");
      if (options->suites.empty()) ask_for_suite(run);
      std::vector<SuiteText> suites;
      for (const std::string& name : options->suites) suites.push_back(read_suite(context, name));
      if (suites.size() > 1 && !all_valid(with_surroundings(run, context), suites)) return kInvalidSuite;
      std::vector<int> codes;
      for (std::size_t i = 0; i < suites.size(); ++i) {
        codes.push_back(run_suite(with_one_suite(context, options->suites, i), run, suites[i]));
        if (codes.back() >= 128) break;
      }
      return worst_exit_code(codes);
    };
  });
}

void add_bench(CLI::App& program, const Context& context, Action& action) {
  struct Options {
    RunOptions run;
    std::vector<std::string> words;
    std::optional<std::uint64_t> runs;
    bool yaml = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "bench", "run one benchmark, or commands of one's own, without a file",
      "  assay bench membw@host kernel=triad,copy bytes=1GiB     commas make an axis\n"
      "  assay bench gemm@host dtype=fp32,fp64 reference=dtype=fp64  is fp32 faster?\n"
      "  assay bench membw@host bytes=1MiB..64MiB*4              and so does a range, with * or +\n"
      "  assay bench gemm@host dtype=fp64 samples=30\n"
      "  assay bench gemm dtype=fp32 --yaml > suite.yaml    a suite to go on with\n"
      "  assay bench --runs 20 -- ./program --size 4             a command, twenty times\n"
      "  assay bench -- ./old -- ./new                           is the second faster than the first?\n"
      "  assay bench n=1,2,4 -- ./program --threads '{n}'        an axis in a command\n");
  command
      ->add_option("words", options->words,
                   "benchmark (membw, gemm@host), then parameters and keys of a case as key=value; before a "
                   "command only the latter")
      ->type_name("NAME KEY=VALUE...");
  command->add_option("--runs", options->runs, "of each command, a round each")
      ->check(whole_number(1, 1000))
      ->default_str("10")
      ->type_name("N");
  command->add_flag("--yaml", options->yaml, "print the suite instead of running it");
  command->add_flag("--dry-run", options->run.dry_run, "show what would be measured, and where");
  add_run_options(*command, options->run);
  command->callback([options, &context, &action] {
    action = [options, &context] {
      std::vector<std::string> words = options->words;
      if (!context.commands.empty()) {
        const std::string suite =
            command_suite(context.commands, settings_of(words), options->runs.value_or(10));
        if (options->yaml) {
          print_out(suite);
          return 0;
        }
        return run_suite(context, options->run, {"(from the command line)", suite});
      }
      if (options->runs)
        throw Error("usage.runs", "--runs is of commands behind '--'; a benchmark has processes=N");
      if (words.empty()) {
        throw Error("usage.benchmark",
                    "which benchmark? 'assay list' shows them; a command of one's own stands behind '--'");
      }
      const std::string name = words.front();
      words.erase(words.begin());
      const catalog::Catalog catalog = load_catalog(context, options->run.plugins);
      const ChosenProvider chosen = choose_provider(catalog, name);
      const std::vector<Setting> settings = settings_of(words);
      if (options->yaml) {
        print_out(settings.empty() ? template_suite(chosen) : bench_suite(chosen, settings));
        return 0;
      }
      return run_suite(context, options->run,
                       {name + " (from the command line)", bench_suite(chosen, settings)});
    };
  });
}

}  // namespace assay::cli
