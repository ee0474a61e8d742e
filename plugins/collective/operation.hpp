// SPDX-License-Identifier: Apache-2.0
//
// What collective operations move: sizes and factors as nccl-tests counts them, the same for every provider.
#pragma once

#include <assay/random.hpp>

#include <cstddef>
#include <cstdint>

namespace assay::plugins::collective {

enum class Operation {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  all_to_all,
  gather,
  scatter,
  send_recv  // each rank to the next
};

inline bool reduces(Operation operation) {
  return operation == Operation::all_reduce || operation == Operation::reduce_scatter ||
         operation == Operation::reduce;
}

inline bool has_root(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce ||
         operation == Operation::gather || operation == Operation::scatter;
}

// Each rank has a part of the size that is asked for, instead of all of it.
inline bool has_parts(Operation operation) {
  switch (operation) {
    case Operation::all_gather:
    case Operation::reduce_scatter:
    case Operation::all_to_all:
    case Operation::gather:
    case Operation::scatter:
      return true;
    default:
      return false;
  }
}

// Where input and output can be one buffer.
inline bool can_be_in_place(Operation operation) {
  return operation != Operation::all_to_all && operation != Operation::send_recv;
}

// Bandwidth of the bus over bandwidth of the algorithm: what each link carries at least for each byte of the
// size, if the algorithm is optimal and nothing reduces on the way.
inline double bus_factor(Operation operation, std::uint32_t ranks) {
  const double n = ranks;
  if (operation == Operation::all_reduce) return 2 * (n - 1) / n;
  return has_parts(operation) ? (n - 1) / n : 1;
}

// Counts of elements.
struct Counts {
  std::size_t part = 0;   // of one rank
  std::size_t whole = 0;  // what the size counts: all parts, or the one buffer
};

inline constexpr std::size_t kPartAlignment = 16;  // bytes; as nccl-tests rounds

// The most that fits into `bytes`; whole is 0 if nothing does.
inline Counts counts_of(Operation operation, std::size_t bytes, std::size_t element_bytes,
                        std::uint32_t ranks) {
  if (!has_parts(operation)) return {bytes / element_bytes, bytes / element_bytes};
  const std::size_t part = bytes / ranks / kPartAlignment * kPartAlignment / element_bytes;
  return {part, part * ranks};
}

// Where a rank's buffers lie in its memory, in elements, and how long they are.
struct Layout {
  std::size_t send = 0, receive = 0, scratch = 0;
  std::size_t send_count = 0, receive_count = 0, scratch_count = 0;

  std::size_t end() const { return scratch + scratch_count; }
};

// `gap` elements lie before, between and after the buffers. In place the smaller of send and receive is a
// part of the other, on the root alone where only that has both.
inline Layout layout_of(Operation operation, const Counts& counts, std::uint32_t rank, std::uint32_t root,
                        bool in_place, std::size_t gap) {
  const bool is_root = rank == root;
  Layout layout;
  const std::size_t part = counts.part, whole = counts.whole;
  switch (operation) {
    case Operation::all_reduce:
    case Operation::all_to_all:
    case Operation::send_recv:
      layout.send_count = layout.receive_count = whole;
      break;
    case Operation::all_gather:
      layout.send_count = part;
      layout.receive_count = whole;
      break;
    case Operation::reduce_scatter:
      layout.send_count = whole;
      layout.receive_count = part;
      break;
    case Operation::broadcast:
      layout.send_count = is_root ? whole : 0;
      layout.receive_count = whole;
      break;
    case Operation::reduce:
      layout.send_count = whole;
      layout.receive_count = is_root ? whole : 0;
      break;
    case Operation::gather:
      layout.send_count = part;
      layout.receive_count = is_root ? whole : 0;
      break;
    case Operation::scatter:
      layout.send_count = is_root ? whole : 0;
      layout.receive_count = part;
      break;
  }
  if (reduces(operation)) layout.scratch_count = operation == Operation::reduce_scatter ? whole : 2 * whole;
  layout.send = gap;
  layout.receive = layout.send + layout.send_count + gap;
  std::size_t end = layout.receive + layout.receive_count + gap;
  if (in_place && layout.send_count > 0 && layout.receive_count > 0) {
    const std::size_t larger =
        layout.send_count > layout.receive_count ? layout.send_count : layout.receive_count;
    const std::size_t offset = layout.send_count == layout.receive_count ? 0 : rank * part;
    layout.receive = gap + (layout.receive_count < layout.send_count ? offset : 0);
    layout.send = gap + (layout.send_count < layout.receive_count ? offset : 0);
    end = gap + larger + gap;
  }
  layout.scratch = end;
  return layout;
}

// What element `i` of a rank's result is made of: of one rank's input at an index, or of all ranks' there.
struct Origin {
  bool combined = false;
  std::uint32_t rank = 0;  // whose input, if not combined
  std::size_t index = 0;
};

ASSAY_HOST_DEVICE inline Origin origin_of(Operation operation, std::size_t part, std::uint32_t ranks,
                                          std::uint32_t root, std::uint32_t rank, std::size_t i) {
  switch (operation) {
    case Operation::all_reduce:
    case Operation::reduce:
      return {true, 0, i};
    case Operation::reduce_scatter:
      return {true, 0, part * rank + i};
    case Operation::all_gather:
    case Operation::gather:
      return {false, static_cast<std::uint32_t>(i / part), i % part};
    case Operation::broadcast:
      return {false, root, i};
    case Operation::all_to_all:
      return {false, static_cast<std::uint32_t>(i / part), part * rank + i % part};
    case Operation::scatter:
      return {false, root, part * rank + i};
    case Operation::send_recv:
      return {false, (rank + ranks - 1) % ranks, i};
  }
  return {};
}

}  // namespace assay::plugins::collective
