// SPDX-License-Identifier: Apache-2.0
#include "collective/schedule.hpp"

#include "collective/program.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

namespace assay::plugins::collective {
namespace {

// Each rank takes what it needs from where it is.
void direct(const Call& call, Program& program) {
  const std::uint32_t n = call.ranks;
  const bool reduce = call.operation == Operation::reduce,
             scatters = call.operation == Operation::reduce_scatter;
  // In place others still read what the result will overwrite, unless it is what nobody else reads.
  const bool apart =
      call.operation == Operation::all_reduce && call.layouts[0].send == call.layouts[0].receive;
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    if (reduce && rank != call.root) continue;
    const std::size_t at = scatters ? program.part(rank).at : 0;
    const std::size_t count = scatters ? call.counts.part : call.counts.whole;
    const Place to = apart ? program.scratch(rank) : program.receive(rank);
    Place sum = program.send(rank, at);
    for (std::uint32_t by = 1; by < n; ++by) {
      program.combine(rank, sum, program.send(program.after(rank, by), at), to, count, by + 1 == n);
      sum = to;
    }
  }
  for (std::uint32_t rank = 0; apart && rank < n; ++rank)
    program.copy(rank, program.scratch(rank), program.receive(rank), call.counts.whole);
}

void direct_copies(const Call& call, Program& program) {
  const std::uint32_t n = call.ranks;
  const std::size_t part = call.counts.part;
  for (std::uint32_t by = 0; by < n; ++by) {
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const std::uint32_t other = program.after(rank, by);
      switch (call.operation) {
        case Operation::all_gather:
          program.copy(rank, program.send(other), program.receive(rank, part * other), part);
          break;
        case Operation::all_to_all:
          program.copy(rank, program.send(other, part * rank), program.receive(rank, part * other), part);
          break;
        case Operation::gather:
          if (rank == call.root)
            program.copy(rank, program.send(other), program.receive(rank, part * other), part);
          break;
        case Operation::scatter:
          if (other == call.root)
            program.copy(rank, program.send(other, part * rank), program.receive(rank), part);
          break;
        case Operation::broadcast:
          if (other == call.root)
            program.copy(rank, program.send(other), program.receive(rank), call.counts.whole);
          break;
        case Operation::send_recv:
          if (by == n - 1) program.copy(rank, program.send(other), program.receive(rank), call.counts.whole);
          break;
        default:
          break;
      }
    }
  }
}

// Pieces go round and grow by each rank's; then the sums go round. Patarasuk and Yuan 2009.
void ring_all_reduce(const Call& call, Program& program) {
  const std::uint32_t n = call.ranks;
  for (std::uint32_t step = 0; step + 1 < n; ++step) {
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const Stretch piece = program.piece(program.after(rank, 2 * n - 1 - step));
      const std::uint32_t left = program.after(rank, n - 1);
      program.combine(rank, program.send(rank, piece.at),
                      step == 0 ? program.send(left, piece.at) : program.receive(left, piece.at),
                      program.receive(rank, piece.at), piece.count, step + 2 == n);
    }
  }
  for (std::uint32_t step = 0; step + 1 < n; ++step) {
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const Stretch piece = program.piece(program.after(rank, n - step));
      program.copy(rank, program.receive(program.after(rank, n - 1), piece.at),
                   program.receive(rank, piece.at), piece.count);
    }
  }
}

void ring_reduce_scatter(const Call& call, Program& program) {
  const std::uint32_t n = call.ranks;
  for (std::uint32_t step = 0; step + 1 < n; ++step) {
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const Stretch part = program.part(program.after(rank, 2 * n - 2 - step));
      const std::uint32_t left = program.after(rank, n - 1);
      const bool last = step + 2 == n;
      program.combine(rank, program.send(rank, part.at),
                      step == 0 ? program.send(left, part.at) : program.scratch(left, part.at),
                      last ? program.receive(rank) : program.scratch(rank, part.at), part.count, last);
    }
  }
}

