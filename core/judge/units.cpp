// SPDX-License-Identifier: Apache-2.0
#include "judge/units.hpp"

#include "judge/case_scope.hpp"

namespace assay::judge {

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
  return result != nullptr ? unit_of(relation, side.estimate.dimension, *result)
                           : UnitText(base_unit(side.estimate.dimension));
}

}  // namespace assay::judge
