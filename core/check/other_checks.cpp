// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/text.hpp"
#include "check/checks.hpp"
#include "check/visit.hpp"
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

Verdict check_backend(const Subject& subject) {
  const std::string& backend = subject.manifest()->provides_backend;
  if (backend.empty()) return skipped("it provides no backend");
  const worker::Plugin plugin = open_plugin(subject);
  std::vector<std::string> names;
  subject.enter("inventory");
  try {
    names = checked_devices(worker::answer_inventory(plugin).at("json"), backend);
  } catch (const Error& error) {
    // A machine without its devices is no fault of the plugin.
    if (error.code() == "backend.unavailable") return not_checked(error.what());
    return failed(error.what());
  }
  if (names.empty()) return not_checked("it finds no device on this machine");
  subject.enter("read");
  const Json readings = worker::answer_read(plugin, {{"devices", names}});
  const std::set<std::string> known(names.begin(), names.end());
  for (const Json& row : readings.at("readings")) {
    if (!known.contains(row.at(0).get<std::string>()))
      return failed("read gives a reading of '" + row.at(0).get<std::string>() +
                    "', which is not in its inventory");
  }
  subject.enter("visibility");
  (void)worker::answer_visibility(plugin, {{"devices", std::vector<std::string>{names.front()}}});
  return passed(std::to_string(names.size()) + (names.size() == 1 ? " device, " : " devices, ") +
                std::to_string(readings.at("readings").size()) + " readings");
}

Verdict check_reporter(const Subject& subject) {
  const auto& reporters = subject.manifest()->reporters;
  if (reporters.empty()) return skipped("it has no reporter");
  const worker::Plugin plugin = open_plugin(subject);
  // The least that a document may be; what a reporter makes of it is its own matter.
  const std::string document = R"({"document_version": 1, "cases": []})";
  const auto rendered = [&](const std::string& name) {
    std::string all;
    try {
      (void)worker::answer_render(plugin,
                                  {{"reporter", name}, {"document", document}, {"options", Json::array()}},
                                  {}, [&](const Json& file) { all += file.dump(); });
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
