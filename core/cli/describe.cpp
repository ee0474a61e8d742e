// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.hpp"
#include "base/quantity.hpp"
#include "cli/bench_suite.hpp"
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "cli/suite_comments.hpp"
#include "cli/suite_summary.hpp"
#include "engine/plugin_search.hpp"
#include "engine/preparation.hpp"
#include "suite/external.hpp"
#include "text/fit.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <memory>

namespace assay::cli {
namespace {

struct DescribeOptions {
  PluginOptions plugins;
  std::string name;
  bool yaml = false;
};

// A parameter's value as a suite would write it.
std::string written(const catalog::Parameter& parameter, const Json& value) {
  if (value.is_null()) return "required";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  const auto unit = parse_unit(parameter.unit.empty() ? "1" : parameter.unit);
  return to_text(Quantity{value.get<double>(), unit ? unit->dimension : Dimension{}, false});
}

std::string allowed(const catalog::Parameter& parameter) {
  if (!parameter.values.empty()) return join(parameter.values, " | ");
  if (parameter.type == catalog::ParameterType::boolean) return "true | false";
  std::string text;
  if (parameter.minimum) text += written(parameter, *parameter.minimum) + " …";
  if (parameter.maximum) text += (text.empty() ? "… " : " ") + written(parameter, *parameter.maximum);
  return text;
}

std::string text_of(const catalog::Provider& provider, int width) {
  const catalog::Benchmark& benchmark = *provider.benchmark;
  std::string text =
      benchmark.name + "@" + provider.manifest->backend + "  " + printable(benchmark.summary) + "\n";
  text += "by " + provider.manifest->id + " " + provider.manifest->version;
  if (!benchmark.implements.empty()) text += ", implements " + benchmark.implements;
  text += "\n";
  if (benchmark.own_process) text += "every case has a process of its own\n";
  if (!benchmark.doc.empty()) text += "\n" + paragraph(printable(benchmark.doc), width);

  // Of a command a suite writes keys of the case, and no parameter.
  const bool is_command = suite::is_of_commands(benchmark.name);
  if (is_command)
    text +=
        "\nwrite in a suite\n  command: [./prog, argument]   a case's keys: command, exit, verify, metrics\n"
        "  'assay describe external --yaml' prints a suite to start from\n";

  AlignedTable parameters, metrics, conditions, facts;
  for (const catalog::Parameter& parameter : benchmark.parameters) {
    if (is_command) continue;
    parameters.add({parameter.name, written(parameter, parameter.default_value), allowed(parameter),
                    printable(parameter.help)});
  }
  for (const catalog::MetricDeclaration& metric : benchmark.metrics) {
    const char* better = metric.direction == catalog::Direction::higher  ? "higher is better"
                         : metric.direction == catalog::Direction::lower ? "lower is better"
                                                                         : "";
    metrics.add({metric.name, metric.unit, better,
                 printable(metric.summary.empty() ? metric.counting : metric.summary)});
  }
  metrics.add({"time", "s", "lower is better", "duration of one iteration"});
  for (const auto& [condition, values] : benchmark.conditions)
    conditions.add({condition, join(values, " | ")});
  for (const catalog::Fact& fact : benchmark.facts) facts.add({fact.name, printable(fact.summary)});
  if (!parameters.empty()) text += "\nparameters\n" + parameters.text("  ", width);
  text += "\nmetrics\n" + metrics.text("  ", width);
  if (!conditions.empty()) text += "\nconditions\n" + conditions.text("  ", width);
  if (!facts.empty()) text += "\nfacts\n" + facts.text("  ", width);
  return text;
}

// Of a reporter: what --report takes behind its name.
std::string text_of(const catalog::Manifest& manifest, const catalog::Reporter& reporter, int width) {
  std::string text = reporter.name + "  " + printable(reporter.summary) + "\nby " + manifest.id + " " +
                     manifest.version + ", writes " + printable(reporter.file) + "\n";
  AlignedTable options;
  for (const catalog::ReporterOption& option : reporter.options) {
    const Json& value = option.default_value;
    const bool is_switch = option.type == "boolean";
    options.add({option.name,
                 value.is_string() ? value.get<std::string>()
                 : value.is_null() ? ""
                                   : value.dump(),
                 is_switch ? "true | false" : join(option.values, " | "), printable(option.help)});
  }
  if (options.empty())
    return text + "\nwrite --report " + reporter.name + " or --report " + reporter.name + "=FILE\n";
  return text + "\noptions, as in --report " + reporter.name + ":" + reporter.options.front().name +
         "=…,…=FILE\n" + options.text("  ", width);
}

// "" if no reporter is called so.
std::string reporter_text(const catalog::Catalog& catalog, const std::string& name, int width) {
  for (const catalog::Manifest& manifest : catalog.manifests())
    for (const catalog::Reporter& reporter : manifest.reporters)
      if (reporter.name == name) return text_of(manifest, reporter, width);
  return {};
}

// A suite that validates as it is, with what comes next in comments.
std::string suite_of(const ChosenProvider& chosen) {
  std::string text = template_suite(chosen);
  if (suite::is_of_commands(chosen.provider.benchmark->name))
    text +=
        "    command: [sleep, \"0.1\"]  # your program and its arguments; 'metrics' reads numbers from its "
        "output\n";
  return text + commented_keys(*chosen.provider.benchmark) + commented_finding(*chosen.provider.benchmark);
}

// Of a suite: what it is for, or its whole text. Returns the exit code.
int describe_suite(const Context& context, const std::string& name, bool as_text) {
  const engine::SuiteText written = engine::read_suite(context, name);
  if (as_text) {
    print_out(written.text);
    return 0;
  }
  Diagnostics problems;
  suite::Suite suite = suite::parse_suite(written.file, written.text, engine::read_include, problems);
  if (problems.has_errors()) {
    tell_problems(context, suite, problems, "");
    return kInvalidSuite;
  }
  suite.file = name;
  print_out(summary_of(suite, context.line_width()));
  return 0;
}

}  // namespace

void add_describe(CLI::App& program, const Context& context, Action& action) {
  auto options = std::make_shared<DescribeOptions>();
  CLI::App* command = add_command(
      program, "describe",
      "show a benchmark's parameters, metrics and conditions, a suite's cases and questions, or a reporter's options",
      "  assay describe membw           parameters, metrics, conditions\n"
      "  assay describe gemm --yaml     a suite to start from\n"
      "  assay describe quick           what a suite measures, and what it asks\n"
      "  assay describe markdown        what --report takes behind the name\n");
  value_option(*command, "name", "NAME", options->name,
               "benchmark, as in a suite: gemm, gemm@host; or a suite, or a reporter")
      ->required();
  command->add_flag(
      "--yaml", options->yaml,
      "suite that runs the benchmark with its defaults, or the text of the suite that is named, instead of the "
      "description");
  add_plugin_options(*command, options->plugins);
  act(*command, action, [options, &context] {
    const catalog::Catalog catalog = load_catalog(context, options->plugins);
    if (is_suite(context, catalog, options->name))
      return describe_suite(context, options->name, options->yaml);
    if (options->yaml) {
      const HasDevices has_devices = devices_here(context, options->plugins, catalog);
      print_out(suite_of(choose_provider(catalog, options->name, has_devices)));
      return 0;
    }
    if (const std::string reporter = reporter_text(catalog, options->name, context.line_width());
        !reporter.empty() && !is_benchmark(catalog, options->name)) {
      print_out(reporter);
      return 0;
    }
    const std::vector<catalog::Provider> providers = providers_of(catalog, options->name);
    for (std::size_t i = 0; i < providers.size(); ++i)
      print_out((i > 0 ? "\n" : "") + text_of(providers[i], context.line_width()));
    return 0;
  });
}

}  // namespace assay::cli
