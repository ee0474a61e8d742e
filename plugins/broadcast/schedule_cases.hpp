// SPDX-License-Identifier: Apache-2.0
//
// The ways of broadcasting, for tests that go through all of them.
#pragma once

#include "broadcast/schedule.hpp"

#include <string>
#include <vector>

namespace assay::plugins::broadcast {

inline void add_ways(std::vector<Plan>& plans, int destinations, int root, std::uint64_t bytes,
                     std::uint64_t chunk) {
  for (const Strategy strategy : {Strategy::direct, Strategy::direct_parallel, Strategy::scatter_allgather}) {
    plans.push_back({strategy, Shape::star, destinations, root, bytes, chunk});
  }
  for (const Strategy strategy : {Strategy::relay, Strategy::pipelined}) {
    for (const Shape shape : {Shape::star, Shape::chain, Shape::tree}) {
      plans.push_back({strategy, shape, destinations, root, bytes, chunk});
    }
  }
}

inline std::string text_of(const Plan& plan) {
  return "strategy " + std::to_string(static_cast<int>(plan.strategy)) + ", shape " +
         std::to_string(static_cast<int>(plan.shape)) + ", destinations " +
         std::to_string(plan.destinations) + ", root " + std::to_string(plan.root) + ", bytes " +
         std::to_string(plan.bytes) + ", chunk " + std::to_string(plan.chunk);
}

}  // namespace assay::plugins::broadcast
