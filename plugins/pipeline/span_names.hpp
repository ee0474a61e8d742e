// SPDX-License-Identifier: Apache-2.0
//
// What actions of a stage are called on its timeline.
#pragma once

#include "lib/schedule/program.hpp"
#include "lib/schedule/schedule.hpp"

#include <cstdint>
#include <string>

namespace assay::plugins::pipeline {

inline std::string span_name(const schedule::Action& action, std::uint32_t chunks) {
  if (action.what == schedule::What::compute) return schedule::text_of(action.operation, chunks);
  return std::string(action.what == schedule::What::send ? "send " : "receive ") +
         (action.channel.is_forward() ? "activations" : "gradients") + " of micro-batch " +
         std::to_string(action.operation.micro_batch);
}

}  // namespace assay::plugins::pipeline
