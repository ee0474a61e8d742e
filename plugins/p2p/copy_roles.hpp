// SPDX-License-Identifier: Apache-2.0
//
// Who copies what between two nodes.
#pragma once

#include "p2p/pairs.hpp"
#include "p2p/pattern.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace assay::plugins::p2p {

enum class Direction { read, write, both, latency };

// Of each way there is a source and a destination on every node.
inline std::size_t buffers_of_node(Direction direction) {
  return direction == Direction::latency ? 0 : direction == Direction::both ? 4 : 2;
}

// What one thread does of a pair's copies: a part of one way.
struct Role {
  bool takes_part = false;
  Way way = Way::there;
  std::size_t part = 0, parts = 1;
};

// The roles of threads that are on the nodes `node_of`, when node `pair.from` and node `pair.to` copy: those
// on the destination pull, or those on the source push; with both ways at once each node pulls what it gets.
// Between a node and itself its threads are then halved, and there must be two.
inline std::vector<Role> roles_of(const std::vector<std::size_t>& node_of, Direction direction, Pair pair) {
  std::vector<Role> roles(node_of.size());
  std::size_t parts[2] = {0, 0};
  const auto give = [&](std::size_t member, Way way) {
    roles[member] = {true, way, parts[static_cast<std::size_t>(way)]++, 1};
  };
  std::size_t in_pair = 0;
  for (std::size_t member = 0; member < node_of.size(); ++member) {
    const std::size_t node = node_of[member];
    if (direction != Direction::both) {
      if (node == (direction == Direction::read ? pair.to : pair.from)) give(member, Way::there);
    } else if (node == pair.to && node == pair.from) {
      give(member, in_pair++ % 2 == 0 ? Way::there : Way::back);
    } else if (node == pair.to || node == pair.from) {
      give(member, node == pair.to ? Way::there : Way::back);
    }
  }
  for (Role& role : roles) {
    if (role.takes_part) role.parts = parts[static_cast<std::size_t>(role.way)];
  }
  return roles;
}

// The words of one part, cut at cache lines.
inline std::pair<std::size_t, std::size_t> words_of(const Role& role, std::size_t words) {
  constexpr std::size_t kLine = 64 / sizeof(Word);
  const std::size_t lines = (words + kLine - 1) / kLine;
  const auto cut = [&](std::size_t part) {
    const std::size_t at = lines * part / role.parts * kLine;
    return at < words ? at : words;
  };
  return {cut(role.part), cut(role.part + 1)};
}

// Which pairs of nodes are copied between. A node and itself is there for comparison, and is all that there
// is on a machine with one. Both ways at once are the same from either side.
inline std::vector<Pair> node_pairs(std::size_t nodes, Direction direction) {
  std::vector<Pair> pairs;
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      if (direction == Direction::both && nodes > 1 && to <= from) continue;
      pairs.push_back({from, to});
    }
  }
  return pairs;
}

}  // namespace assay::plugins::p2p
