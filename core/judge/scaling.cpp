// SPDX-License-Identifier: Apache-2.0
#include "judge/scaling.hpp"

#include "judge/case_scope.hpp"
#include "text/lookup.hpp"
#include "text/quantity_text.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace assay::judge {
namespace {

bool is_of_scale(const std::string& axis) { return axis == "ranks" || axis == "devices"; }

bool is_total(const MetricResult& metric) {
  static const Dimension items = dimension_of("items/s"), operations = dimension_of("FLOP/s");
  const Dimension own = dimension_of(metric.unit);
  return metric.kind == "rate" && (own == items || own == operations);
}

const MetricResult* total_of(const CaseResult& result) {
  return find_in(result.metrics, [](const MetricResult& each) { return each.headline && is_total(each); });
}

std::size_t scale_of(const CaseResult& result) {
  const auto& ranks = result.planned->placement.ranks;
  std::size_t devices = 0;
  for (const plan::RankPlacement& rank : ranks) devices += rank.devices.size();
  return std::max(ranks.size(), devices);
}

// Alike but for how many there are: the case of the suite and every other axis.
std::string group_key(const CaseResult& result) {
  std::string key = std::to_string(result.planned->suite_case);
  for (const plan::AxisPoint& axis : result.planned->axes)
    if (!is_of_scale(axis.name)) key += "\n" + axis.name + "=" + axis.text;
  return key;
}

}  // namespace

void flag_shrinking_totals(std::vector<CaseResult>& cases) {
  std::map<std::string, std::map<std::size_t, CaseResult*>> groups;  // by scale
  for (CaseResult& each : cases) {
    const auto& axes = each.planned->axes;
    if (!each.measured || total_of(each) == nullptr ||
        std::none_of(axes.begin(), axes.end(), [](const auto& axis) { return is_of_scale(axis.name); }))
      continue;
    groups[group_key(each)].emplace(scale_of(each), &each);
  }
  for (auto& [key, by_scale] : groups) {
    const CaseResult* fewer = nullptr;
    for (auto& [scale, result] : by_scale) {
      if (fewer != nullptr) {
        const MetricResult &more = *total_of(*result), &less = *total_of(*fewer);
        if (more.verdict_interval.high < less.verdict_interval.low)
          result->flags.push_back({"slower_together", std::to_string(scale) + " make " +
                                                          quantity_text(more.value, more.shown_unit()) +
                                                          " together, " + std::to_string(scale_of(*fewer)) +
                                                          " made " +
                                                          quantity_text(less.value, less.shown_unit())});
      }
      fewer = result;
    }
  }
}

}  // namespace assay::judge
