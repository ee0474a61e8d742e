// SPDX-License-Identifier: Apache-2.0
#include "system/topology.hpp"

#include "base/error.hpp"
#include "system/json_reader.hpp"
#include "text/lookup.hpp"

#include <hwloc.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

namespace assay::system {
namespace {

// hwloc loads every plugin it finds when a topology is made, and those of the distribution link OpenCL, CUDA
// and NVML, which must stay out of the controller. There is no call for this, only the variable; it is put
// back at once so that workers don't inherit it.
class NoHwlocPlugins {
 public:
  NoHwlocPlugins() {
    if (const char* value = std::getenv(kName)) before_ = value;
    ::setenv(kName, "/nonexistent", 1);
  }
  ~NoHwlocPlugins() {
    if (before_) {
      ::setenv(kName, before_->c_str(), 1);
    } else {
      ::unsetenv(kName);
    }
  }
  NoHwlocPlugins(const NoHwlocPlugins&) = delete;  // puts one variable back, once
  NoHwlocPlugins& operator=(const NoHwlocPlugins&) = delete;

 private:
  static constexpr const char* kName = "HWLOC_PLUGINS_PATH";
  std::optional<std::string> before_;
};

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using TopologyHandle = std::unique_ptr<hwloc_topology, TopologyDeleter>;

TopologyHandle load() {
  const NoHwlocPlugins guard;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error("system.topology", "hwloc does not start on this machine");
  TopologyHandle topology(raw);
  // Caches and I/O cost time and nobody asks for them here. A node that is not a whole package hangs at a group; without one,
  // hwloc gives it the CPUs of the package.
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  if (hwloc_topology_load(raw) != 0) {
    throw Error("system.topology", "hwloc cannot read this machine's topology; try `lstopo` to see why");
  }
  return topology;
}

std::vector<int> indices(hwloc_const_bitmap_t bitmap) {
  std::vector<int> list;
  for (int i = hwloc_bitmap_first(bitmap); i >= 0; i = hwloc_bitmap_next(bitmap, i)) list.push_back(i);
  return list;
}

// The CPUs of a node as the kernel has them, of those that hwloc found; nothing where it does not say. hwloc gives a node without
// CPUs those of the node that is nearest to it, by distances or by the firmware's table of initiators: nobody could tell that it has
// none, and `bind` would bind there.
std::optional<std::vector<int>> own_cpus(int node, const std::vector<int>& found,
                                         const std::filesystem::path& root) {
  std::ifstream file(root / ("sys/devices/system/node/node" + std::to_string(node)) / "cpulist");
  std::string line;
  if (!file) return std::nullopt;
  std::getline(file, line);
  auto cpus = parse_cpu_list(line);
  if (!cpus) return std::nullopt;
  std::vector<int> both;
  std::set_intersection(cpus->begin(), cpus->end(), found.begin(), found.end(), std::back_inserter(both));
  return both;
}

void read_distances(hwloc_topology_t topology, std::vector<NumaNode>& nodes) {
  unsigned count = 1;
  hwloc_distances_s* distances = nullptr;
  const unsigned long kind = HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &distances, kind, 0) != 0 ||
      count == 0) {
    return;
  }
  for (unsigned row = 0; row < distances->nbobjs; ++row) {
    const int from = static_cast<int>(distances->objs[row]->os_index);
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const auto& n) { return n.node == from; });
    if (node == nodes.end()) continue;
    for (unsigned column = 0; column < distances->nbobjs; ++column) {
      const int to = static_cast<int>(distances->objs[column]->os_index);
      node->distances[to] = static_cast<double>(distances->values[row * distances->nbobjs + column]);
    }
  }
  hwloc_distances_release(topology, distances);
}

}  // namespace

