// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "cli/bench_suite.hpp"
#include "cli/command.hpp"
#include "cli/command_suite.hpp"
#include "cli/names.hpp"
#include "cli/option_groups.hpp"
#include "cli/output.hpp"
#include "cli/programs.hpp"
#include "cli/run_suite.hpp"
#include "cli/setup_and_cleanup.hpp"
#include "engine/plugin_search.hpp"
#include "text/text.hpp"

#include <memory>
#include <optional>

namespace assay::cli {
namespace {

struct BenchArguments {
  RunArguments run;
  std::vector<std::string> words;
  std::optional<std::uint64_t> runs, warmup;
  SetupAndCleanup hooks;
  bool yaml = false;
};

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

int bench_commands(const BenchArguments& options, const Context& context) {
  const std::vector<SettingText> settings = settings_of(options.words, options.warmup);
  const std::string suite = command_suite(context.commands, settings, options.runs.value_or(10));
  if (options.yaml) {
    if (!options.hooks.is_nothing())
      throw Error("usage.setup",
                  "a suite has no --setup and no --cleanup: leave them out here, and do what they "
                  "do around 'assay run'");
    print_out(suite);
    return 0;
  }
  const SuiteText text = {"(from the command line)", suite};
  if (options.run.dry_run) return run_suite(context, options.run, text);
  return run_with_setup(options.hooks, suite, context, [&](const CleanUp& clean_up) {
    // A setup may have made the program.
    require_programs(context.commands, settings, context);
    return run_suite(context, options.run, text, [&](const std::string&) -> CommandVerdict {
      const int code = clean_up();
      return code == 0 ? CommandVerdict() : CommandVerdict{code, "because --cleanup did not succeed"};
    });
  });
}

int bench_benchmark(const BenchArguments& options, const Context& context) {
  if (!options.hooks.is_nothing())
    throw Error("usage.setup",
                "--setup and --cleanup are of commands behind '--'; a benchmark sets itself up");
  if (options.runs)
    throw Error("usage.runs", "--runs is of commands behind '--'; a benchmark has processes=N");
  if (options.words.empty()) {
    throw Error("usage.benchmark",
                "which benchmark? 'assay list' shows them; a command of one's own stands behind '--'");
  }
  const std::string& name = options.words.front();
  const catalog::Catalog catalog = load_catalog(context, options.run.plugins, engine::SameIds::kept);
  refuse_suite(context, catalog, name);
  refuse_program(catalog, options.words, context);
  const ChosenProvider chosen =
      choose_provider(catalog, name, devices_here(context, options.run.plugins, catalog));
  const std::vector<SettingText> settings =
      settings_of({options.words.begin() + 1, options.words.end()}, options.warmup);
  if (options.yaml) {
    print_out(settings.empty() ? template_suite(chosen) : bench_suite(chosen, settings));
    return 0;
  }
  // Numbers of the processors must not pass for those of a GPU that is missing.
  if (!options.run.quiet && !chosen.also_on.empty() &&
      chosen.provider.manifest->backend == catalog::kHostBackend)
    print_error("no device of " + chosen.also_on + " is here: '" + printable(name) + "' runs on the host\n");
  return run_suite(context, options.run, {name + " (from the command line)", bench_suite(chosen, settings)});
}

}  // namespace

void add_bench(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<BenchArguments>();
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
  value_option(*command, "words", "NAME KEY=VALUE...", options->words,
               "benchmark (membw, gemm@host), then parameters and keys of a case as key=value; "
               "before a command, without benchmark");
  value_option(*command, "--runs", "N", options->runs, "number of runs of each command, a round each")
      ->check(whole_number(1, 1000))
      ->default_str("10");
  value_option(*command, "--warmup", "N", options->warmup,
               "executions or iterations before those that count, in every round; as warmup=N")
      ->check(whole_number(0, 1'000'000'000));
  value_option(*command, "--setup", "LINE", options->hooks.setup,
               "line for /bin/sh, run once before each command's first execution; {name} is a parameter")
      ->allow_extra_args(false);
  value_option(*command, "--cleanup", "LINE", options->hooks.cleanup,
               "line for /bin/sh, run once after each command's last execution, unless its --setup failed")
      ->allow_extra_args(false);
  command->add_flag("--yaml,--print-suite", options->yaml, "suite as YAML, instead of a run");
  command->add_flag("--dry-run", options->run.dry_run,
                    "plan of what would be measured, and where; nothing is measured");
  add_run_options(*command, options->run);
  group_options(*command);
  act(*command, action, [options, &context] {
    return context.commands.empty() ? bench_benchmark(*options, context) : bench_commands(*options, context);
  });
}

}  // namespace assay::cli