void ring_all_gather(const Call& call, Program& program) {
  const std::uint32_t n = call.ranks;
  for (std::uint32_t rank = 0; rank < n; ++rank)
    program.copy(rank, program.send(rank), program.receive(rank, program.part(rank).at), call.counts.part);
  for (std::uint32_t step = 0; step + 1 < n; ++step) {
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const Stretch part = program.part(program.after(rank, 2 * n - 1 - step));
      program.copy(rank, program.receive(program.after(rank, n - 1), part.at), program.receive(rank, part.at),
                   part.count);
    }
  }
}

// A chain from the root, or towards it, in chunks that follow each other.
void ring_broadcast(const Call& call, Program& program) {
  program.each_chunk([&](const Stretch& chunk) {
    for (std::uint32_t by = 0; by < call.ranks; ++by) {
      const std::uint32_t rank = program.after(call.root, by);
      program.copy(rank,
                   by < 2 ? program.send(call.root, chunk.at)
                          : program.receive(program.after(call.root, by - 1), chunk.at),
                   program.receive(rank, chunk.at), chunk.count);
    }
  });
}

void ring_reduce(const Call& call, Program& program) {
  program.each_chunk([&](const Stretch& chunk) {
    for (std::uint32_t by = 2; by <= call.ranks; ++by) {
      const std::uint32_t rank = program.after(call.root, by), left = program.after(call.root, by - 1);
      const bool last = by == call.ranks;
      program.combine(rank, program.send(rank, chunk.at),
                      by == 2 ? program.send(left, chunk.at) : program.scratch(left, chunk.at),
                      last ? program.receive(rank, chunk.at) : program.scratch(rank, chunk.at), chunk.count,
                      last);
    }
  });
}

// A binary tree below the root: v-th after it has the children 2v + 1 and 2v + 2.
void tree_reduce(const Call& call, Program& program, const Stretch& chunk) {
  const auto sum_of = [&](std::uint32_t v) {
    const std::uint32_t rank = program.after(call.root, v);
    if (2 * v + 1 >= call.ranks) return program.send(rank, chunk.at);
    return v == 0 ? program.receive(rank, chunk.at) : program.scratch(rank, chunk.at);
  };
  for (std::uint32_t v = call.ranks; v-- > 0;) {
    const std::uint32_t rank = program.after(call.root, v);
    Place own = program.send(rank, chunk.at);
    for (std::uint32_t child = 2 * v + 1; child <= 2 * v + 2 && child < call.ranks; ++child) {
      const bool last = child == 2 * v + 2 || child + 1 == call.ranks;
      program.combine(rank, own, sum_of(child), sum_of(v), chunk.count, v == 0 && last);
      own = sum_of(v);
    }
  }
}

void tree_broadcast(const Call& call, Program& program, const Stretch& chunk, const Place& root) {
  for (std::uint32_t v = 0; v < call.ranks; ++v) {
    const std::uint32_t rank = program.after(call.root, v), parent = program.after(call.root, (v - 1) / 2);
    program.copy(rank, v < 3 ? root : program.receive(parent, chunk.at), program.receive(rank, chunk.at),
                 chunk.count);
  }
}

std::uint32_t power_of_two_below(std::uint32_t ranks) {
  std::uint32_t power = 1;
  while (power * 2 <= ranks) power *= 2;
  return power;
}

