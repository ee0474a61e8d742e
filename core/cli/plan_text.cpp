// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_text.hpp"

#include "cli/table.hpp"
#include "model/measure_options.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace assay::cli {
namespace {

std::string where(const plan::Case& planned) {
  std::vector<std::string> devices;
  for (const plan::RankPlacement& rank : planned.placement.ranks) {
    devices.insert(devices.end(), rank.devices.begin(), rank.devices.end());
  }
  std::string text = join(devices, "+");
  if (planned.placement.ranks.size() > 1) text += fmt::format(", {} ranks", planned.placement.ranks.size());
  if (planned.placement.bind != "none") text += ", bind " + planned.placement.bind;
  return text;
}

// What is missing for many of them is said once, below.
std::string how(const plan::Case& planned, const plan::Plan& plan) {
  if (planned.settled) {
    const std::string& why = planned.settled_reason.text;
    const bool below = std::any_of(plan.unmet.begin(), plan.unmet.end(), [&](const plan::Unmet& unmet) {
      return unmet.text.find(why) != std::string::npos;
    });
    return std::string(result::to_text(*planned.settled)) + (below || why.empty() ? "" : ": " + why);
  }
  std::string text = planned.manifest->id;
  if (planned.rounds > 1) text += fmt::format(", {} rounds", planned.rounds);
  for (const auto& [name, value] : planned.environment)
    text += value ? ", " + name + "=" + *value : ", without " + name;
  return text;
}

std::string value_text(const catalog::Benchmark& benchmark, const std::string& name, const Json& value) {
  const catalog::Parameter* parameter = benchmark.parameter(name);
  if (value.is_number() && parameter != nullptr && parameter->unit == "B")
    return quantity_text(value.get<double>(), "B");
  return value.is_string() ? value.get<std::string>() : value.dump();
}

using Words = std::vector<std::string>;

// "m=4096", "cache=cold": how a case is measured, but for its axes, which the id has.
Words settings_of(const plan::Case& planned) {
  Words words;
  for (const auto& [name, value] : planned.parameters.items()) {
    const bool is_axis = std::any_of(planned.axes.begin(), planned.axes.end(),
                                     [&, &key = name](const auto& axis) { return axis.name == key; });
    if (!is_axis) words.push_back(name + "=" + value_text(*planned.benchmark, name, value));
  }
  for (const auto& [name, value] : model::conditions_of(planned.measure)) {
    if (value != "default") words.push_back(name + "=" + value);
  }
  return words;
}

// What all rows of a case share, once for each.
Table settings_table(const suite::Suite& suite, const plan::Plan& plan) {
  Table table;
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    std::optional<Words> shared;
    for (const plan::Case& planned : plan.cases) {
      if (planned.suite_case != i || planned.benchmark == nullptr) continue;
      const Words words = settings_of(planned);
      if (!shared) {
        shared = words;
      } else {
        std::erase_if(*shared, [&](const std::string& word) {
          return std::find(words.begin(), words.end(), word) == words.end();
        });
      }
    }
    if (shared && !shared->empty()) table.add({suite.cases[i].id.value, join(*shared, " ")});
  }
  return table;
}

}  // namespace

std::string plan_text(const suite::Suite& suite, const plan::Plan& plan) {
  Table table;
  for (const plan::Case& planned : plan.cases) table.add({planned.id, where(planned), how(planned, plan)});
  std::string text = printable(table.text(""));
  if (const Table settings = settings_table(suite, plan); !settings.empty())
    text += "\nall with\n" + printable(settings.text("  ")) + "\n";
  text += fmt::format("{} case{}, {} visit{}, {} round{}, seed {}\n", plan.cases.size(),
                      plan.cases.size() == 1 ? "" : "s", plan.order.size(), plan.order.size() == 1 ? "" : "s",
                      plan.rounds, plan.rounds == 1 ? "" : "s", plan.seed);
  for (const plan::Unmet& unmet : plan.unmet) text += "missing here: " + printable(unmet.text) + "\n";
  return text;
}

}  // namespace assay::cli
