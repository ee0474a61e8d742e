// SPDX-License-Identifier: Apache-2.0
//
// NUMA nodes by the CPUs that they have, and fewer of many.
#pragma once

#include "lib/cpu_places.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace assay::plugins {

struct Node {
  int number = 0;
  std::vector<int> cpus;
};

// The nodes that have any of these CPUs, ascending.
inline std::vector<Node> nodes_of_places(const std::vector<CpuPlace>& places) {
  std::map<int, std::vector<int>> by_number;
  for (const CpuPlace& place : places) by_number[place.node].push_back(place.cpu);
  std::vector<Node> nodes;
  for (auto& [number, cpus] : by_number) nodes.push_back({number, std::move(cpus)});
  return nodes;
}

// At most `most` of them (0: all), spread evenly.
template <class Item>
std::vector<Item> spread(const std::vector<Item>& items, std::size_t most) {
  if (most == 0 || items.size() <= most) return items;
  std::vector<Item> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(items[i * items.size() / most]);
  return chosen;
}

}  // namespace assay::plugins