// In step k each rank takes the sum of the one whose number differs in bit k. Ranks beyond the last power of
// two give theirs to one below, and get the sum from it. Thakur, Rabenseifner and Gropp 2005.
void doubling_all_reduce(const Call& call, Program& program) {
  const std::uint32_t inner = power_of_two_below(call.ranks), outer = call.ranks - inner;
  const std::size_t count = call.counts.whole;
  std::vector<Place> sums;
  for (std::uint32_t rank = 0; rank < call.ranks; ++rank) sums.push_back(program.send(rank));
  for (std::uint32_t rank = 0; rank < outer; ++rank) {
    program.combine(rank, sums[rank], sums[rank + inner], program.scratch(rank), count, false);
    sums[rank] = program.scratch(rank);
  }
  for (std::uint32_t bit = 1; bit < inner; bit *= 2) {
    const std::vector<Place> old = sums;
    const bool last = 2 * bit == inner;
    for (std::uint32_t rank = 0; rank < inner; ++rank) {
      const Place spare =
          old[rank].at == program.scratch(rank).at ? program.scratch(rank, count) : program.scratch(rank);
      // Not where the partner reads: in place that is the input.
      const bool free = program.receive(rank).at != old[rank].at;
      sums[rank] = last && free ? program.receive(rank) : spare;
      program.combine(rank, old[rank], old[rank ^ bit], sums[rank], count, last);
    }
  }
  for (std::uint32_t rank = 0; rank < call.ranks; ++rank) {
    const Place from = rank < inner ? sums[rank] : sums[rank - inner];
    program.copy(rank, from, program.receive(rank), count);
  }
}

void doubling_all_gather(const Call& call, Program& program) {
  const std::size_t part = call.counts.part;
  for (std::uint32_t rank = 0; rank < call.ranks; ++rank)
    program.copy(rank, program.send(rank), program.receive(rank, part * rank), part);
  for (std::uint32_t bit = 1; bit < call.ranks; bit *= 2) {
    for (std::uint32_t rank = 0; rank < call.ranks; ++rank) {
      const std::uint32_t other = rank ^ bit, first = other / bit * bit;
      program.copy(rank, program.receive(other, part * first), program.receive(rank, part * first),
                   part * bit);
    }
  }
}

}  // namespace

bool is_there(Operation operation, Algorithm algorithm, std::uint32_t ranks) {
  switch (algorithm) {
    case Algorithm::direct:
      return true;
    case Algorithm::ring:
      return reduces(operation) || operation == Operation::all_gather || operation == Operation::broadcast;
    case Algorithm::recursive_doubling:
      return operation == Operation::all_reduce ||
             (operation == Operation::all_gather && power_of_two_below(ranks) == ranks);
    case Algorithm::tree:
      return operation == Operation::all_reduce || operation == Operation::broadcast ||
             operation == Operation::reduce;
  }
  return false;
}

Schedule schedule_of(const Call& call) {
  assert(is_there(call.operation, call.algorithm, call.ranks) && call.ranks > 1 && call.chunk > 0);
  Program program(call);
  program.begin();
  const Operation operation = call.operation;
  switch (call.algorithm) {
    case Algorithm::direct:
      reduces(operation) ? direct(call, program) : direct_copies(call, program);
      break;
    case Algorithm::ring:
      if (operation == Operation::all_reduce) ring_all_reduce(call, program);
      if (operation == Operation::reduce_scatter) ring_reduce_scatter(call, program);
      if (operation == Operation::all_gather) ring_all_gather(call, program);
      if (operation == Operation::broadcast) ring_broadcast(call, program);
      if (operation == Operation::reduce) ring_reduce(call, program);
      break;
    case Algorithm::recursive_doubling:
      operation == Operation::all_reduce ? doubling_all_reduce(call, program)
                                         : doubling_all_gather(call, program);
      break;
    case Algorithm::tree:
      program.each_chunk([&](const Stretch& chunk) {
        if (operation != Operation::broadcast) tree_reduce(call, program, chunk);
        if (operation == Operation::all_reduce)
          tree_broadcast(call, program, chunk, program.receive(call.root, chunk.at));
        if (operation == Operation::broadcast)
          tree_broadcast(call, program, chunk, program.send(call.root, chunk.at));
      });
      break;
  }
  program.end();
  return program.with_waits();
}

void keep_used_scratch(std::vector<Layout>& layouts, const Schedule& schedule) {
  for (std::size_t rank = 0; rank < layouts.size(); ++rank) {
    Layout& layout = layouts[rank];
    std::size_t end = layout.scratch;
    for (const Step& step : schedule[rank]) end = std::max(end, step.to + step.count);
    layout.scratch_count = end - layout.scratch;
  }
}

}  // namespace assay::plugins::collective
