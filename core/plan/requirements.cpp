// SPDX-License-Identifier: Apache-2.0
#include "plan/requirements.hpp"

#include "base/quantity.hpp"

#include <cstdlib>

namespace assay::plan {
namespace {

// Of a device's facts; docs/reference/inventory.md.
constexpr const char* kMemoryFact = "memory_bytes";

std::string counted(std::size_t n, const std::string& backend) {
  return std::to_string(n) + " " + backend + (n == 1 ? " device" : " devices");
}

std::string data_text(double bytes) { return to_text(Quantity{bytes, Dimension{.data = 1}, false}); }

// What one backend lacks, or "".
std::string lacking(const suite::Requires& requirement, const std::string& backend,
                    const system::Inventory& inventory) {
  if (!is_available(inventory, backend)) return why_unavailable(inventory, backend);
  const system::Backend& found = *inventory.find(backend);
  if (requirement.devices) {
    const std::string& text = requirement.devices->value;
    const bool at_least = text.starts_with(">=");
    const auto wanted =
        static_cast<std::size_t>(std::strtoul(text.c_str() + (at_least ? 2 : 0), nullptr, 10));
    const std::size_t here = found.devices.size();
    if (at_least ? here < wanted : here != wanted) {
      return (at_least ? "at least " : "") + counted(wanted, backend) + (wanted == 1 ? " is" : " are") +
             " required; " + std::to_string(here) + " found";
    }
  }
  if (requirement.memory) {
    const auto wanted = parse_quantity(requirement.memory->value);
    for (const system::Device& device : found.devices) {
      const auto fact = device.facts.find(kMemoryFact);
      if (fact == device.facts.end() || !fact->is_number())
        return device.name + " does not say how much memory it has";
      if (wanted && fact->get<double>() < wanted->value) {
        return requirement.memory->value + " of memory is required on each device; " + device.name + " has " +
               data_text(fact->get<double>());
      }
    }
  }
  return "";
}

}  // namespace

bool is_available(const system::Inventory& inventory, const std::string& backend) {
  const system::Backend* found = inventory.find(backend);
  return found != nullptr && !found->devices.empty();
}

std::string why_unavailable(const system::Inventory& inventory, const std::string& backend) {
  const system::Backend* found = inventory.find(backend);
  std::string text = "no " + backend + " device is there";
  if (found == nullptr) {
    text += ": no plugin provides the backend";
  } else if (!found->unavailable.empty()) {
    text += ": " + found->unavailable;
  }
  return text;
}

std::vector<std::string> unmet(const suite::Requires& requirement, const std::vector<std::string>& otherwise,
                               const system::Inventory& inventory) {
  std::vector<std::string> backends = otherwise;
  if (!requirement.backends.empty()) {
    backends.clear();
    for (const auto& backend : requirement.backends) backends.push_back(backend.value);
  }
  if (backends.empty()) {
    if (!requirement.devices && !requirement.memory) return {};
    for (const system::Backend& backend : inventory.backends) backends.push_back(backend.name);
  }
  std::vector<std::string> missing;
  for (const std::string& backend : backends) {
    std::string text = lacking(requirement, backend, inventory);
    if (text.empty()) return {};
    missing.push_back(std::move(text));
  }
  return missing;
}

}  // namespace assay::plan
