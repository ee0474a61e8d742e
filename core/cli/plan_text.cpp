// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_text.hpp"

#include "cli/progress.hpp"
#include "model/measure_keys.hpp"
#include "model/variants.hpp"
#include "text/lookup.hpp"
#include "text/quantity_text.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace assay::cli {
namespace {

std::string where(const plan::PlannedCase& planned) {
  std::vector<std::string> devices;
  for (const plan::RankPlacement& rank : planned.placement.ranks) {
    devices.insert(devices.end(), rank.devices.begin(), rank.devices.end());
  }
  std::string text = join(devices, "+");
  if (planned.placement.ranks.size() > 1) text += fmt::format(", {} ranks", planned.placement.ranks.size());
  if (planned.placement.bind != "none") text += ", bind " + planned.placement.bind;
  return text;
}

// Cases that are settled before anything runs, by outcome and reason.
using Settled = std::map<std::pair<std::string, std::string>, std::size_t>;

bool is_missing(const plan::Plan& plan, const std::string& why) {
  return std::any_of(plan.unmet.begin(), plan.unmet.end(),
                     [&](const plan::Unmet& unmet) { return unmet.text.find(why) != std::string::npos; });
}

Settled settled_cases(const plan::Plan& plan) {
  Settled out;
  for (const plan::PlannedCase& planned : plan.cases)
    if (planned.predetermined && !planned.predetermined_reason.text.empty())
      ++out[{std::string(result::to_text(*planned.predetermined)), planned.predetermined_reason.text}];
  return out;
}

// What is missing for many of them is said once, below.
std::string how(const plan::PlannedCase& planned, const plan::Plan& plan, const Settled& settled) {
  if (planned.predetermined) {
    const std::string& why = planned.predetermined_reason.text;
    std::string outcome(result::to_text(*planned.predetermined));
    if (const auto several = settled.find({outcome, why}); several != settled.end() && several->second > 1)
      return outcome;
    return outcome + (is_missing(plan, why) || why.empty() ? "" : ": " + why);
  }
  std::string text = planned.manifest->id;
  if (planned.rounds > 1) text += fmt::format(", {} rounds", planned.rounds);
  for (const auto& [name, value] : planned.environment)
    text += value ? ", " + name + "=" + *value : ", without " + name;
  return text;
}

std::string value_text(const plan::PlannedCase& planned, const std::string& name, const Json& value) {
  const auto written = planned.written.find(name);
  if (written != planned.written.end()) return written_text(written->second);
  const catalog::Parameter* parameter = planned.benchmark->parameter(name);
  if (value.is_number() && parameter != nullptr && parameter->unit == "B")
    return size_text(value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

using Words = std::vector<std::string>;

// "m=4096", "cache=cold": how a case is measured, but for its axes, which the id has.
Words settings_of(const plan::PlannedCase& planned) {
  Words words;
  for (const auto& [name, value] : planned.parameters.items()) {
    const bool is_axis = std::any_of(planned.axes.begin(), planned.axes.end(),
                                     [&, &key = name](const auto& axis) { return axis.name == key; });
    if (!is_axis) words.push_back(name + "=" + value_text(planned, name, value));
  }
  for (const auto& [name, value] : model::conditions_of(planned.measure)) {
    if (value != "default") words.push_back(name + "=" + value);
  }
  return words;
}

// What all rows of a case share, once for each.
AlignedTable settings_table(const suite::Suite& suite, const plan::Plan& plan) {
  AlignedTable table;
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    std::optional<Words> shared;
    for (const plan::PlannedCase& planned : plan.cases) {
      if (planned.suite_case != i || planned.benchmark == nullptr) continue;
      const Words words = settings_of(planned);
      if (!shared) {
        shared = words;
      } else {
        std::erase_if(*shared, [&](const std::string& word) { return !contains(words, word); });
      }
    }
    if (shared && !shared->empty()) table.add({suite.cases[i].id.value, join(*shared, " ")});
  }
  return table;
}

AlignedTable variants_table(const suite::Suite& suite, const plan::Plan& plan) {
  AlignedTable table;
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    std::vector<std::pair<std::string, Json>> variants;
    for (const plan::PlannedCase& planned : plan.cases) {
      if (planned.suite_case != i || planned.axes.empty()) continue;
      for (const plan::AxisPoint& point : planned.axes)
        if (model::is_variant(point.name, point.value) &&
            std::none_of(variants.begin(), variants.end(),
                         [&](const auto& known) { return known.first == point.text; }))
          variants.emplace_back(point.text, point.value);
    }
    for (const std::string& line : model::lines_of_variants(variants))
      table.add({suite.cases[i].id.value, line});
  }
  return table;
}

// ", estimated time at most 1 min 20 s on an idle machine": without an earlier result, the time that the suite allows; other programs
// may delay what is not sampling. The time of a command is not known before it ran.
std::string time_of_run(const plan::Plan& plan, const engine::Effort& effort) {
  if (!plan.unmet.empty() || effort.cases.empty()) return "";
  std::set<std::string> commands;
  for (const plan::PlannedCase& planned : plan.cases)
    if (plan::runs_command(planned)) commands.insert(planned.id);
  double seconds = 0;
  bool is_known = true, has_open = false;
  for (const engine::CaseEffort& one : effort.cases) {
    if (!one.time_known && commands.contains(one.id)) {
      has_open = true;
      continue;
    }
    seconds += one.rounds.value_or(0) * one.round_s;
    is_known = is_known && one.time_known;
  }
  const std::string open = has_open ? "as long as the commands take" : "";
  if (seconds <= 0) return ", " + open;
  const std::string time = is_known ? "about " + duration_text(seconds)
                                    : "at most " + duration_text(seconds) + " on an idle machine";
  return ", estimated time " + time + (has_open ? ", and " : "") + open;
}

}  // namespace

std::string variants_text(const suite::Suite& suite, const plan::Plan& plan) {
  const AlignedTable variants = variants_table(suite, plan);
  return variants.empty() ? std::string() : "variants\n" + printable(variants.text("  "));
}

std::string plan_text(const suite::Suite& suite, const plan::Plan& plan, const engine::Effort& effort,
                      int width) {
  const Settled settled = settled_cases(plan);
  AlignedTable table;
  for (const plan::PlannedCase& planned : plan.cases)
    table.add({planned.id, where(planned), how(planned, plan, settled)});
  std::string text = printable(table.text("", width));
  for (const auto& [what, count] : settled)
    if (count > 1 && !is_missing(plan, what.second))
      text +=
          "\n" + printable(paragraph(fmt::format("{} cases {}: {}", count, what.first, what.second), width));
  if (const AlignedTable settings = settings_table(suite, plan); !settings.empty())
    text += "\nall with\n" + printable(settings.text("  ", width)) + "\n";
  if (const std::string variants = variants_text(suite, plan); !variants.empty())
    text += "\n" + variants + "\n";
  text += fmt::format("{}, {}, {}, seed {}\n", count_of(plan.cases.size(), "case"),
                      count_of(plan.order.size(), "visit"), count_of(plan.rounds, "round"), plan.seed);
  text.insert(text.size() - 1, time_of_run(plan, effort));
  for (const plan::Unmet& unmet : plan.unmet) text += "missing here: " + printable(unmet.text) + "\n";
  return text;
}

}  // namespace assay::cli
