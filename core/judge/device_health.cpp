// SPDX-License-Identifier: Apache-2.0
#include "judge/device_health.hpp"

#include "judge/telemetry.hpp"
#include "result/throttle.hpp"
#include "text/quantity_text.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace assay::judge {
namespace {

using result::Outcome;

// Something that a device told.
struct Told {
  std::string device, text;
  std::string domain;  // "xid" of xid_79
  std::int64_t number = 0;
};

// "xid_79": the number that the driver knows it by.
void split_number(const std::string& reason, Told& told) {
  const std::size_t at = reason.rfind('_');
  if (at == std::string::npos) return;
  const char* const end = reason.data() + reason.size();
  std::int64_t number = 0;
  if (std::from_chars(reason.data() + at + 1, end, number).ptr != end || at + 1 == reason.size()) return;
  told.domain = reason.substr(0, at);
  told.number = number;
}

// Reasons of one meaning, each device's and each reason's once. What lasts for a moment goes with the attempt
// that is replaced; a fault does not.
std::vector<Told> reasons_of(const CaseResult& result, const std::string& meaning) {
  std::vector<Told> found;
  const catalog::Manifest* backend = result.planned->device_backend;
  for (const result::Throttling& each :
       result::throttling(result::is_momentary(meaning) ? result.last_attempts : result.visits,
                          plan::meaning_of(*result.planned))) {
    if (each.meaning != meaning) continue;
    Told told{each.device, each.reason, {}, 0};
    if (const catalog::DeviceReason* declared = backend->reason(each.reason);
        declared != nullptr && !declared->summary.empty())
      told.text += " (" + declared->summary + ")";
    if (result::is_momentary(meaning)) told.text += " in " + percent_text(each.share) + " of the readings";
    split_number(each.reason, told);
    found.push_back(std::move(told));
  }
  return found;
}

// The largest reading of a gauge, or what was added to a counter, in all attempts.
std::optional<double> most_of(const CaseResult& result, const std::string& device,
                              const catalog::TelemetryQuantity& quantity) {
  std::optional<double> most;
  if (quantity.kind == catalog::QuantityKind::counter) {
    for (const VisitIncrease& each : increases_of(result, device, quantity))
      if (each.increase.known) most = most.value_or(0) + each.increase.added;
    return most;
  }
  for (const result::Visit* visit : result.visits)
    for (const result::Reading& reading : visit->telemetry)
      if (reading.device == device && reading.quantity == quantity.name && std::isfinite(reading.value))
        most = std::max(most.value_or(reading.value), reading.value);
  return most;
}

// Quantities that were above zero, of those that are declared to be worth it.
std::vector<Told> grown(const CaseResult& result, catalog::AboveZero wanted) {
  std::vector<Told> found;
  const catalog::Manifest* backend = result.planned->device_backend;
  if (backend == nullptr) return found;
  for (const std::string& device : plan::devices_of(*result.planned))
    for (const catalog::TelemetryQuantity& quantity : backend->telemetry) {
      if (quantity.above_zero != wanted) continue;
      const std::optional<double> most = most_of(result, device, quantity);
      if (!most || *most <= 0) continue;
      const bool counter = quantity.kind == catalog::QuantityKind::counter;
      found.push_back({device,
                       quantity.name + (counter ? " grew by " : " is ") +
                           quantity_text(*most, quantity.unit) +
                           (quantity.summary.empty() ? "" : " (" + quantity.summary + ")"),
                       quantity.name, std::llround(std::min(*most, 1e15))});
    }
  return found;
}

// "cuda:0 (serial 1653724049130)".
std::string named(const std::string& device, const system::Inventory& inventory) {
  const system::Device* known = inventory.find_device(device);
  if (known == nullptr) return device;
  const auto serial = known->facts.find("serial");
  if (serial != known->facts.end() && serial->is_string())
    return device + " (serial " + printable(serial->get_ref<const std::string&>()) + ")";
  return known->uuid.empty() ? device : device + " (" + known->uuid + ")";
}

std::string told_text(const std::vector<Told>& told, const system::Inventory* inventory) {
  std::string text;
  for (const Told& each : told)
    text += (text.empty() ? "" : "; ") + (inventory ? named(each.device, *inventory) : each.device) + ": " +
            each.text;
  return text;
}

// The outcome stays with a case that had no end of its own.
bool had_an_end(Outcome outcome) {
  return outcome == Outcome::passed || outcome == Outcome::failed || outcome == Outcome::invalid ||
         outcome == Outcome::skipped;
}

void blame(CaseResult& result, const char* code, const std::vector<Told>& told,
           const system::Inventory& inventory) {
  const std::string before = result.reason.text;
  result::Reason reason;
  reason.code = code;
  reason.text = told_text(told, &inventory) + (before.empty() ? "" : "; " + before);
  reason.device = told.front().device;
  reason.domain = told.front().domain;
  reason.number = told.front().number;
  reason.phase = result.reason.phase;
  reason.rank = result.reason.rank;
  result.reason = std::move(reason);
}

}  // namespace

