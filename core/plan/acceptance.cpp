// SPDX-License-Identifier: Apache-2.0
#include "plan/acceptance.hpp"

#include "plan/requirements.hpp"
#include "system/census.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::plan {
namespace {

// ">=2" leaves open how many there are.
bool states_a_number(const suite::Requires& requirement, const std::string& backend) {
  if (!requirement.devices || requirement.devices->value.starts_with(">=")) return false;
  const auto& backends = requirement.backends;
  return backends.empty() || std::any_of(backends.begin(), backends.end(),
                                         [&](const auto& named) { return named.value == backend; });
}

}  // namespace

std::vector<std::string> backends_in_use(const suite::Suite& suite, const Plan& plan) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty()) add_once(names, name);
  };
  // Of several in order of preference, those that cases run on.
  if (suite.requires_.backends.size() == 1) add(suite.requires_.backends.front().value);
  for (const PlannedCase& planned : plan.cases)
    if (planned.predetermined != result::Outcome::skipped) add(backend_of(planned));
  return names;
}

std::vector<Unmet> missing_devices(const suite::Suite& suite, const std::vector<std::string>& backends,
                                   const system::Inventory& inventory) {
  std::vector<Unmet> unmet;
  if (!suite.policy.complete.value) return unmet;
  const Position& position = suite.policy.complete.position;
  for (const std::string& name : backends) {
    if (!is_available(inventory, name)) continue;  // `requires` and the cases say so
    const auto census = system::census_of(*inventory.find(name));
    if (!census) {
      unmet.push_back(
          {"the backend " + name +
               " does not say which devices there should be, so 'policy: {complete: true}' cannot be met",
           position, "devices.unknown"});
      continue;
    }
    for (const system::Census::Gap& gap : census->missing) {
      unmet.push_back(
          {census->kind + " " + gap.device + " is missing" + (gap.why.empty() ? "" : ": " + gap.why),
           position, "devices.missing"});
    }
  }
  return unmet;
}

std::vector<Unmet> unstated_devices(const suite::Suite& suite, const std::vector<std::string>& backends,
                                    const system::Inventory& inventory, const Site* site) {
  std::vector<Unmet> unmet;
  if (!suite.policy.stated.value) return unmet;
  for (const std::string& name : backends) {
    if (!is_available(inventory, name)) continue;
    if (states_a_number(suite.requires_, name) || (site != nullptr && site->states_devices_of(name)))
      continue;
    // What an included suite requires, its cases require.
    std::size_t stated = 0, cases = 0;
    for (const suite::SuiteCase& one : suite.cases) {
      ++cases;
      stated += states_a_number(one.requires_, name) ? 1 : 0;
    }
    if (cases > 0 && stated == cases) continue;
    const std::string count = std::to_string(inventory.find(name)->devices.size());
    unmet.push_back({"nobody has stated how many devices " + name + " should have; " + count +
                         (count == "1" ? " is" : " are") + " here. If that is right: --require devices=" +
                         count + ", or --site FILE, as 'assay system --write-site FILE' writes it",
                     suite.policy.stated.position, "devices.unstated"});
  }
  return unmet;
}

}  // namespace assay::plan
