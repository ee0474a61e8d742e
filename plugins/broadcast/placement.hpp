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

struct ThreadPlace {
  int cpu = 0;
  int node = 0;
};

// As many places of every node as of every other, but for one, and those of a node side by side, so that a
// chain crosses between nodes as seldom as it can. A CPU is taken twice only where its node has no free one
// left.
inline std::vector<ThreadPlace> spread(const std::vector<ThreadPlace>& available, int count) {
  std::set<int> nodes;
  for (const ThreadPlace& place : available) nodes.insert(place.node);
  std::vector<ThreadPlace> taken;
  int turn = 0;
  for (const int node : nodes) {
    std::vector<ThreadPlace> here;
    std::copy_if(available.begin(), available.end(), std::back_inserter(here),
                 [&](const ThreadPlace& place) { return place.node == node; });
    const int every = static_cast<int>(nodes.size());
    const int mine = count / every + (turn++ < count % every ? 1 : 0);
    for (int i = 0; i < mine; ++i) taken.push_back(here[static_cast<std::size_t>(i) % here.size()]);
  }
  return taken;
}

inline int processors_of(const std::vector<ThreadPlace>& places) {
  std::set<int> cpus;
  for (const ThreadPlace& place : places) cpus.insert(place.cpu);
  return static_cast<int>(cpus.size());
}

// "0", "0, 1"
inline std::string nodes_text(const std::vector<ThreadPlace>& places) {
  std::set<int> nodes;
  for (const ThreadPlace& place : places) nodes.insert(place.node);
  std::string text;
  for (const int node : nodes) text += (text.empty() ? "" : ", ") + std::to_string(node);
  return text;
}

}  // namespace assay::plugins::broadcast
