// SPDX-License-Identifier: Apache-2.0
//
// Which cases somebody asked for. Internal to this room.
#pragma once

#include "base/pattern.hpp"
#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace assay::plan {

class Filter {
 public:
  // Refers to the options. Throws Error "usage.filter" for a filter that is no regular expression.
  explicit Filter(const Options& options);

  [[nodiscard]] bool passes(const std::string& id) const;

 private:
  const Options& options_;
  std::vector<Pattern> filters_;
};

}  // namespace assay::plan
