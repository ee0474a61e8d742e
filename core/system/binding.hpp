// SPDX-License-Identifier: Apache-2.0
//
// Where a process runs and where its memory comes from.
#pragma once

#include "system/topology.hpp"

#include <string>
#include <vector>

namespace assay::system {

enum class BindKind {
  none,           // all that the control group allows, whatever the caller had
  inherit,        // what the caller had
  local,          // the NUMA node of the device
  remote,         // the farthest node from it that has CPUs and memory
  explicit_nodes  // as written: "node:1"
};

struct BindRequest {
  BindKind kind = BindKind::none;
  std::string cpu;     // explicit_nodes: "node:1", or "" to leave CPUs as with none
  std::string memory;  // explicit_nodes: "node:1", or "" to leave memory as with none
};

// Empty lists: leave as it is.
struct Binding {
  std::vector<int> cpus;
  std::vector<int> memory_nodes;
  // Why this machine cannot do it, or empty: "cuda:0 does not say which NUMA node it is at".
  std::string problem;
};

// `device` names the device in messages and `device_node` is its NUMA node, -1 if unknown. On a machine with
// a single usable node every device is local to it. An unknown topology (null) binds nothing, and cannot be
// local, remote or explicit.
[[nodiscard]] Binding resolve_binding(const BindRequest& request, const Topology* topology,
                                      const std::string& device, int device_node);

// The number in "node:N", or -1.
[[nodiscard]] int parse_node(const std::string& text);

// Bit masks as the kernel wants them, made before fork.
struct BindingMasks {
  std::vector<unsigned long> cpus;
  std::vector<unsigned long> memory_nodes;
};
[[nodiscard]] BindingMasks binding_masks(const std::vector<int>& cpus, const std::vector<int>& memory_nodes);

// Binds the calling process. Async-signal-safe: for the child, between fork and exec. 0, or the errno of the
// call that the kernel refused.
[[nodiscard]] int apply_binding(const BindingMasks& masks) noexcept;

}  // namespace assay::system
