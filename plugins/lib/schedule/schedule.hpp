// SPDX-License-Identifier: Apache-2.0
//
// Schedules of pipeline parallelism as data: for each stage an ordered list of what it computes. A model is cut
// into parts, one behind the other; stage s of p has parts s, s + p, s + 2·p, …, its chunks 0, 1, 2, …. A batch
// is cut into micro-batches, each of which passes all parts forward and then all parts backward.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::schedule {

enum class Kind {
  forward,
  backward,         // gradients of the input and of the weights
  input_gradient,   // the first of these alone, which the part before waits for
  weight_gradient,  // the other one, which nobody waits for
};

struct Operation {
  Kind kind = Kind::forward;
  std::uint32_t micro_batch = 0;
  std::uint32_t chunk = 0;
  bool operator==(const Operation&) const = default;
};

enum class Style {
  gpipe,        // all forward passes, then all backward passes (Huang et al., 2019)
  one_f_one_b,  // backward passes begin as early as they can (Narayanan et al., 2019, PipeDream-Flush)
  interleaved,  // the same with several chunks of the model on each stage (Narayanan et al., 2021, 2.2)
  zero_bubble,  // ZB-H1: weight gradients fill the gaps, in 1F1B's memory (Qi et al., 2024, 2.1)
};

struct Schedule {
  std::uint32_t stages = 1, micro_batches = 1, chunks = 1;
  std::vector<std::vector<Operation>> of_stage;

  std::uint32_t parts() const { return stages * chunks; }
  std::uint32_t part(std::uint32_t stage, std::uint32_t chunk) const { return chunk * stages + stage; }
  std::uint32_t stage_of(std::uint32_t part) const { return part % stages; }
};

// Throws std::invalid_argument where there is no such schedule: 0 of anything; chunks without `interleaved`;
// `interleaved` with one chunk, with one stage, or with micro-batches that are not a multiple of the stages.
Schedule make_schedule(Style style, std::uint32_t stages, std::uint32_t micro_batches, std::uint32_t chunks);

// What is wrong with a schedule, as a sentence that names stage and micro-batch; "" for a valid one. Valid: on
// every stage each micro-batch passes each chunk forward once, then backward once (whole, or input gradient and
// then weight gradient), and what neighbours hand over arrives in the order in which the receiver wants it.
std::string problem_of(const Schedule& schedule);

// How many micro-batches' activations a stage holds at once, at most. They live from the forward pass to the end
// of the backward pass, which is that of the weight gradient; this follows from the order alone.
struct Holding {
  std::uint32_t in_flight = 0;  // over all chunks
  std::vector<std::uint32_t> of_chunk;
  // Of each chunk: micro-batches whose weight gradient is yet to come, and the one that is being computed.
  std::vector<std::uint32_t> pending;
};
std::vector<Holding> holdings_of(const Schedule& schedule);

// "forward pass of micro-batch 3", and of which chunk if there are several.
std::string text_of(const Operation& operation, std::uint32_t chunks);

}  // namespace assay::plugins::schedule
