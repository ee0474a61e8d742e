// SPDX-License-Identifier: Apache-2.0
//
// In which order a micro-batch of a sharded model is computed and what has to be moved for it, as two lists that
// are worked off beside each other, each in its order: stages of computing, and transfers between ranks. A stage
// waits for a number of transfers and a transfer for a number of stages, so that two counters (or two streams
// with events) are all that it takes to run them. Data only, the same on all ranks.
#pragma once

#include "lib/model/sharding.hpp"

#include <cstddef>
#include <vector>

namespace assay::plugins::model {

// Which gathers begin before the stage that needs them is reached: those of forward stages, of backward stages.
enum class Prefetch { none, forward, backward, both };

struct ScheduleOptions {
  bool gathers = true;  // parameters are sharded
  Prefetch prefetch = Prefetch::none;
  std::size_t gathered_at_once = 1;   // units, the one in use included; above 1 for prefetching
  bool reshard_after_forward = true;  // else a unit stays until its backward stage, and is gathered once
  // Buffers in which backward stages leave whole gradients in turn, until they are reduced. 0: there is an array
  // of all gradients.
  std::size_t gradient_buffers = 1;
};

struct Stage {
  bool backward = false;
  std::size_t unit = 0;
  std::size_t parameters = 0;  // the buffer in which its unit's are, where there are buffers
  std::size_t gradients = 0;   // of a backward stage the buffer for them, where there are buffers
  std::size_t transfers = 0;   // this many have to be through before it begins
};

struct Transfer {
  bool reduce =
      false;  // a unit's gradients become the average of each rank's share; else parameters are gathered
  std::size_t unit = 0;
  std::size_t buffer = 0;
  std::size_t stages = 0;  // this many have to be through before it begins. Never less than the one before
};

struct ShardSchedule {
  std::vector<Stage> stages;
  std::vector<Transfer> transfers;
  std::vector<std::size_t> parameter_buffers, gradient_buffers;  // elements of each

  // How many transfers may begin once this many stages are through.
  std::size_t allowed_after(std::size_t stages_done) const;
  // Elements that are gathered, or reduced, in a micro-batch.
  std::size_t gathered() const;
  std::size_t reduced() const;

 private:
  std::size_t moved(bool reduce) const;
  friend ShardSchedule make_schedule(const std::vector<ShardUnit>&, const ScheduleOptions&);
  std::vector<std::size_t> sizes_;  // of units
};

// The forward stages of all units in order, then their backward stages in reverse. With prefetching, gathering
// for a stage begins when that which is `gathered_at_once` stages before it has ended and its buffer is free,
// never before the first stage of its pass. Gathers go before reductions that could begin as early.
ShardSchedule make_schedule(const std::vector<ShardUnit>& units, const ScheduleOptions& options);

}  // namespace assay::plugins::model
