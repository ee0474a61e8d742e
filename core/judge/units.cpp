// SPDX-License-Identifier: Apache-2.0
#include "judge/units.hpp"

#include "judge/case_scope.hpp"

#include <optional>
#include <utility>

namespace assay::judge {
namespace {

// "MB/s" of `bandwidth >= 100 MB/s`.
WrittenUnit unit_of_limit(const suite::Expression& relation, const Dimension& dimension) {
  for (const suite::ExpressionPtr& side : relation.operands) {
    if (side->kind != suite::Expression::Kind::quantity || side->quantity.percent) continue;
    const std::optional<Unit> unit = parse_unit(side->unit);
    if (!unit || unit->dimension != dimension) continue;
    return {side->unit, unit->scale};
  }
  return {};
}

}  // namespace

UnitText unit_of(const suite::Expression& expression, const Dimension& dimension, const CaseResult& result) {
  for (const suite::Expression* name : suite::names(expression)) {
    const MetricResult* metric =
        result.metric(name->kind == suite::Expression::Kind::selector ? name->metric : name->name);
    if (metric != nullptr && dimension_of(metric->unit) == dimension) return metric->shown_unit();
  }
  return base_unit(dimension);
}

UnitText unit_of(const suite::Expression& relation, const Relation& judged, const CaseResult* result) {
  const Evaluated& side = judged.measured.ok() ? judged.measured : judged.limit;
  if (!side.ok() || judged.is_text) return "1";
  UnitText unit = result != nullptr ? unit_of(relation, side.estimate.dimension, *result)
                                    : UnitText(base_unit(side.estimate.dimension));
  if (WrittenUnit written = unit_of_limit(relation, side.estimate.dimension); !written.empty())
    unit.as_written = std::move(written);
  return unit;
}

}  // namespace assay::judge
