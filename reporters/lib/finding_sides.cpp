// SPDX-License-Identifier: Apache-2.0
#include "lib/finding_sides.hpp"

#include "lib/compared.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace assay::reporters {
namespace {

// Of a side that is one case's metric. Documents of older versions do not name the metric: the headline, if its unit is the
// side's.
std::optional<double> half_width_of_side(const Operand& operand, const CasesById& cases) {
  const auto found = cases.find(operand.id);
  if (found == cases.end()) return std::nullopt;
  const Case* const one = found->second;
  const auto metric = std::find_if(one->metrics.begin(), one->metrics.end(), [&](const Metric& candidate) {
    return candidate.indices.empty() && candidate.unit == operand.unit &&
           (operand.metric.empty() ? candidate.headline : candidate.name == operand.metric);
  });
  return metric == one->metrics.end() ? std::nullopt : half_width(*metric);
}

std::optional<Scale> scale_of_sides(const Finding& finding) {
  std::vector<double> values;
  Unit unit;
  for (const FindingRow& row : finding.rows) {
    for (const Operand* operand : {&row.left, &row.right}) {
      if (!operand->value) continue;
      if (!values.empty() && unit != operand->unit) return std::nullopt;
      unit = operand->unit;
      values.push_back(*operand->value);
    }
  }
  return common_scale(unit, values);
}

// Without a metric the digits follow from the effect's interval, which is relative to its sides.
std::string text_of_side(const FindingRow& row, const Operand& operand, const std::optional<Scale>& scale,
                         const CasesById& cases) {
  if (!operand.value) return "–";
  std::optional<double> width = half_width_of_side(operand, cases);
  if (!width && known(row.bounds)) width = std::abs(*operand.value) * row.bounds.half_width();
  return quantity(*operand.value, scale ? Scale{scale->factor, ""} : scale_for(operand.unit, *operand.value),
                  width);
}

// A reader would look for it in the column of the headline. A side whose name says it needs no more.
std::string other_metric(const Finding& finding, const CasesById& cases, const Operand FindingRow::*side,
                         const std::string& name) {
  std::string metric;
  for (const FindingRow& row : finding.rows) {
    const Operand& operand = row.*side;
    const auto found = cases.find(operand.id);
    if (found == cases.end() || operand.metric.empty()) return {};
    const Metric* const headline = found->second->headline();
    if (headline == nullptr || headline->name == operand.metric) return {};
    if (!metric.empty() && metric != operand.metric) return {};
    metric = operand.metric;
  }
  return metric.empty() || name.find(metric) != std::string::npos ? std::string()
                                                                  : " (" + one_line(metric) + ")";
}

}  // namespace

CasesById cases_by_id(const Document& document) {
  CasesById cases;
  for (const Case& one : document.cases) cases.emplace(one.id, &one);
  return cases;
}

SideCells side_cells(const CasesById& cases, const Finding& finding) {
  const std::optional<Scale> scale = scale_of_sides(finding);
  const auto [left, right] = side_names(finding);
  SideCells out{other_metric(finding, cases, &FindingRow::left, left),
                other_metric(finding, cases, &FindingRow::right, right),
                scale ? scale->unit : "",
                {}};
  for (const FindingRow& row : finding.rows)
    out.rows.push_back(
        {text_of_side(row, row.left, scale, cases), text_of_side(row, row.right, scale, cases)});
  return out;
}

}  // namespace assay::reporters
