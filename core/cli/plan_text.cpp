// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_text.hpp"

#include "base/text.hpp"
#include "cli/table.hpp"

#include <fmt/format.h>

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

std::string how(const plan::Case& planned) {
  if (planned.settled)
    return fmt::format("{}: {}", result::to_text(*planned.settled), planned.settled_reason.text);
  std::string text = planned.manifest->id;
  if (planned.rounds > 1) text += fmt::format(", {} rounds", planned.rounds);
  for (const auto& [name, value] : planned.environment)
    text += value ? ", " + name + "=" + *value : ", without " + name;
  return text;
}

}  // namespace

std::string plan_text(const plan::Plan& plan) {
  Table table;
  for (const plan::Case& planned : plan.cases) table.add({planned.id, where(planned), how(planned)});
  std::string text = printable(table.text(""));
  text += fmt::format("{} case{}, {} visit{}, {} round{}, seed {}\n", plan.cases.size(),
                      plan.cases.size() == 1 ? "" : "s", plan.order.size(), plan.order.size() == 1 ? "" : "s",
                      plan.rounds, plan.rounds == 1 ? "" : "s", plan.seed);
  for (const plan::Unmet& unmet : plan.unmet) text += "missing here: " + printable(unmet.text) + "\n";
  return text;
}

}  // namespace assay::cli
