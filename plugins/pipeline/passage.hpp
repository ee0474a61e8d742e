// SPDX-License-Identifier: Apache-2.0
//
// What passed a stage in a step: each micro-batch once in each direction and chunk, in the schedule's order, and from
// where it should come.
#pragma once

#include "lib/schedule/program.hpp"
#include "lib/schedule/schedule.hpp"
#include "pipeline/tag.hpp"

#include <assay/verification.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::pipeline {

// A message that came, and where it was wanted.
struct Arrival {
  schedule::Action action;
  Tag tag;
};

// Of a stage in its step number `step`, counted from 0.
struct Passage {
  std::uint32_t stage = 0;
  std::uint64_t step = 0;
  std::vector<schedule::Operation> computed;
  std::vector<Arrival> arrivals;
};

inline std::string text_of(const Arrival& arrival, const Tag& expected) {
  const auto text = [](const Tag& tag) {
    return "micro-batch " + std::to_string(tag.micro_batch) + " of step " + std::to_string(tag.step) +
           " from part " + std::to_string(tag.from);
  };
  return "part " + std::to_string(arrival.action.channel.to) + " was given " + text(arrival.tag) +
         " in place of " + text(expected);
}

inline void check_passage(const schedule::Schedule& schedule, const Passage& passage, Verification& seen) {
  schedule::Schedule seen_here = schedule;
  seen_here.of_stage[passage.stage] = passage.computed;
  const std::string problem = schedule::problem_of(seen_here);
  seen.count(passage.computed.size(), problem.empty() ? 0 : 1, problem);
  for (const Arrival& arrival : passage.arrivals) {
    const Tag expected{passage.step, arrival.action.operation.micro_batch, arrival.action.channel.from};
    const bool right = arrival.tag == expected;
    seen.count(1, right ? 0 : 1, right ? "" : text_of(arrival, expected));
  }
}

}  // namespace assay::plugins::pipeline
