// SPDX-License-Identifier: Apache-2.0
#include "plan/requirements.hpp"

#include "base/quantity.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cstdlib>

namespace assay::plan {
namespace {

// Of a device's facts; docs/reference/inventory.md.
constexpr const char* kMemoryFact = "memory_bytes";

std::string data_text(double bytes) { return to_text(Quantity{bytes, Dimension{.data = 1}, false}); }

bool begins_with_digit(const std::string& text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

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
      return (at_least ? "at least " : "") + count_of(wanted, backend + " device") +
             (wanted == 1 ? " is" : " are") + " required; " + std::to_string(here) + " found";
    }
  }
  if (requirement.driver) {
    const std::string& wanted = requirement.driver->value;
    const auto fact = found.facts.find("driver");
    if (fact == found.facts.end() || !fact->is_string())
      return "driver " + wanted + " is required; the backend " + backend + " does not say which it has";
    if (const std::string here = fact->get<std::string>(); !is_that_version(here, wanted))
      return "driver " + wanted + " is required; " + backend + " has " + printable(here);
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

bool is_that_version(const std::string& here, const std::string& wanted) {
  const bool at_least = wanted.starts_with(">="), at_most = wanted.starts_with("<=");
  std::string number = wanted.substr(at_least || at_most ? 2 : 0);
  number.erase(0, number.find_first_not_of(' '));
  // A name has no order: "fake 1.0" is "fake 1.0" and nothing else.
  if (!begins_with_digit(here) || !begins_with_digit(number)) return here == wanted;
  std::vector<unsigned long> limit = version_parts(number), found = version_parts(here);
  found.resize(std::max(found.size(), limit.size()));
  if (at_least || at_most) {
    limit.resize(found.size());
    return at_least ? found >= limit : found <= limit;
  }
  return std::equal(limit.begin(), limit.end(), found.begin());
}

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
    if (!requirement.devices && !requirement.memory && !requirement.driver) return {};
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
