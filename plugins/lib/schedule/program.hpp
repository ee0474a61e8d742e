// SPDX-License-Identifier: Apache-2.0
//
// What a stage does one after the other to follow a schedule: it takes what its neighbour hands over, computes, and
// hands over the result. The simulator and the stages of a real pipeline follow the same program.
#pragma once

#include "lib/schedule/schedule.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace assay::plugins::schedule {

// From one part to a neighbour on another stage: activations to the part behind, gradients to the one before.
struct Channel {
  std::uint32_t from = 0, to = 0;
  bool is_forward() const { return to > from; }
  // The lower of both parts, which is also the boundary's number.
  std::uint32_t boundary() const { return is_forward() ? from : to; }
  auto operator<=>(const Channel&) const = default;
};

enum class What { receive, compute, send };

struct Action {
  What what = What::compute;
  Operation operation;  // of receive: the one that needs it; of send: the one that made it
  Channel channel;      // of receive and send
};

// Of each stage. Forward passes take activations from the part before and give them to the part behind; backward
// passes and input gradients go the other way; weight gradients do neither.
std::vector<std::vector<Action>> make_program(const Schedule& schedule);

}  // namespace assay::plugins::schedule
