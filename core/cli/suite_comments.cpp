// SPDX-License-Identifier: Apache-2.0
#include "cli/suite_comments.hpp"

#include "cli/setting_words.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

namespace assay::cli {
namespace {

// A parameter that has a few values: its default first, and another.
struct ExampleAxis {
  std::string name, base, other;
};

std::optional<ExampleAxis> example_axis(const catalog::Benchmark& benchmark) {
  for (const catalog::Parameter& parameter : benchmark.parameters) {
    if (!parameter.default_value.is_string()) continue;
    const auto base = parameter.default_value.get<std::string>();
    const auto other = std::find_if(parameter.values.begin(), parameter.values.end(),
                                    [&](const std::string& value) { return value != base; });
    if (other != parameter.values.end()) return ExampleAxis{parameter.name, base, *other};
  }
  return std::nullopt;
}

const catalog::MetricDeclaration* judged_metric(const catalog::Benchmark& benchmark) {
  return find_in(benchmark.metrics, [](const catalog::MetricDeclaration& metric) {
    return metric.headline && metric.direction != catalog::Direction::none;
  });
}

std::string commented(const std::string& text, const std::string& indent) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += indent + "# " + line + "\n";
  return out;
}

}  // namespace

std::string commented_keys(const catalog::Benchmark& benchmark) {
  const auto axis = example_axis(benchmark);
  const catalog::MetricDeclaration* const metric = judged_metric(benchmark);
  std::string lines;
  if (axis) {
    lines += "matrix: {" + axis->name + ": [" + yaml_scalar(axis->base) + ", " + yaml_scalar(axis->other) +
             "]}  # a row for each value; then leave it out of 'with'\n";
    lines += "reference: {" + axis->name + ": " + yaml_scalar(axis->base) +
             "}  # the row that the others are compared with\n";
  }
  lines += "processes: 3  # rounds of fresh processes; an answer needs three\n";
  lines +=
      "measure: {precision: 1%, max_time: 5s}  # how narrow the interval is to be, and how long it may take\n";
  if (axis && metric != nullptr)
    lines += "expect: [" + metric->name +
             (metric->direction == catalog::Direction::higher ? " >= 95%" : " <= 105%") +
             " of reference]  # a limit: the run fails where it is missed\n";
  return commented(lines, "    ");
}

std::string commented_finding(const catalog::Benchmark& benchmark) {
  const auto axis = example_axis(benchmark);
  const catalog::MetricDeclaration* const metric = judged_metric(benchmark);
  if (!axis || metric == nullptr) return {};
  const auto row = [&](const std::string& value) {
    return AskedRow{value, benchmark.name + "[" + axis->name + "=" + value + "]." + metric->name};
  };
  const bool higher = metric->direction == catalog::Direction::higher;
  return "\n" + commented("findings:  # questions that reports answer\n" +
                              finding_text(id_from(axis->other, axis->name),
                                           "Is " + axis->other + " better than " + axis->base + "?",
                                           row(axis->other), higher ? ">" : "<", row(axis->base)),
                          "");
}

}  // namespace assay::cli