void find_lacking(CaseResult& result, const system::Inventory& inventory) {
  for (const std::string& name : plan::devices_of(*result.planned))
    if (const system::Device* device = inventory.find_device(name); device && !device->lacks.empty())
      result.lacking[name] = {device->lacks.begin(), device->lacks.end()};
}

void flag_devices(CaseResult& result) {
  std::vector<Told> told = reasons_of(result, catalog::kTold);
  for (Told& each : grown(result, catalog::AboveZero::is_told)) told.push_back(std::move(each));
  if (!told.empty()) result.flags.push_back({"device_told", told_text(told, nullptr)});
  std::vector<Told> reset;
  for (const result::Visit* visit : result.last_attempts) {
    if (!visit->telemetry_problem.empty() && model::find_flag(result.flags, "telemetry_failed") == nullptr)
      result.flags.push_back({"telemetry_failed", printable(visit->telemetry_problem)});
    const catalog::Manifest* backend = result.planned->device_backend;
    if (backend == nullptr) continue;
    for (const std::string& device : plan::devices_of(*result.planned))
      for (const catalog::TelemetryQuantity& quantity : backend->telemetry) {
        if (quantity.kind != catalog::QuantityKind::counter) continue;
        const Increase increase = increase_of(*visit, device, quantity.name);
        if (!increase.reset.empty())
          reset.push_back({device, quantity.name + " " + increase.reset + ": it was reset", {}, 0});
      }
  }
  if (!reset.empty()) result.flags.push_back({"counter_reset", told_text(reset, nullptr)});
}

void blame_devices(CaseResult& result, const system::Inventory& inventory) {
  if (result.last_attempts.empty() || result.planned->device_backend == nullptr) return;
  if (result.reason.code == "device.lost") return;  // says it already, and withdraws the device
  const std::vector<Told> faults = reasons_of(result, catalog::kFault);
  const std::vector<Told> errors = grown(result, catalog::AboveZero::fails);
  if (!faults.empty() || !errors.empty()) {
    if (!errors.empty() && !faults.empty()) {
      std::vector<Told> both = faults;
      both.insert(both.end(), errors.begin(), errors.end());
      blame(result, "device.fault", both, inventory);
    } else {
      blame(result, faults.empty() ? "device.errors" : "device.fault", faults.empty() ? errors : faults,
            inventory);
    }
    if (had_an_end(result.outcome)) result.outcome = Outcome::failed;
    return;
  }
  if (result.outcome != Outcome::passed && result.outcome != Outcome::invalid &&
      result.reason.code != "device.throttled")
    return;
  const std::vector<Told> shared = reasons_of(result, catalog::kShared);
  if (shared.empty()) return;
  blame(result, "device.shared", shared, inventory);
  result.outcome = Outcome::invalid;
}

}  // namespace assay::judge
