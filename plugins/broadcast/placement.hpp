// SPDX-License-Identifier: Apache-2.0
//
// Which CPU each destination's thread is bound to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::broadcast {

inline constexpr int kAnyCpu = -1;  // the thread stays where the process may be

struct Seat {
  int cpu = 0;
  int node = 0;
};

// As many seats of every node as of every other, but for one, and those of a node side by side, so that a
// chain crosses between nodes as seldom as it can. A CPU is taken twice only where its node has no free one
// left.
inline std::vector<Seat> spread(const std::vector<Seat>& available, int count) {
  std::set<int> nodes;
  for (const Seat& seat : available) nodes.insert(seat.node);
  std::vector<Seat> taken;
  int turn = 0;
  for (const int node : nodes) {
    std::vector<Seat> here;
    std::copy_if(available.begin(), available.end(), std::back_inserter(here),
                 [&](const Seat& seat) { return seat.node == node; });
    const int every = static_cast<int>(nodes.size());
    const int mine = count / every + (turn++ < count % every ? 1 : 0);
    for (int i = 0; i < mine; ++i) taken.push_back(here[static_cast<std::size_t>(i) % here.size()]);
  }
  return taken;
}

inline int processors_of(const std::vector<Seat>& seats) {
  std::set<int> cpus;
  for (const Seat& seat : seats) cpus.insert(seat.cpu);
  return static_cast<int>(cpus.size());
}

// "0", "0, 1"
inline std::string nodes_text(const std::vector<Seat>& seats) {
  std::set<int> nodes;
  for (const Seat& seat : seats) nodes.insert(seat.node);
  std::string text;
  for (const int node : nodes) text += (text.empty() ? "" : ", ") + std::to_string(node);
  return text;
}

}  // namespace assay::plugins::broadcast
