// SPDX-License-Identifier: Apache-2.0
//
// Whether a relation says the same whatever is measured: `bandwidth >= 0 GB/s`. Internal to this component.
#pragma once

#include "suite/expression.hpp"

#include <functional>
#include <string>

namespace assay::plan {

// What is known of the names in a relation.
struct RelationNames {
  // What a name is derived from; null: it is measured or read.
  std::function<const suite::Expression*(const std::string& name)> derived;
  // Whether it is above zero whatever is measured, as times and rates are.
  std::function<bool(const std::string& name)> is_positive;
  // Whether it is the same number wherever it stands. Of readings and observations each is compared with each.
  std::function<bool(const std::string& name)> is_one_number;
};

enum class Constancy { varies, always_holds, never_holds };

// What is proved: no metric is left once both sides are expanded and subtracted, or all that is left has a sign that is
// known. Else 'varies', as where it is of texts or of a band. Derived names go in no circle.
[[nodiscard]] Constancy constancy_of(const suite::Expression& relation, const RelationNames& names);

}  // namespace assay::plan
