// SPDX-License-Identifier: Apache-2.0
//
// What every rank does in one operation, step by step, and what each step waits for.
//
// An algorithm is written as one list of steps in an order in which one rank after the other could do them.
// Steps run in parallel as far as the memory that they touch allows: what a step waits for is found from that
// (dependencies.hpp), not written down by hand. As in every library, a rank's input is taken only once that
// rank has begun the operation, and when a rank has ended nobody touches its buffers any more: its first and
// its last step stand for that, and move nothing.
#pragma once

#include "collective/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::plugins::collective {

enum class Algorithm { direct, ring, recursive_doubling, tree };

// Elements in the memory of a rank.
struct Place {
  std::uint32_t rank = 0;
  std::size_t at = 0;
};

// The step of another rank that has to be done before: of this operation, or of the one before it.
struct Wait {
  std::uint32_t rank = 0;
  std::uint32_t step = 0;
  bool before = false;
};

// Done by one rank, into its own memory: `to` = `from`, or `to` = `from` + `with` by the operator. `to` may
// be one of the operands, and overlaps them in no other way.
struct Step {
  Place from, with;
  std::size_t to = 0;
  std::size_t count = 0;
  bool combines = false;
  bool completes = false;  // combines the last operand: an average is divided here
  std::vector<Wait> waits;
};

using Schedule = std::vector<std::vector<Step>>;  // by rank

struct Call {
  Operation operation = Operation::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  std::uint32_t ranks = 2;
  std::uint32_t root = 0;
  Counts counts;
  std::vector<Layout> layouts;  // by rank
  std::size_t chunk = 1;        // elements of a step of ring broadcasts and trees, which are pipelines
};

// Whether the algorithm is written for the operation and this many ranks.
bool is_there(Operation operation, Algorithm algorithm, std::uint32_t ranks);

// The names that suites use.
const char* name_of(Operation operation);
const char* name_of(Algorithm algorithm);

// Why an algorithm is not there: "gather has no algorithm 'ring'; it has direct".
std::string why_not_there(Operation operation, Algorithm algorithm, std::uint32_t ranks);

// The steps of all ranks. Precondition: is_there(), at least two ranks, counts above 0.
Schedule schedule_of(const Call& call);

// Shortens every rank's scratch, which lies last in its memory, to what its steps write: a layout has room
// for the algorithm that needs most.
void keep_used_scratch(std::vector<Layout>& layouts, const Schedule& schedule);

}  // namespace assay::plugins::collective
