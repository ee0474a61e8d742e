// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "check/checked_visit.hpp"
#include "check/checks.hpp"
#include "system/peaks.hpp"
#include "text/text.hpp"
#include "worker/requests.hpp"

#include <set>
#include <string>
#include <vector>

namespace assay::check {
namespace {

// "acme:0" of the backend acme.
bool names_device(const std::string& name, const std::string& backend) {
  const std::string prefix = backend + ":";
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

// The unit of what a peak limits, as the plugin's own benchmarks and the contracts say; "" if none names it.
std::string unit_of_peak(const Subject& subject, const std::string& peak) {
  const auto in = [&](const catalog::Benchmark& benchmark) -> std::string {
    for (const catalog::MetricDeclaration& metric : benchmark.metrics)
      if (metric.peak == peak) return metric.unit;
    return {};
  };
  for (const catalog::Benchmark& benchmark : subject.manifest()->benchmarks)
    if (std::string unit = in(benchmark); !unit.empty()) return unit;
  for (const catalog::Contract& contract : subject.contracts().contracts())
    if (std::string unit = in(contract.benchmark); !unit.empty()) return unit;
  return {};
}

// What is wrong with the peaks and with what devices lack, by device; empty if nothing is.
std::string wrong_device(const Subject& subject, const Json& devices) {
  for (const Json& device : devices) {
    const std::string name = device.at("name").get<std::string>();
    if (const auto facts = device.find("facts"); facts != device.end() && facts->is_object())
      if (const auto peaks = facts->find("peaks"); peaks != facts->end()) {
        const auto wrong =
            system::wrong_peaks(*peaks, [&](const std::string& peak) { return unit_of_peak(subject, peak); });
        if (!wrong.empty()) return name + ": " + join(wrong, "; ");
      }
    const auto lacks = device.find("lacks");
    if (lacks == device.end()) continue;
    if (!lacks->is_array()) return name + ": 'lacks' is not an array of quantities";
    for (const Json& quantity : *lacks)
      if (!quantity.is_string() || subject.manifest()->quantity(quantity.get<std::string>()) == nullptr)
        return name + ": 'lacks' names " + printable(quantity.dump()) +
               ", which the manifest does not declare";
  }
  return {};
}

// What read gave that the manifest does not declare, or of a device that is not there; empty if nothing.
std::string wrong_readings(const Subject& subject, const Json& readings, const std::set<std::string>& known) {
  for (const Json& row : readings.at("readings")) {
    if (!known.contains(row.at(0).get<std::string>()))
      return "read gives a reading of '" + printable(row.at(0).get<std::string>()) +
             "', which is not in its inventory";
    if (subject.manifest()->quantity(row.at(1).get<std::string>()) == nullptr)
      return "read gives '" + printable(row.at(1).get<std::string>()) +
             "', which 'telemetry' of its manifest does not declare";
  }
  for (const Json& row : readings.at("reasons")) {
    const std::string reason = row.at(1).get<std::string>();
    if (reason != catalog::kLost && subject.manifest()->reason(reason) == nullptr)
      return "read gives the reason '" + printable(reason) +
             "', which 'reasons' of its manifest does not declare";
  }
  return {};
}

// The names of the devices, after what is wrong with them was thrown as an Error.
std::vector<std::string> checked_devices(const Json& inventory, const std::string& backend) {
  const auto wrong = [](const std::string& what) -> Error {
    return {"plugin.protocol", "its inventory " + what};
  };
  const auto devices = inventory.find("devices");
  if (devices == inventory.end() || !devices->is_array()) throw wrong("has no array 'devices'");
  std::vector<std::string> names;
  std::set<std::string> identities;
  for (const Json& device : *devices) {
    const std::string name = device.is_object() ? device.value("name", std::string()) : std::string();
    if (!names_device(name, backend))
      throw wrong("has a device '" + printable(name) + "'; names are '" + backend + ":0', '" + backend +
                  ":1', …");
    const std::string uuid = device.value("uuid", std::string());
    if (!uuid.empty() && !identities.insert(uuid).second)
      throw wrong("has the uuid '" + printable(uuid) + "' twice");
    if (device.value("model", std::string()).empty()) throw wrong("does not say what model " + name + " is");
    names.push_back(name);
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    throw wrong("has a device twice");
  return names;
}

}  // namespace

CheckVerdict check_backend(const Subject& subject) {
  const std::string& backend = subject.manifest()->provides_backend;
  if (backend.empty()) return skipped("it provides no backend");
  const worker::LoadedPlugin plugin = open_plugin(subject);
  std::vector<std::string> names;
  subject.enter("inventory");
  try {
    const Json inventory = worker::answer_inventory(plugin).at("json");
    names = checked_devices(inventory, backend);
    if (std::string wrong = wrong_device(subject, inventory.at("devices")); !wrong.empty())
      return failed("its inventory's " + wrong);
  } catch (const Error& error) {
    // A machine without its devices is not a fault of the plugin.
    if (error.code() == "backend.unavailable") return not_checked(error.what());
    return failed(error.what());
  }
  if (names.empty()) return not_checked("it finds no device on this machine");
  subject.enter("read");
  const Json readings = worker::answer_read(plugin, {{"devices", names}});
  const std::set<std::string> known(names.begin(), names.end());
  if (std::string wrong = wrong_readings(subject, readings, known); !wrong.empty())
    return failed(std::move(wrong));
  subject.enter("visibility");
  (void)worker::answer_visibility(plugin, {{"devices", std::vector<std::string>{names.front()}}});
  return passed(std::to_string(names.size()) + (names.size() == 1 ? " device, " : " devices, ") +
                std::to_string(readings.at("readings").size()) + " readings");
}

CheckVerdict check_reporter(const Subject& subject) {
  const auto& reporters = subject.manifest()->reporters;
  if (reporters.empty()) return skipped("it has no reporter");
  const worker::LoadedPlugin plugin = open_plugin(subject);
  // The least that a document may be; what a reporter makes of it is its own matter.
  const std::string document = R"({"document_version": 1, "cases": []})";
  const auto rendered = [&](const std::string& name) {
    std::string all;
    try {
      for (const worker::RenderedFile& file :
           worker::answer_render(plugin, {{"reporter", name}, {"options", Json::array()}}, document))
        all += file.name.value_or("") + "\n" + file.data + "\n";
    } catch (const Error& error) {
      all = std::string("error: ") + error.what();
    }
    return all;
  };
  for (const catalog::Reporter& reporter : reporters) {
    subject.enter("render as '" + reporter.name + "'");
    const std::string first = rendered(reporter.name);
    if (first != rendered(reporter.name))
      return failed("'" + reporter.name + "' renders the same document in two ways");
  }
  subject.enter("render as a reporter that it does not have");
  if (!rendered("no-such-reporter").starts_with("error: "))
    return failed("it renders as 'no-such-reporter', which it does not have");
  return passed();
}

}  // namespace assay::check
