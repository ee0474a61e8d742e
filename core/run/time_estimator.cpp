// SPDX-License-Identifier: Apache-2.0
#include "run/time_estimator.hpp"

#include <algorithm>

namespace assay::run {

void TimeEstimator::add(const plan::PlannedCase& planned) {
  CaseTimes& group = groups_[planned.suite_case];
  ++group.left;
  group.nominal_s = std::max(planned.measure.max_time_s, planned.measure.hold_s);
  group.has_command = plan::runs_command(planned);
  if (planned.timeout_s > 0) group.nominal_s = std::min(group.nominal_s, planned.timeout_s);
}

void TimeEstimator::finish(const plan::PlannedCase& planned, double duration_s) {
  CaseTimes& group = groups_[planned.suite_case];
  if (group.left > 0) --group.left;
  ++group.finished;
  group.taken_s += duration_s;
}

double TimeEstimator::remaining_s() const {
  double total_s = 0, commands_s = 0, commands = 0;
  for (const auto& [suite_case, group] : groups_) {
    if (!group.has_command) continue;
    commands += static_cast<double>(group.finished);
    commands_s += group.taken_s;
  }
  const double command_s = commands > 0 ? commands_s / commands : 0;
  for (const auto& [suite_case, group] : groups_) {
    const double each_s = group.finished > 0  ? group.taken_s / static_cast<double>(group.finished)
                          : group.has_command ? command_s
                                              : group.nominal_s;
    total_s += each_s * static_cast<double>(group.left);
  }
  return total_s;
}

}  // namespace assay::run
