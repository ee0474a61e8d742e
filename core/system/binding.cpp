// SPDX-License-Identifier: Apache-2.0
#include "system/binding.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace assay::system {
namespace {

constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;

std::vector<unsigned long> mask_of(const std::vector<int>& indices) {
  std::vector<unsigned long> mask;
  for (const int index : indices) {
    if (index < 0) continue;
    const std::size_t word = static_cast<std::size_t>(index) / kWordBits;
    if (mask.size() <= word) mask.resize(word + 1);
    mask[word] |= 1UL << (static_cast<std::size_t>(index) % kWordBits);
  }
  return mask;
}

std::vector<const NumaNode*> usable_nodes(const Topology& topology) {
  std::vector<const NumaNode*> nodes;
  for (const NumaNode& node : topology.nodes) {
    if (node.usable()) nodes.push_back(&node);
  }
  return nodes;
}

Binding impossible(std::string problem) {
  Binding binding;
  binding.problem = std::move(problem);
  return binding;
}

Binding whole_group(const Topology& topology) {
  Binding binding;
  binding.cpus = topology.cpus;
  // Undoes a policy that the caller set; where there is none the memory calls, which containers often refuse,
  // are not needed.
  if (!topology.inherited_memory_nodes.empty()) {
    for (const NumaNode& node : topology.nodes) {
      if (node.memory_bytes > 0) binding.memory_nodes.push_back(node.node);
    }
  }
  return binding;
}

Binding bound_to(const NumaNode& node) { return {node.cpus, {node.node}, {}}; }

const NumaNode* node_of_device(const Topology& topology, int device_node) {
  const auto usable = usable_nodes(topology);
  if (usable.size() == 1) return usable.front();
  const NumaNode* node = topology.find(device_node);
  return node != nullptr && node->usable() ? node : nullptr;
}

Binding remote_of(const Topology& topology, const NumaNode& home) {
  const NumaNode* farthest = nullptr;
  double largest = 0;
  for (const NumaNode* node : usable_nodes(topology)) {
    if (node == &home) continue;
    const auto known = home.distances.find(node->node);
    const double distance = known == home.distances.end() ? 20 : known->second;
    if (farthest == nullptr || distance > largest) {
      farthest = node;
      largest = distance;
    }
  }
  if (farthest == nullptr)
    return impossible("this machine has a single NUMA node with CPUs and memory, so nothing is remote");
  return bound_to(*farthest);
}

Binding explicit_nodes(const Topology& topology, const BindRequest& request) {
  Binding binding = whole_group(topology);
  if (!request.cpu.empty()) {
    const NumaNode* node = topology.find(parse_node(request.cpu));
    if (node == nullptr) return impossible("this machine has no NUMA " + request.cpu);
    if (node->cpus.empty())
      return impossible("NUMA " + request.cpu + " has no CPUs that this process may use");
    binding.cpus = node->cpus;
  }
  if (!request.memory.empty()) {
    const NumaNode* node = topology.find(parse_node(request.memory));
    if (node == nullptr) return impossible("this machine has no NUMA " + request.memory);
    if (node->memory_bytes == 0) return impossible("NUMA " + request.memory + " has no memory");
    binding.memory_nodes = {node->node};
  }
  return binding;
}

}  // namespace

int parse_node(const std::string& text) {
  constexpr std::string_view kPrefix = "node:";
  if (!text.starts_with(kPrefix)) return -1;
  const auto list = parse_cpu_list(std::string_view(text).substr(kPrefix.size()));
  const bool digits_only = text.find_first_not_of("0123456789", kPrefix.size()) == std::string::npos;
  return list && list->size() == 1 && digits_only ? list->front() : -1;
}

Binding resolve_binding(const BindRequest& request, const Topology* topology, const std::string& device,
                        int device_node) {
  if (request.kind == BindKind::inherit) return {};
  if (topology == nullptr) {
    if (request.kind == BindKind::none) return {};
    return impossible("the NUMA nodes of this machine are unknown");
  }
  switch (request.kind) {
    case BindKind::none:
      return whole_group(*topology);
    case BindKind::explicit_nodes:
      return explicit_nodes(*topology, request);
    case BindKind::inherit:
    case BindKind::local:
    case BindKind::remote:
      break;
  }
  const NumaNode* home = node_of_device(*topology, device_node);
  if (home == nullptr) {
    return impossible(device_node < 0 ? "'" + device + "' does not say which NUMA node it is at"
                                      : "NUMA node:" + std::to_string(device_node) + " of '" + device +
                                            "' has no CPUs or no memory that this process may use");
  }
  return request.kind == BindKind::local ? bound_to(*home) : remote_of(*topology, *home);
}

BindingMasks binding_masks(const std::vector<int>& cpus, const std::vector<int>& memory_nodes) {
  return {mask_of(cpus), mask_of(memory_nodes)};
}

int apply_binding(const BindingMasks& masks) noexcept {
  if (!masks.cpus.empty() && ::syscall(SYS_sched_setaffinity, 0, masks.cpus.size() * sizeof(unsigned long),
                                       masks.cpus.data()) != 0) {
    return errno;
  }
  // The kernel reads one bit less than it is told.
  if (!masks.memory_nodes.empty() && ::syscall(SYS_set_mempolicy, MPOL_BIND, masks.memory_nodes.data(),
                                               masks.memory_nodes.size() * kWordBits + 1) != 0) {
    return errno;
  }
  return 0;
}

}  // namespace assay::system
