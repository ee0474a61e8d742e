// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.hpp"

#include <cstddef>
#include <map>

namespace assay::run {

// How long the visits that are left will take: each as long as those of the same case of the suite took so
// far, and before there are any as long as it may measure. Nobody knows how long a command takes, whose time limit is far above
// that: the first of a case takes as long as those of other commands took on average, or nothing.
class TimeEstimator {
 public:
  void add(const plan::PlannedCase& planned);                        // will be run
  void finish(const plan::PlannedCase& planned, double duration_s);  // was run
  [[nodiscard]] double remaining_s() const;

 private:
  struct CaseTimes {
    std::size_t left = 0, finished = 0;
    double nominal_s = 0, taken_s = 0;
    bool has_command = false;
  };
  std::map<std::size_t, CaseTimes> groups_;  // by the suite's case
};

}  // namespace assay::run
