// SPDX-License-Identifier: Apache-2.0
//
// CPUs and NUMA nodes, read through hwloc when somebody asks and not before: its start takes tens of
// milliseconds.
#pragma once

#include "base/json.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::system {

struct NumaNode {
  int node = 0;
  std::vector<int> cpus;            // empty: a node of memory only (a GPU's, CXL)
  std::uint64_t memory_bytes = 0;   // 0: a node of CPUs only, or a slice that is not in use
  std::map<int, double> distances;  // to other nodes, 10 is local; empty if the firmware gives none

  // What a process can be bound to: some nodes have no memory, others no CPUs.
  [[nodiscard]] bool usable() const { return !cpus.empty() && memory_bytes > 0; }
};

// What this process may use of the machine. All lists ascend.
struct Topology {
  std::vector<NumaNode> nodes;
  std::vector<int> cpus;                    // all that the control group allows
  std::vector<int> inherited_cpus;          // the caller's affinity; a subset of `cpus`
  std::vector<int> inherited_memory_nodes;  // the caller's memory policy; empty: the default policy
  int cores = 0, threads = 0, sockets = 0;  // of `cpus`

  [[nodiscard]] const NumaNode* find(int node) const;
};

// Reads this machine. Throws Error "system.topology" if hwloc cannot. `root` is where the kernel's files are; hwloc has a variable of
// its own for that, HWLOC_FSROOT.
[[nodiscard]] Topology read_topology(const std::filesystem::path& root = "/");

[[nodiscard]] Json to_json(const Topology& topology);
// Throws Error "inventory.malformed" that names the key.
[[nodiscard]] Topology topology_from_json(const Json& json);

// The CPUs that this process may run on, ascending; empty where the kernel does not say.
[[nodiscard]] std::vector<int> allowed_cpus();

// "0-3,8" and back. The parser gives no value for a list that does not ascend or numbers above 65535.
[[nodiscard]] std::string to_cpu_list(const std::vector<int>& cpus);
[[nodiscard]] std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

}  // namespace assay::system
