// SPDX-License-Identifier: Apache-2.0
//
// `assay system --write-site`.
#include "plan/requirements.hpp"
#include "plan/site.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::plan {
namespace {

// Facts that a machine can be held to: what it was built of and how it was set up. What tells one machine from
// the next or changes by itself is not among them, and can be written by hand.
constexpr std::array<std::string_view, 7> kHostFacts = {
    "cpu", "sockets", "cores", "threads", "numa_nodes", "memory_bytes", "architecture"};
constexpr std::array<std::string_view, 2> kBackendFacts = {"driver", "cuda_version"};
constexpr std::array<std::string_view, 21> kDeviceFacts = {"architecture",
                                                           "memory_bytes",
                                                           "multiprocessors",
                                                           "memory_bus_bits",
                                                           "l2_bytes",
                                                           "l3_bytes",
                                                           "cpus",
                                                           "cores",
                                                           "sockets",
                                                           "ecc",
                                                           "mig",
                                                           "slice",
                                                           "compute_mode",
                                                           "power_limit_w",
                                                           "largest_pcie_generation",
                                                           "largest_pcie_width",
                                                           "pcie_width",
                                                           "nvlinks",
                                                           "nvlinks_down",
                                                           "nvlink_peers",
                                                           "governor"};

constexpr double kGiB = 1024.0 * 1024 * 1024;
// What drivers and kernels keep for themselves differs from version to version; a module that is gone is more.
constexpr double kOfMemory = 0.99;

std::string value_of(std::string_view name, const Json& value) {
  if (name == "memory_bytes" && value.is_number() && value.get<double>() >= kGiB)
    return "\">=" + std::to_string(static_cast<long long>(kOfMemory * value.get<double>() / kGiB)) + "GiB\"";
  return value.is_string() ? Json(printable(value.get<std::string>())).dump() : value.dump();
}

std::string line(std::size_t depth, std::string_view name, const std::string& value) {
  return std::string(2 * depth, ' ') + std::string(name) + ": " + value + "\n";
}

bool is_writable(const Json& value) {
  return (value.is_string() && !value.get_ref<const std::string&>().empty()) || value.is_number() ||
         value.is_boolean();
}

// The fact, if all of these devices have the same; null otherwise.
Json in_common(const std::vector<const system::Device*>& devices, std::string_view name) {
  const Json first = devices.front()->facts.value(std::string(name), Json());
  const bool same = std::all_of(devices.begin(), devices.end(), [&](const system::Device* device) {
    return device->facts.value(std::string(name), Json()) == first;
  });
  return same ? first : Json();
}

bool differs(const std::vector<const system::Device*>& devices, std::string_view name) {
  return in_common(devices, name).is_null() &&
         std::any_of(devices.begin(), devices.end(),
                     [&](const system::Device* device) { return device->facts.contains(std::string(name)); });
}

std::string backend_text(const system::Backend& backend) {
  std::string text = "  " + backend.name + ":\n" + line(2, "devices", std::to_string(backend.devices.size()));
  for (const std::string_view name : kBackendFacts)
    if (const Json fact = backend.facts.value(std::string(name), Json()); is_writable(fact))
      text += line(2, name, value_of(name, fact));
  std::vector<std::string> models;
  for (const system::Device& device : backend.devices) add_once(models, device.model);
  bool begun = false;
  for (const std::string& model : models) {
    if (model.empty()) continue;
    std::vector<const system::Device*> devices;
    for (const system::Device& device : backend.devices)
      if (device.model == model) devices.push_back(&device);
    text += std::string(begun ? "" : "    models:\n") + "      - model: " + Json(printable(model)).dump() +
            "\n" + line(4, "devices", std::to_string(devices.size()));
    begun = true;
    for (const std::string_view name : kDeviceFacts) {
      const Json fact = in_common(devices, name);
      if (is_writable(fact)) text += line(4, name, value_of(name, fact));
      if (differs(devices, name))
        text += "        # " + std::string(name) + " differs from device to device\n";
    }
  }
  return text;
}

}  // namespace

std::string site_text(const system::Inventory& inventory, const Json& host) {
  std::string text =
      "# What this machine has, written by 'assay system --write-site'. A run that is given it with --site is held\n"
      "# to every line: a difference is exit 6. Lines may be taken out, changed to \">=VALUE\", or added: any fact\n"
      "# that 'assay system --json' shows.\n"
      "version: 1\n";
  if (host.value("hostname", Json()).is_string())
    text += "# written on " + printable(host.at("hostname").get<std::string>()) + "\n";
  text += "host:\n";
  for (const std::string_view name : kHostFacts) {
    Json fact = host.value(std::string(name), Json());
    if (fact.is_array()) fact = fact.size();
    if (is_writable(fact)) text += line(1, name, value_of(name, fact));
  }
  std::string backends;
  for (const system::Backend& backend : inventory.backends)
    if (is_available(inventory, backend.name)) backends += backend_text(backend);
  return backends.empty() ? text : text + "backends:\n" + backends;
}

}  // namespace assay::plan