std::vector<int> allowed_cpus() {
  // The kernel refuses a mask that is shorter than its own.
  for (std::size_t size = 1024; size <= (std::size_t{1} << 20); size *= 2) {
    std::vector<unsigned long> mask(size / (sizeof(unsigned long) * CHAR_BIT));
    const long bytes = ::syscall(SYS_sched_getaffinity, 0, mask.size() * sizeof(unsigned long), mask.data());
    if (bytes < 0 && errno == EINVAL) continue;
    if (bytes < 0) break;
    std::vector<int> cpus;
    constexpr int kBits = sizeof(unsigned long) * CHAR_BIT;
    for (int cpu = 0; cpu < static_cast<int>(mask.size()) * kBits; ++cpu) {
      if (mask[static_cast<std::size_t>(cpu / kBits)] >> (cpu % kBits) & 1UL) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {};
}

namespace {

std::vector<int> memory_policy() {
  constexpr int kBits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, 4096 / kBits> mask{};
  int mode = MPOL_DEFAULT;
  // Refused in some containers; nothing can have been set there either.
  if (::syscall(SYS_get_mempolicy, &mode, mask.data(), mask.size() * kBits, nullptr, 0) != 0) return {};
  if (mode == MPOL_DEFAULT) return {};
  std::vector<int> nodes;
  for (int node = 0; node < static_cast<int>(mask.size()) * kBits; ++node) {
    if (mask[static_cast<std::size_t>(node / kBits)] >> (node % kBits) & 1UL) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

const NumaNode* Topology::find(int node) const {
  return find_in(nodes, [&](const NumaNode& candidate) { return candidate.node == node; });
}

Topology read_topology(const std::filesystem::path& root) {
  const TopologyHandle handle = load();
  hwloc_topology_t topology = handle.get();
  Topology result;
  // By default hwloc leaves out what the control group does not allow.
  result.cpus = indices(hwloc_topology_get_topology_cpuset(topology));
  result.inherited_cpus = allowed_cpus();
  result.inherited_memory_nodes = memory_policy();
  result.cores = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
  result.threads = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
  result.sockets = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)) != nullptr;) {
    NumaNode node;
    node.node = static_cast<int>(object->os_index);
    node.cpus = own_cpus(node.node, result.cpus, root).value_or(indices(object->cpuset));
    node.memory_bytes = object->attr->numanode.local_memory;
    result.nodes.push_back(std::move(node));
  }
  std::sort(result.nodes.begin(), result.nodes.end(),
            [](const auto& a, const auto& b) { return a.node < b.node; });
  read_distances(topology, result.nodes);
  return result;
}

std::string to_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  const auto number = [&]() -> int {
    int value = -1;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      value = (value < 0 ? 0 : value) * 10 + (text.front() - '0');
      if (value > 65535) return -1;
      text.remove_prefix(1);
    }
    return value;
  };
  while (!text.empty()) {
    const int first = number();
    int last = first;
    if (!text.empty() && text.front() == '-') {
      text.remove_prefix(1);
      last = number();
    }
    if (first < 0 || last < first) return std::nullopt;
    if (!cpus.empty() && first <= cpus.back()) return std::nullopt;
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return cpus;
}

Json to_json(const Topology& topology) {
  Json nodes = Json::array();
  for (const NumaNode& node : topology.nodes) {
    Json distances = Json::object();
    for (const auto& [other, distance] : node.distances) distances[std::to_string(other)] = distance;
    nodes.push_back({{"node", node.node},
                     {"cpus", to_cpu_list(node.cpus)},
                     {"memory_bytes", node.memory_bytes},
                     {"distances", std::move(distances)}});
  }
  return {{"cpus", to_cpu_list(topology.cpus)},
          {"inherited_cpus", to_cpu_list(topology.inherited_cpus)},
          {"inherited_memory_nodes", to_cpu_list(topology.inherited_memory_nodes)},
          {"cores", topology.cores},
          {"threads", topology.threads},
          {"sockets", topology.sockets},
          {"nodes", std::move(nodes)}};
}

Topology topology_from_json(const Json& json) {
  const JsonReader reader(json, "/topology");
  Topology topology;
  topology.cpus = reader.cpu_list("cpus");
  topology.inherited_cpus = reader.cpu_list("inherited_cpus");
  topology.inherited_memory_nodes = reader.cpu_list("inherited_memory_nodes");
  topology.cores = reader.integer("cores", 0);
  topology.threads = reader.integer("threads", 0);
  topology.sockets = reader.integer("sockets", 0);
  for (const JsonReader& entry : reader.objects("nodes")) {
    NumaNode node;
    node.node = entry.integer("node", -1);
    if (node.node < 0) entry.malformed("node", "a number of a NUMA node, from 0");
    node.cpus = entry.cpu_list("cpus");
    node.memory_bytes = entry.size("memory_bytes");
    const Json distances = entry.object("distances");
    for (const auto& [key, value] : distances.items()) {
      const auto other = parse_cpu_list(key);
      if (!other || other->size() != 1 || !value.is_number()) {
        entry.malformed("distances", "an object of numbers by NUMA node");
      }
      node.distances[other->front()] = value.get<double>();
    }
    topology.nodes.push_back(std::move(node));
  }
  return topology;
}

}  // namespace assay::system
