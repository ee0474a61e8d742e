// SPDX-License-Identifier: Apache-2.0
//
// Which node's threads work on memory of which node, in which order, for each way of placing pages.
#pragma once

#include "numa/machine.hpp"

#include <assay/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::numa {

enum class Placement {
  bound,        // to each node with memory in turn, by a policy
  first_touch,  // by the threads that will use it, without a policy
  interleaved,  // over all nodes with memory in turn, page by page
  migrated,     // touched on another node, then moved to where it is wanted
  misplaced     // touched first by threads of one node, whoever uses it
};
enum class Pairs { all, local, remote };

// Memory that the threads of one node work on at a time.
struct Region {
  enum class Policy { none, bind, interleave };
  Policy policy = Policy::none;
  std::vector<int> policy_nodes;  // that the policy names while the pages are touched first
  std::size_t toucher = 0;        // whose threads do that: a place in Machine::cpu_nodes
  std::vector<int> expected;      // the nodes that its pages must be on in the end
  std::optional<int> moved_to;    // where they are moved to after that
};

struct Use {
  std::size_t cpu_node = 0;  // a place in Machine::cpu_nodes
  std::size_t region = 0;
};

// What goes on at once. Every region has one use in it at most.
using Phase = std::vector<Use>;

struct Plan {
  std::vector<Region> regions;
  std::vector<Phase> phases;  // one after the other
};

namespace detail {

inline std::string only_node(const Machine& machine) {
  return "only node " + std::to_string(machine.memory_nodes.front()) +
         " has memory that this process may use";
}

// The place of the node with this number among those with CPUs.
inline std::optional<std::size_t> place_of_node(const Machine& machine, int node) {
  for (std::size_t i = 0; i < machine.cpu_nodes.size(); ++i) {
    if (machine.cpu_nodes[i].number == node) return i;
  }
  return std::nullopt;
}

// Every node with CPUs in turn on memory of every node, as far as `pairs` has them.
inline Plan matrix_plan(const Machine& machine, bool migrated, Pairs pairs) {
  Plan plan;
  for (std::size_t m = 0; m < machine.memory_nodes.size(); ++m) {
    const int node = machine.memory_nodes[m];
    Region region;
    region.policy = Region::Policy::bind;
    region.expected = {node};
    int touched_on = node;
    if (migrated) {
      touched_on = machine.memory_nodes[(m + 1) % machine.memory_nodes.size()];
      region.moved_to = node;
    }
    region.policy_nodes = {touched_on};
    region.toucher = place_of_node(machine, touched_on).value_or(0);
    bool used = false;
    for (std::size_t c = 0; c < machine.cpu_nodes.size(); ++c) {
      const bool local = machine.cpu_nodes[c].number == node;
      if (pairs != Pairs::all && local != (pairs == Pairs::local)) continue;
      plan.phases.push_back({{c, plan.regions.size()}});
      used = true;
    }
    if (used) plan.regions.push_back(std::move(region));
  }
  if (!plan.phases.empty()) return plan;
  throw Skip(pairs == Pairs::local
                 ? "nothing is local: no NUMA node has both CPUs and memory that this process may use"
                 : "nothing is remote: " + only_node(machine) + ", and all its CPUs are there");
}

}  // namespace detail

// With `in_turn` nodes work one after the other, as latency needs it; else those of ways of placing that are
// no matrix all at once. Throws Skip where the machine, or what this process may use of it, has no such
// placement.
inline Plan plan_of(const Machine& machine, Placement placement, Pairs pairs, bool in_turn) {
  if (machine.cpu_nodes.empty()) throw Skip("the CPUs that this process may use are not known");
  if (machine.memory_nodes.empty()) throw Skip("no NUMA node has memory that this process may use");
  const bool one = machine.memory_nodes.size() == 1;
  if (placement == Placement::bound) return detail::matrix_plan(machine, false, pairs);
  if (placement == Placement::migrated) {
    if (one) throw Skip("pages cannot be moved from node to node: " + detail::only_node(machine));
    return detail::matrix_plan(machine, true, pairs);
  }
  if (placement == Placement::interleaved && one)
    throw Skip("nothing can be interleaved: " + detail::only_node(machine));

  std::size_t home = 0;
  if (placement == Placement::misplaced) {
    if (machine.cpu_nodes.size() == 1) {
      throw Skip("nothing can be misplaced: all CPUs that this process may use are on node " +
                 std::to_string(machine.cpu_nodes.front().number));
    }
    while (home < machine.cpu_nodes.size() && !machine.has_memory(machine.cpu_nodes[home].number)) ++home;
    if (home == machine.cpu_nodes.size())
      throw Skip(
          "nothing is local, so nothing is misplaced: no NUMA node has both CPUs and memory that this process may use");
  }
  Plan plan;
  Phase all;
  for (std::size_t c = 0; c < machine.cpu_nodes.size(); ++c) {
    Region region;
    region.toucher = placement == Placement::misplaced ? home : c;
    if (placement == Placement::interleaved) {
      region.policy = Region::Policy::interleave;
      region.policy_nodes = machine.memory_nodes;
      region.expected = machine.memory_nodes;
    } else {
      // A node without memory gets it from wherever the kernel takes it.
      const int node = machine.cpu_nodes[region.toucher].number;
      region.expected = machine.has_memory(node) ? std::vector{node} : machine.memory_nodes;
    }
    all.push_back({c, plan.regions.size()});
    plan.regions.push_back(std::move(region));
    if (in_turn) plan.phases.push_back({all.back()});
  }
  if (!in_turn) plan.phases.push_back(std::move(all));
  return plan;
}

}  // namespace assay::plugins::numa
