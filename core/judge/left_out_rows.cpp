// SPDX-License-Identifier: Apache-2.0
#include "judge/left_out_rows.hpp"

#include "judge/selection.hpp"

#include <algorithm>
#include <set>

namespace assay::judge {
namespace {

std::string told(std::size_t left_out, std::size_t there) {
  return std::to_string(left_out) + " of the " + std::to_string(left_out + there) +
         " rows that it is about " + (left_out == 1 ? "was" : "were") + " left out of this run";
}

// Where a row that was left out has an axis of these, it is at the same place on it.
bool is_at(const plan::LeftOut& row, const AxisTexts& axes) {
  return std::all_of(axes.begin(), axes.end(), [&](const auto& axis) {
    const plan::AxisPoint* const point = point_of(row.axes, axis.first);
    return point == nullptr || point->text == axis.second;
  });
}

// Where the rows stand that a function goes over, but for its own axis.
AxisTexts place_of(const JoinedRow& row, const ClaimOperand& operand, const CaseResult& one) {
  if (!operand.over) return row.axes;
  AxisTexts axes;
  for (const plan::AxisPoint& point : one.planned->axes)
    if (point.name != operand.over->axis) axes.emplace_back(point.name, point.text);
  return axes;
}

}  // namespace

std::string left_out_of(const JoinedRow& row, const std::vector<ClaimOperand>& operands) {
  for (const ClaimOperand& operand : operands) {
    if (!operand.best && !operand.over) continue;
    for (const auto& [selector, cases] : row.chosen) {
      if (selector != operand.selector || cases.empty()) continue;
      const AxisTexts place = place_of(row, operand, *cases.front());
      const auto count = std::count_if(operand.left_out.begin(), operand.left_out.end(),
                                       [&](const plan::LeftOut* each) { return is_at(*each, place); });
      if (count != 0) return told(static_cast<std::size_t>(count), cases.size());
    }
  }
  return {};
}

void open_for_left_out(const std::vector<ClaimOperand>& operands, FindingResult& result) {
  std::set<const plan::LeftOut*> left_out;
  std::set<const CaseResult*> there;
  for (const ClaimOperand& operand : operands) {
    left_out.insert(operand.left_out.begin(), operand.left_out.end());
    there.insert(operand.cases.begin(), operand.cases.end());
  }
  result.left_out = left_out.size();
  if (left_out.empty() || result.verdict == FindingVerdict::not_comparable) return;
  const std::string& by = result.finding->decided_by;
  if (by == "any" && result.verdict == FindingVerdict::confirmed) return;
  if (by == "all" && result.verdict == FindingVerdict::refuted) return;
  const std::string why = told(left_out.size(), there.size());
  if (is_answered(result.verdict)) result.why.clear();
  if (result.why.find(why) == std::string::npos) result.why += (result.why.empty() ? "" : "; ") + why;
  result.verdict = FindingVerdict::undecided;
}

}  // namespace assay::judge
