// SPDX-License-Identifier: Apache-2.0
#include "lib/schedule/program.hpp"

namespace assay::plugins::schedule {

std::vector<std::vector<Action>> make_program(const Schedule& schedule) {
  std::vector<std::vector<Action>> program(schedule.stages);
  for (std::uint32_t stage = 0; stage < schedule.stages; ++stage) {
    for (const Operation& operation : schedule.of_stage[stage]) {
      const std::uint32_t part = schedule.part(stage, operation.chunk);
      const bool forward = operation.kind == Kind::forward;
      const bool travels = operation.kind != Kind::weight_gradient;
      const bool has_before = part > 0, has_behind = part + 1 < schedule.parts();
      if (travels && (forward ? has_before : has_behind))
        program[stage].push_back({What::receive, operation, {forward ? part - 1 : part + 1, part}});
      program[stage].push_back({What::compute, operation, {}});
      if (travels && (forward ? has_behind : has_before))
        program[stage].push_back({What::send, operation, {part, forward ? part + 1 : part - 1}});
    }
  }
  return program;
}

}  // namespace assay::plugins::schedule
