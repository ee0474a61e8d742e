// SPDX-License-Identifier: Apache-2.0
//
// The NUMA nodes that this process may use: those with CPUs, those with memory, and what the firmware says of
// the distances between them. Their numbers are the kernel's and may have gaps.
#pragma once

#include "lib/cpu_places.hpp"
#include "lib/cpu_team.hpp"
#include "lib/memory_policy.hpp"
#include "lib/nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace assay::plugins::numa {

struct Machine {
  std::vector<Node> cpu_nodes;        // with CPUs that this process may use, and these; ascending
  std::vector<int> memory_nodes;      // whose memory this process may have, ascending
  std::size_t nodes_with_memory = 1;  // of the whole machine, whatever this process may have
  // From node, to node, as the firmware reports them; 10 from a node to itself.
  std::map<int, std::map<int, int>> distances;

  [[nodiscard]] bool has_memory(int node) const {
    return std::find(memory_nodes.begin(), memory_nodes.end(), node) != memory_nodes.end();
  }
};

namespace detail {

// The numbers of a list in a file of the kernel's; nothing where there is no such file.
inline std::optional<std::vector<int>> listed_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  if (!stream) return std::nullopt;
  std::getline(stream, line);
  return numbers_of(line);
}

// "Mems_allowed_list:	0-3" of /proc/self/status: what the control group leaves.
inline std::optional<std::vector<int>> allowed_memory(const std::filesystem::path& root) {
  std::ifstream status(root / "proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const std::string name = "Mems_allowed_list:";
    if (line.rfind(name, 0) != 0) continue;
    const std::size_t list = line.find_first_not_of(" \t", name.size());
    if (list != std::string::npos) return numbers_of(std::string_view(line).substr(list));
  }
  return std::nullopt;
}

}  // namespace detail

// `cpus` are those that this process may use, `bound` the nodes that its memory policy binds it to (empty:
// none). A kernel without NUMA shows no nodes: all is on node 0 then.
inline Machine read_machine(const std::vector<int>& cpus, const std::vector<int>& bound,
                            const std::filesystem::path& root = "/") {
  const std::filesystem::path nodes = root / "sys/devices/system/node";
  Machine machine;
  std::vector<CpuPlace> places;
  for (const int cpu : cpus) places.push_back(place_of(cpu, root));
  machine.cpu_nodes = nodes_of_places(places);

  const std::vector<int> with_memory = detail::listed_in(nodes / "has_memory").value_or(std::vector{0});
  const auto allowed = detail::allowed_memory(root);
  const auto among = [](const std::vector<int>& list, int node) {
    return std::find(list.begin(), list.end(), node) != list.end();
  };
  machine.nodes_with_memory = with_memory.size();
  for (const int node : with_memory) {
    if ((allowed && !among(*allowed, node)) || (!bound.empty() && !among(bound, node))) continue;
    machine.memory_nodes.push_back(node);
  }

  // A line has a number for each node that is online, in their order.
  const std::vector<int> online = detail::listed_in(nodes / "online").value_or(std::vector<int>());
  for (const int from : online) {
    std::ifstream file(nodes / ("node" + std::to_string(from)) / "distance");
    for (const int to : online) {
      int distance = 0;
      if (file >> distance) machine.distances[from][to] = distance;
    }
  }
  return machine;
}

inline Machine this_machine() { return read_machine(allowed_cpus(), bound_memory_nodes()); }

// "0: CPUs 0-3, memory; 1: memory; 2: CPUs 4-7"
inline std::string nodes_text(const Machine& machine) {
  std::map<int, std::string> parts;
  for (const Node& node : machine.cpu_nodes)
    parts[node.number] = (node.cpus.size() == 1 ? "CPU " : "CPUs ") + list_of(node.cpus);
  for (const int node : machine.memory_nodes) {
    std::string& text = parts[node];
    text += text.empty() ? "memory" : ", memory";
  }
  std::string all;
  for (const auto& [node, text] : parts)
    all += (all.empty() ? "" : "; ") + std::to_string(node) + ": " + text;
  return all;
}

// "from 0: 10, 21; from 1: 21, 10": to every node that is used, in ascending order.
inline std::string distances_text(const Machine& machine) {
  std::vector<int> used = machine.memory_nodes;
  for (const Node& node : machine.cpu_nodes) used.push_back(node.number);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::string all;
  for (const int from : used) {
    const auto row = machine.distances.find(from);
    if (row == machine.distances.end()) return "unknown";
    std::string text;
    for (const int to : used) {
      const auto cell = row->second.find(to);
      if (cell == row->second.end()) return "unknown";
      text += (text.empty() ? "" : ", ") + std::to_string(cell->second);
    }
    all += (all.empty() ? "from " : "; from ") + std::to_string(from) + ": " + text;
  }
  return all;
}

}  // namespace assay::plugins::numa
