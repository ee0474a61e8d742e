// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "check/checked_visit.hpp"
#include "check/checks.hpp"
#include "check/example_document.hpp"
#include "run/run.hpp"
#include "system/peaks.hpp"
#include "text/text.hpp"
#include "worker/requests.hpp"

#include <cstdlib>
#include <ctime>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::check {
namespace {

// The unit of the metric that a peak limits, from the plugin's own benchmarks or the contracts; "" if no metric names the peak.
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

// What results of devices are compared and reported by; empty if nothing is wrong.
std::string wrong_identity(const system::Backend& backend) {
  std::set<std::string> identities;
  for (const system::Device& device : backend.devices) {
    if (!device.uuid.empty() && !identities.insert(device.uuid).second)
      return "has the uuid '" + device.uuid + "' twice";
    if (device.model.empty()) return "does not say what model " + device.name + " is";
  }
  return {};
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
    if (!inventory.contains("devices")) return failed("its inventory has no array 'devices'");
    const system::Backend listed = run::read_backend(*subject.manifest(), inventory);
    if (const std::string wrong = wrong_identity(listed); !wrong.empty())
      return failed("its inventory " + wrong);
    for (const system::Device& device : listed.devices) names.push_back(device.name);
    if (names.empty()) return not_checked("it finds no device on this machine");
    if (std::string wrong = wrong_device(subject, inventory.at("devices")); !wrong.empty())
      return failed("its inventory's " + wrong);
  } catch (const Error& error) {
    // A machine without its devices is not a fault of the plugin.
    if (error.code() == "backend.unavailable") return not_checked(error.what());
    return failed(error.what());
  }
  subject.enter("read");
  const Json readings = worker::answer_read(plugin, {{"devices", names}});
  const std::set<std::string> known(names.begin(), names.end());
  if (std::string wrong = wrong_readings(subject, readings, known); !wrong.empty())
    return failed(std::move(wrong));
  subject.enter("visibility");
  (void)worker::answer_visibility(plugin, {{"devices", std::vector<std::string>{names.front()}}});
  return passed(count_of(names.size(), "device") + ", " + std::to_string(readings.at("readings").size()) +
                " readings");
}

namespace {

using ChosenOptions = std::vector<std::pair<std::string, std::string>>;

struct RenderedFiles {
  std::string text;     // of all files, with their names
  std::string refusal;  // why there is none
  friend bool operator==(const RenderedFiles&, const RenderedFiles&) = default;
};

RenderedFiles render(const worker::LoadedPlugin& plugin, const std::string& name,
                     const ChosenOptions& options) {
  static const std::string document = example_document();
  RenderedFiles rendering;
  try {
    for (const worker::RenderedFile& file :
         worker::answer_render(plugin, {{"reporter", name}, {"options", options}}, document))
      rendering.text += file.name.value_or("") + "\n" + file.data + "\n";
  } catch (const Error& error) {
    rendering.refusal = error.what();
  }
  return rendering;
}

// The same, where people live elsewhere.
RenderedFiles render_elsewhere(const worker::LoadedPlugin& plugin, const std::string& name,
                               const ChosenOptions& options) {
  ::setenv("TZ", "TST-13:30", 1);  // this process is the check's alone
  ::tzset();
  RenderedFiles rendering = render(plugin, name, options);
  ::unsetenv("TZ");
  ::tzset();
  return rendering;
}

// No options, and each value that there is to choose of one.
std::vector<ChosenOptions> choices_of(const catalog::Reporter& reporter) {
  std::vector<ChosenOptions> choices = {{}};
  for (const catalog::ReporterOption& option : reporter.options) {
    std::vector<std::string> values = option.values;
    if (option.type == "boolean") values = {"false", "true"};
    for (const std::string& value : values) choices.push_back({{option.name, value}});
  }
  return choices;
}

std::string name_with(const std::string& reporter, const ChosenOptions& options) {
  return "'" + reporter +
         (options.empty() ? "'" : ":" + options.front().first + "=" + options.front().second + "'");
}

}  // namespace

CheckVerdict check_reporter(const Subject& subject) {
  const auto& reporters = subject.manifest()->reporters;
  if (reporters.empty()) return skipped("it has no reporter");
  const worker::LoadedPlugin plugin = open_plugin(subject);
  std::string refused;
  std::size_t rendered = 0;
  for (const catalog::Reporter& reporter : reporters) {
    for (const ChosenOptions& options : choices_of(reporter)) {
      const std::string name = name_with(reporter.name, options);
      subject.enter("render as " + name);
      const RenderedFiles first = render(plugin, reporter.name, options);
      if (first != render(plugin, reporter.name, options))
        return failed(name + " renders the same document in two ways");
      if (first != render_elsewhere(plugin, reporter.name, options))
        return failed(name + " renders the same document in another way in another time zone");
      ++rendered;
      if (!first.refusal.empty() && refused.empty())
        refused = name + " renders no result of two cases, of which one failed: " + first.refusal;
    }
  }
  subject.enter("render as a reporter that it does not have");
  if (render(plugin, "no-such-reporter", {}).refusal.empty())
    return failed("it renders as 'no-such-reporter', which it does not have");
  if (!refused.empty()) return not_checked(refused);
  return passed(count_of(rendered, "rendering"));
}

}  // namespace assay::check
