// SPDX-License-Identifier: Apache-2.0
//
// Rows of one case and the row among them that the others refer to. Internal to this component.
#pragma once

#include "plan/plan.hpp"
#include "plan/points.hpp"

#include <string>
#include <vector>

namespace assay::plan {

struct MatrixRow {
  std::size_t case_index = 0;  // in Plan::cases
  Point point;
  std::string device;  // value of the axis `device`, or ""
};

// True if the row has this value of the axis, of a parameter that a bundle sets, or of `device`.
[[nodiscard]] bool row_has(const Point& point, const std::string& device, const std::string& name,
                           const suite::Scalar& value);

// Sets `reference` of every row to the row that has the values of the suite's `reference` and is like it in
// all other axes; a reference row refers to itself. "" where there is none, because it was excluded or
// filtered out.
void resolve_references(const suite::SuiteCase& one, std::vector<PlannedCase>& cases,
                        const std::vector<MatrixRow>& rows);

}  // namespace assay::plan
