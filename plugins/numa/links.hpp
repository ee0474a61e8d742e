// SPDX-License-Identifier: Apache-2.0
//
// Which node copies to and from which GPU, in which order, and what the machine says of where GPUs are.
#pragma once

#include "numa/machine.hpp"

#include <assay/errors.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::numa {

// The node that the kernel has for a PCI device ("0000:3B:00.0", in letters of any case); nothing where it
// knows none, as in most virtual machines.
inline std::optional<int> node_of_pci_device(std::string address, const std::filesystem::path& root = "/") {
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  std::ifstream file(root / "sys/bus/pci/devices" / address / "numa_node");
  int node = -1;
  return file >> node && node >= 0 ? std::optional(node) : std::nullopt;
}

struct Link {
  std::size_t node = 0;    // a place among the nodes that copy
  std::size_t device = 0;  // a place among the case's devices
};

// What copies at a time: no device twice.
using LinkPhase = std::vector<Link>;

// Every node in turn with every device: one after the other, or with all devices at once.
inline std::vector<LinkPhase> link_phases(std::size_t nodes, std::size_t devices, bool at_once) {
  std::vector<LinkPhase> phases;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (at_once) phases.emplace_back();
    for (std::size_t device = 0; device < devices; ++device) {
      if (!at_once) phases.emplace_back();
      phases.back().push_back({node, device});
    }
  }
  return phases;
}

// The nodes that have both CPUs and memory that this process may use: what copies needs both. Throws Skip
// where there is none, or where one has fewer CPUs than `threads`.
inline std::vector<Node> copying_nodes(const Machine& machine, std::size_t threads) {
  std::vector<Node> nodes;
  for (const Node& node : machine.cpu_nodes) {
    if (!machine.has_memory(node.number)) continue;
    if (node.cpus.size() < threads) {
      throw Skip("each of " + std::to_string(threads) + " devices needs a CPU of its own, and node " +
                 std::to_string(node.number) + " has " + std::to_string(node.cpus.size()) +
                 " that this process may use; take traffic: alone");
    }
    nodes.push_back(node);
  }
  if (nodes.empty()) throw Skip("no NUMA node has both CPUs and memory that this process may use");
  return nodes;
}

// A cell of the matrix: bytes per second between a node and a device.
struct LinkRate {
  Link link;
  double bytes_per_second = 0;
};

// Mean rate of a device's links to other nodes than its own over the mean of those to its own; nothing unless
// both kinds are there. `nodes` are numbers, `device_nodes` what is known of where devices are.
inline std::optional<double> remote_share(const std::vector<LinkRate>& rates, const std::vector<int>& nodes,
                                          const std::vector<std::optional<int>>& device_nodes) {
  double sums[2] = {0, 0};
  std::size_t counts[2] = {0, 0};
  for (const LinkRate& rate : rates) {
    const std::optional<int> home = device_nodes[rate.link.device];
    if (!home) continue;
    const std::size_t kind = nodes[rate.link.node] == *home ? 0 : 1;
    sums[kind] += rate.bytes_per_second;
    ++counts[kind];
  }
  if (counts[0] == 0 || counts[1] == 0) return std::nullopt;
  return sums[1] / static_cast<double>(counts[1]) / (sums[0] / static_cast<double>(counts[0]));
}

}  // namespace assay::plugins::numa
