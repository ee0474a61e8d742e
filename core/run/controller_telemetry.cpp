// SPDX-License-Identifier: Apache-2.0
//
// What the controller does with readings of devices.
#include "result/throttle.hpp"
#include "run/controller.hpp"
#include "run/cooling.hpp"
#include "run/heartbeat.hpp"
#include "text/clock.hpp"
#include "text/lookup.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::run {

namespace {

// What is declared by the name; null if that is no counter.
const catalog::TelemetryQuantity* counter_of(const plan::PlannedCase& planned, const std::string& name) {
  const catalog::TelemetryQuantity* quantity =
      planned.device_backend == nullptr ? nullptr : planned.device_backend->quantity(name);
  return quantity != nullptr && quantity->kind == catalog::QuantityKind::counter ? quantity : nullptr;
}

bool counts_errors(const catalog::TelemetryQuantity* counter) {
  return counter != nullptr && counter->above_zero != catalog::AboveZero::is_normal;
}

}  // namespace

void Controller::begin_reading(const plan::PlannedCase& planned, result::Visit& visit) {
  BackendProcess* const source = backend(plan::backend_of(planned));
  const std::vector<std::string> devices = plan::devices_of(planned);
  if (source == nullptr || devices.empty()) return;
  // What came after the last visit's end belongs to no visit.
  static_cast<void>(source->take_readings());
  for (result::ThrottleReason& late : source->take_throttle()) {
    // That a device is gone still holds.
    if (late.reason == catalog::kLost && contains(devices, late.device))
      visit.throttle.push_back(std::move(late));
  }
  for (result::ThrottleReason& told : std::exchange(told_while_cooling_, {}))
    if (contains(devices, told.device)) visit.throttle.push_back(std::move(told));
  const double now_s = monotonic_s();
  const bool known = std::all_of(devices.begin(), devices.end(), [&](const std::string& device) {
    const auto at = read_at_s_.find(device);
    return at != read_at_s_.end() && now_s - at->second <= settings_.telemetry_every_s;
  });
  std::map<std::string, double> newest;
  for (const result::Reading& reading : latest_) {
    double& at_s = newest[reading.device];
    at_s = std::max(at_s, reading.at_s);
  }
  // Where the last visit's end was a moment ago, its last reading is this one's first. Errors that a device counts while
  // it is not measured are told by its next visit, whenever that is, or nobody would tell them.
  for (const result::Reading& reading : latest_) {
    if (!contains(devices, reading.device)) continue;
    const catalog::TelemetryQuantity* const counter = counter_of(planned, reading.quantity);
    const bool is_this_first = known && counter != nullptr && reading.at_s == newest.at(reading.device);
    if (is_this_first || counts_errors(counter)) visit.telemetry.push_back(reading);
  }
  if (known) return;
  source->read_now(now_s, devices);
  await_reading(*source, devices);
  take_telemetry(*source, devices, visit);
}

// What was asked during a visit belongs to it, and so does what happened since: errors that a driver logs are
// told once, to whoever reads next.
void Controller::finish_reading(BackendProcess& source, const std::vector<std::string>& devices,
                                result::Visit& visit) {
  await_reading(source, devices);
  if (!stop_ || stop_().count == 0) source.read_now(monotonic_s(), devices);
  await_reading(source, devices);
  take_telemetry(source, devices, visit);
  for (const std::string& device : devices) read_at_s_[device] = monotonic_s();
}

void Controller::await_reading(BackendProcess& source, const std::vector<std::string>& devices) {
  while (source.is_reading() && (!stop_ || stop_().count == 0)) {
    polled_.clear();
    source.collect(polled_);
    const double until_s = std::min(source.next_tick_s(), monotonic_s() + kHeartbeat_s);
    if (poll(polled_.data(), polled_.size(), wait_ms(until_s)) > 0) source.pump(polled_);
    if (source.is_reading()) source.tick(monotonic_s(), devices);  // which gives it up in the end
  }
}

void Controller::take_telemetry(BackendProcess& source, const std::vector<std::string>& devices,
                                result::Visit& visit) {
  for (result::Reading& reading : source.take_readings()) {
    if (!contains(devices, reading.device)) continue;
    keep_latest(reading);
    visit.telemetry.push_back(std::move(reading));
  }
  for (result::ThrottleReason& throttle : source.take_throttle()) {
    if (contains(devices, throttle.device)) visit.throttle.push_back(std::move(throttle));
  }
  for (std::string& note : source.take_notes()) visit.notes.push_back(std::move(note));
  visit.telemetry_problem = source.telemetry_problem();
}

void Controller::keep_latest(const result::Reading& reading) {
  const auto same = [&](const result::Reading& other) {
    return other.device == reading.device && other.quantity == reading.quantity;
  };
  if (const auto found = std::find_if(latest_.begin(), latest_.end(), same); found != latest_.end()) {
    *found = reading;
  } else {
    latest_.push_back(reading);
  }
}

std::optional<std::string> Controller::cool_down(const plan::PlannedCase& planned,
                                                 const result::Visit& throttled) {
  BackendProcess* const source = backend(plan::backend_of(planned));
  const std::vector<std::string> devices = plan::devices_of(planned);
  const Cooling cooling(throttled, planned.device_backend);
  const double begin_s = monotonic_s();
  bool over = false;
  while (!over && monotonic_s() < begin_s + settings_.cooldown_s) {
    if (source == nullptr || std::isinf(source->next_tick_s()) || (stop_ && stop_().count > 0)) return {};
    poll(nullptr, 0, wait_ms(source->next_tick_s()));
    source->tick(monotonic_s(), devices);
    await_reading(*source, devices);
    const std::vector<result::Reading> readings = source->take_readings();
    std::vector<result::ThrottleReason> reasons = source->take_throttle();
    over = !readings.empty() && cooling.is_over(readings, reasons);
    for (result::ThrottleReason& each : reasons) {
      const std::string meaning = catalog::meaning_of(planned.device_backend, each.reason);
      if (!meaning.empty() && !result::is_momentary(meaning)) told_while_cooling_.push_back(std::move(each));
    }
    for (const result::Reading& reading : readings)
      if (!counts_errors(counter_of(planned, reading.quantity)))
        keep_latest(reading);  // which the next visit tells
    tell(RunProgress::Kind::cooling, planned, nullptr);
  }
  return fmt::format("attempt {} was throttled; after {:.0f} s {}", throttled.attempt,
                     monotonic_s() - begin_s,
                     over ? "its devices had recovered" : "its devices had not recovered");
}

}  // namespace assay::run
