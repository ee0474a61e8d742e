// SPDX-License-Identifier: Apache-2.0
//
// The hardware that can be measured: every backend's devices, and the host's CPUs and NUMA nodes. Format:
// docs/reference/inventory.md.
#pragma once

#include "base/json.hpp"
#include "system/topology.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::system {

struct Device {
  std::string name;                     // as suites name it, "cuda:0"; unique over all backends
  std::string uuid;                     // stable identity, "" if there is none
  std::string model;                    // "NVIDIA H200", "Intel(R) Xeon(R) …"
  int numa_node = -1;                   // -1: unknown
  Json facts = Json::object();          // the backend's own, keys in docs/reference/inventory.md
  std::vector<std::string> lacks = {};  // declared telemetry quantities that this device does not have
};

// The devices that one backend found. A backend that could not answer has no devices, but a reason.
struct Backend {
  std::string name;    // "host", "cuda"
  std::string plugin;  // provider's id
  std::vector<Device> devices;
  Json facts = Json::object();
  std::string unavailable;  // why the backend could not answer, or empty
};

struct Inventory {
  std::vector<Backend> backends;
  std::optional<Topology> topology;  // no value: unknown, and nothing can be bound

  [[nodiscard]] const Backend* find(const std::string& backend) const;
  [[nodiscard]] const Device* find_device(const std::string& name) const;
};

[[nodiscard]] Json to_json(const Inventory& inventory);
// Reads the answer of a plugin, to which the backend's name was added. Throws Error "inventory.malformed", which names
// the malformed key.
[[nodiscard]] Backend backend_from_json(const Json& json);
// For --inventory FILE and the journal. Throws Error "inventory.malformed".
[[nodiscard]] Inventory inventory_from_json(const Json& json);

}  // namespace assay::system
