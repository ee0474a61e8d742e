// SPDX-License-Identifier: Apache-2.0
//
// Which copies a strategy consists of, who makes them, in which order, and what each has to wait for. No copy
// is made here and nothing is stored: every copy is computed from its number, so a payload of any size costs
// nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace assay::plugins::broadcast {

enum class Strategy { direct, direct_parallel, relay, pipelined, scatter_allgather };
enum class Shape { star, chain, tree };

struct Plan {
  Strategy strategy = Strategy::pipelined;
  Shape shape = Shape::chain;
  int destinations = 2;
  int root = 0;
  std::uint64_t bytes = 0;
  std::uint64_t chunk = 0;
};

// What a copy reads that comes from no destination.
inline constexpr int kSource = -1;

struct Copy {
  int from = kSource;
  int to = 0;
  std::uint64_t begin = 0, end = 0;  // bytes of the payload
  std::uint64_t after = 0;           // copies that worker `from` must have made before; 0 of the source
};

// One round: the payload to every destination. Each destination has a worker, who makes its copies in order.
class Schedule {
 public:
  explicit Schedule(const Plan& plan) : plan_(plan) {}

  [[nodiscard]] const Plan& plan() const { return plan_; }

  // One thread makes all copies; otherwise every destination's worker fetches what it needs.
  [[nodiscard]] bool by_root_alone() const {
    return plan_.strategy == Strategy::direct ||
           (plan_.strategy == Strategy::relay && plan_.shape == Shape::star);
  }

  // Pieces that the payload is cut into.
  [[nodiscard]] std::uint64_t pieces() const {
    switch (plan_.strategy) {
      case Strategy::pipelined:
        return std::max<std::uint64_t>(1, (plan_.bytes + plan_.chunk - 1) / plan_.chunk);
      case Strategy::scatter_allgather:
        return static_cast<std::uint64_t>(plan_.destinations);
      case Strategy::direct:
      case Strategy::direct_parallel:
      case Strategy::relay:
        break;
    }
    return 1;
  }

  [[nodiscard]] std::uint64_t piece_begin(std::uint64_t piece) const {
    if (plan_.strategy == Strategy::pipelined) return std::min(plan_.bytes, piece * plan_.chunk);
    const std::uint64_t lines = plan_.bytes / kLine;
    return piece == pieces() ? plan_.bytes : lines * piece / pieces() * kLine;
  }
  [[nodiscard]] std::uint64_t piece_bytes(std::uint64_t piece) const {
    return piece_begin(piece + 1) - piece_begin(piece);
  }

  // Copies that a worker makes in one round.
  [[nodiscard]] std::uint64_t copies(int worker) const {
    if (by_root_alone()) return worker == plan_.root ? static_cast<std::uint64_t>(plan_.destinations) : 0;
    return pieces();
  }

  // Copy `i` of a worker, below copies(worker).
  [[nodiscard]] Copy copy(int worker, std::uint64_t i) const {
    const int place = place_of(worker);
    if (by_root_alone()) {
      const int to = worker_at(static_cast<int>(i));
      const bool onward = plan_.strategy == Strategy::relay && i > 0;
      return onward ? Copy{plan_.root, to, 0, plan_.bytes, 1} : Copy{kSource, to, 0, plan_.bytes, 0};
    }
    if (plan_.strategy == Strategy::scatter_allgather) {
      // In step i the neighbour has the piece that it fetched in the step before: its own, then the one
      // before.
      const auto count = static_cast<std::uint64_t>(plan_.destinations);
      const std::uint64_t piece = (static_cast<std::uint64_t>(place) + count - i) % count;
      const int from = i == 0 ? kSource : worker_at(place + plan_.destinations - 1);
      return {from, worker, piece_begin(piece), piece_begin(piece + 1), i};
    }
    const bool first = place == 0 || plan_.strategy == Strategy::direct_parallel;
    const int from = first ? kSource : worker_at(parent_of(place));
    return {from, worker, piece_begin(i), piece_begin(i + 1), first ? 0 : i + 1};
  }

  // The most onward copies between the root and a destination: 0 where all come from the source.
  [[nodiscard]] int depth() const {
    int most = 0;
    for (int place = plan_.destinations - 1; place > 0; place = parent_of(place)) ++most;
    return most;
  }

 private:
  static constexpr std::uint64_t kLine = 64;  // shares end at cache lines: no two workers write to one

  // Places are counted from the root, in the order of the workers.
  [[nodiscard]] int place_of(int worker) const {
    return (worker - plan_.root + plan_.destinations) % plan_.destinations;
  }
  [[nodiscard]] int worker_at(int place) const { return (place + plan_.root) % plan_.destinations; }

  [[nodiscard]] int parent_of(int place) const {
    switch (plan_.shape) {
      case Shape::star:
        return 0;
      case Shape::tree:
        return (place - 1) / 2;
      case Shape::chain:
        break;
    }
    return place - 1;
  }

  Plan plan_;
};

}  // namespace assay::plugins::broadcast
