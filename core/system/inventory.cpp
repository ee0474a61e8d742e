// SPDX-License-Identifier: Apache-2.0
#include "system/inventory.hpp"

#include "base/error.hpp"
#include "system/census.hpp"
#include "system/json_reader.hpp"
#include "text/lookup.hpp"

#include <set>
#include <string_view>

namespace assay::system {

const Backend* Inventory::find(const std::string& backend) const {
  return find_in(backends, [&](const Backend& candidate) { return candidate.name == backend; });
}

const Device* Inventory::find_device(const std::string& name) const {
  for (const Backend& backend : backends)
    if (const auto* const found =
            find_in(backend.devices, [&](const Device& device) { return device.name == name; }))
      return found;
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
      if (!device.lacks.empty()) devices.back()["lacks"] = device.lacks;
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

namespace {

// A suite's `cuda:0` is a device of the backend cuda, whoever lists devices.
bool is_device_of(const std::string& backend, std::string_view name) {
  if (!name.starts_with(backend + ":")) return false;
  const std::string_view number = name.substr(backend.size() + 1);
  constexpr std::size_t kMostDigits = 9;  // of an ordinal
  return !number.empty() && number.size() <= kMostDigits && (number == "0" || number.front() != '0') &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

namespace {

Backend read_backend(const JsonReader& entry) {
  Backend backend;
  std::set<std::string> names;
  backend.name = entry.required_text("name");
  backend.plugin = entry.text("plugin");
  backend.facts = entry.object("facts");
  backend.unavailable = entry.text("unavailable");
  for (const JsonReader& item : entry.objects("devices")) {
    Device device;
    device.name = item.required_text("name");
    if (!is_device_of(backend.name, device.name))
      item.malformed("name", "'" + backend.name + ":' and a number: '" + device.name + "'");
    if (!names.insert(device.name).second)
      item.malformed("name", "unlike all others; '" + device.name + "' is there twice");
    device.uuid = item.text("uuid");
    device.model = item.text("model");
    device.numa_node = item.integer("numa_node", -1);
    device.facts = item.object("facts");
    device.lacks = item.texts("lacks");
    backend.devices.push_back(std::move(device));
  }
  static_cast<void>(census_of(backend));  // whole, or refused here
  return backend;
}

Inventory read_inventory(const Json& json) {
  const JsonReader reader(json, "");
  const int version = reader.integer("inventory_version", 1);
  if (version != 1) {
    throw Error("inventory.malformed",
                "the inventory has version " + std::to_string(version) + "; this program reads version 1");
  }
  Inventory inventory;
  std::set<std::string> names;
  for (const JsonReader& entry : reader.objects("backends")) {
    inventory.backends.push_back(read_backend(entry));
    if (!names.insert(inventory.backends.back().name).second) entry.malformed("name", "unlike all others");
  }
  if (const Json* topology = reader.find("topology")) inventory.topology = topology_from_json(*topology);
  return inventory;
}

}  // namespace

Backend backend_from_json(const Json& json) { return read_backend(JsonReader(json, "")); }

Inventory inventory_from_json(const Json& json) {
  try {
    return read_inventory(json);
  } catch (const Error& error) {
    throw Error(error.code(), std::string(error.what()) + "; write a new one with `assay system --json`");
  }
}

}  // namespace assay::system
