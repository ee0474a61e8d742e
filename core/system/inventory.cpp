// SPDX-License-Identifier: Apache-2.0
#include "system/inventory.hpp"

#include "base/error.hpp"
#include "system/census.hpp"
#include "system/json_reader.hpp"

#include <set>

namespace assay::system {

const Backend* Inventory::find(const std::string& backend) const {
  for (const Backend& candidate : backends) {
    if (candidate.name == backend) return &candidate;
  }
  return nullptr;
}

const Device* Inventory::find_device(const std::string& name) const {
  for (const Backend& backend : backends) {
    for (const Device& device : backend.devices) {
      if (device.name == name) return &device;
    }
  }
  return nullptr;
}

Json to_json(const Inventory& inventory) {
  Json backends = Json::array();
  for (const Backend& backend : inventory.backends) {
    Json devices = Json::array();
    for (const Device& device : backend.devices) {
      devices.push_back({{"name", device.name},
                         {"uuid", device.uuid},
                         {"model", device.model},
                         {"numa_node", device.numa_node},
                         {"facts", device.facts}});
    }
    backends.push_back({{"name", backend.name},
                        {"plugin", backend.plugin},
                        {"facts", backend.facts},
                        {"unavailable", backend.unavailable.empty() ? Json() : Json(backend.unavailable)},
                        {"devices", std::move(devices)}});
  }
  return {{"inventory_version", 1},
          {"backends", std::move(backends)},
          {"topology", inventory.topology ? to_json(*inventory.topology) : Json()}};
}

Inventory inventory_from_json(const Json& json) {
  const JsonReader reader(json, "");
  const int version = reader.integer("inventory_version", 1);
  if (version != 1) {
    throw Error("inventory.malformed",
                "the inventory has version " + std::to_string(version) + "; this program reads version 1");
  }
  Inventory inventory;
  std::set<std::string> names;
  for (const JsonReader& entry : reader.objects("backends")) {
    Backend backend;
    backend.name = entry.required_text("name");
    backend.plugin = entry.text("plugin");
    backend.facts = entry.object("facts");
    backend.unavailable = entry.text("unavailable");
    for (const JsonReader& item : entry.objects("devices")) {
      Device device;
      device.name = item.required_text("name");
      if (!names.insert(device.name).second)
        item.malformed("name", "unlike all others; '" + device.name + "' is there twice");
      device.uuid = item.text("uuid");
      device.model = item.text("model");
      device.numa_node = item.integer("numa_node", -1);
      device.facts = item.object("facts");
      backend.devices.push_back(std::move(device));
    }
    static_cast<void>(census_of(backend));  // whole, or refused here
    inventory.backends.push_back(std::move(backend));
  }
  if (const Json* topology = reader.find("topology")) inventory.topology = topology_from_json(*topology);
  return inventory;
}

}  // namespace assay::system
