// SPDX-License-Identifier: Apache-2.0
//
// How long a schedule takes, exactly, where it is known how long its parts take: every stage does one thing after
// the other, as early as it can. And whether it ends at all.
#pragma once

#include "lib/schedule/program.hpp"
#include "lib/schedule/schedule.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace assay::plugins::schedule {

// Seconds, of one micro-batch in one part.
struct PartCosts {
  double forward = 0;
  double backward = 0;                             // whole
  double input_gradient = 0, weight_gradient = 0;  // of a backward pass in two
  double recompute = 0;  // what the stage computes again before a backward pass or an input gradient
};

// Seconds, of one message. The stages' processors are busy with it while it is sent and received; while it
// travels they are not.
struct TransferCosts {
  double send = 0, travel = 0, receive = 0;
};

inline constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

struct Costs {
  std::vector<PartCosts> of_part;
  std::vector<TransferCosts> activations, gradients;  // over each boundary between parts
  std::vector<double> optimizer;                      // of each stage, behind all else
  // Messages of a channel that may be sent and not yet received: a stage that would send one more waits. 0: it
  // waits until its message has been received (a rendezvous).
  std::uint32_t buffers = kUnlimited;
};

// The same costs for every part, whole backward passes being the sum of both gradients. Nothing for transfers.
Costs uniform_costs(const Schedule& schedule, double forward, double input_gradient, double weight_gradient);

// Seconds that an operation takes in its part, what is computed again included.
double cost_of(const Operation& operation, const PartCosts& costs);

struct Event {
  std::uint32_t stage = 0;
  Action action;
  double begin = 0, end = 0;  // seconds from the begin of the step
};

struct StageUse {
  double busy = 0;          // computing, the optimiser included
  double transferring = 0;  // sending, receiving, or waiting for what is under way
  double end = 0;           // when it is done
};

struct Simulation {
  // Empty if the schedule ends. Else who waits for whom: a chain of stages that leads back to its begin, or to one
  // that is done.
  std::string deadlock;
  double makespan = 0;  // until the last stage is done
  std::vector<StageUse> of_stage;
  std::vector<Event> events;  // of each stage in their order, stages one behind the other

  // Share of all stages' time in which they compute nothing; 0 without any time.
  double bubble() const;
};

// Throws std::invalid_argument if the costs are not those of this many parts and stages.
Simulation simulate(const Schedule& schedule, const Costs& costs);

// What contradicts the schedule and its costs in a simulation that ended, as a sentence; "" if nothing does. Looks
// at the events alone: each action there once, as long as it has to be, behind what it needs, and nothing beside
// another on a stage.
std::string contradiction_of(const Simulation& simulation, const Schedule& schedule, const Costs& costs);

}  // namespace assay::plugins::schedule
