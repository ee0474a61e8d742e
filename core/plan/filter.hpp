// SPDX-License-Identifier: Apache-2.0
//
// Which cases somebody asked for. Internal to this component.
#pragma once

#include "base/id_filter.hpp"
#include "plan/plan.hpp"

#include <set>
#include <string>
#include <vector>

namespace assay::plan {

class Filter {
 public:
  // Refers to the options. Throws Error "usage.filter" for a filter that is not a regular expression, "usage.only" for one
  // that is not name=value.
  explicit Filter(const PlanOptions& options);

  // Of a case with its id, axes and parameters.
  [[nodiscard]] bool passes(const PlannedCase& planned);
  // Once every case was asked about: throws Error "usage.only" for a name that no case has, or a value that none has.
  void require_matches() const;

 private:
  // name=a,b: the case has one of these values on the axis, or of the parameter.
  struct Term {
    std::string name;
    std::vector<std::string> values;
    std::vector<bool> matched;           // beside values
    std::vector<std::string> seen = {};  // values that cases have, for suggestions
  };
  [[nodiscard]] bool matches(Term& term, const PlannedCase& planned);

  const PlanOptions& options_;
  IdFilter ids_;
  std::vector<Term> terms_;
  std::set<std::string> names_;  // of axes and parameters that cases have
};

}  // namespace assay::plan
