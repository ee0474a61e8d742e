// SPDX-License-Identifier: Apache-2.0
#include "judge/telemetry.hpp"

#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay::judge {
namespace {

// Calls visit(reading, whether it came while samples were taken).
template <class Visit>
void for_each_reading(const CaseResult& result, const Visit& visit) {
  for (const result::Visit* final : result.last_attempts) {
    for (const result::Reading& reading : final->telemetry)
      if (std::isfinite(reading.value)) visit(reading, result::is_during_samples(*final, reading.at_s));
  }
}

// One quantity's, in the two parts of visits.
struct Both {
  std::vector<double> meanwhile, all;

  void add(double value, bool during_samples) {
    all.push_back(value);
    if (during_samples) meanwhile.push_back(value);
  }
  [[nodiscard]] TelemetryReadings better() const {
    return meanwhile.empty() ? TelemetryReadings{all, false, {}, {}}
                             : TelemetryReadings{meanwhile, true, {}, {}};
  }
};

bool is_read_in(const result::Visit& visit, const std::string& device, const std::string& quantity) {
  return std::any_of(visit.telemetry.begin(), visit.telemetry.end(), [&](const result::Reading& reading) {
    return reading.device == device && reading.quantity == quantity && std::isfinite(reading.value);
  });
}

std::string in_which_round(const CaseResult& result, const result::Visit& visit) {
  return result.last_attempts.size() > 1 ? " in round " + std::to_string(visit.round) : std::string();
}

// Why it is not known what all devices that have the quantity gave, to the end of each visit.
std::string missing_readings(const CaseResult& result, const std::vector<std::string>& devices,
                             const std::string& quantity) {
  for (const result::Visit* visit : result.last_attempts) {
    for (const std::string& device : devices) {
      if (!is_read_in(*visit, device, quantity)) {
        return "'" + quantity + "' was not read on " + device + in_which_round(result, *visit) +
               (visit->telemetry_problem.empty() ? "" : ": " + printable(visit->telemetry_problem));
      }
    }
    if (!visit->telemetry_problem.empty())
      return "'" + quantity + "' is not known to the end" + in_which_round(result, *visit) + ": " +
             printable(visit->telemetry_problem);
  }
  return {};
}

TelemetryReadings readings_of_counter(const CaseResult& result, const std::vector<std::string>& devices,
                                      const catalog::TelemetryQuantity& quantity) {
  TelemetryReadings found;
  for (const std::string& device : devices)
    for (const auto& [visit, increase] : increases_of(result, device, quantity)) {
      if (increase.known)
        found.values.push_back(increase.added);
      else if (found.missing.empty())
        found.missing = "'" + quantity.name + "' of " + device + " " +
                        (increase.reset.empty() ? "was read once" : increase.reset) +
                        in_which_round(result, *visit) + ", so nobody knows what was added";
    }
  found.during_samples = true;  // an increase holds them
  return found;
}

}  // namespace

const catalog::TelemetryQuantity* declaration_of(const CaseResult& result, const std::string& quantity) {
  const catalog::Manifest* backend = result.planned->device_backend;
  return backend == nullptr ? nullptr : backend->quantity(quantity);
}

bool is_counter(const catalog::TelemetryQuantity* quantity) {
  return quantity != nullptr && quantity->kind == catalog::QuantityKind::counter;
}

std::vector<std::string> devices_with(const CaseResult& result, const std::string& quantity) {
  std::vector<std::string> devices = plan::devices_of(*result.planned);
  std::erase_if(devices, [&](const std::string& device) {
    const auto lacks = result.lacking.find(device);
    return lacks != result.lacking.end() && lacks->second.contains(quantity);
  });
  return devices;
}

Increase increase_of(const result::Visit& visit, const std::string& device, const std::string& quantity) {
  Increase increase;
  std::optional<double> first, last;
  for (const result::Reading& reading : visit.telemetry) {
    if (reading.device != device || reading.quantity != quantity || !std::isfinite(reading.value)) continue;
    if (last && reading.value < *last && increase.reset.empty())
      increase.reset = "fell from " + shortest(*last) + " to " + shortest(reading.value);
    if (first) increase.known = true;
    if (!first) first = reading.value;
    last = reading.value;
  }
  increase.known = increase.known && increase.reset.empty();
  if (increase.known) increase.added = *last - *first;
  return increase;
}

std::vector<VisitIncrease> increases_of(const CaseResult& result, const std::string& device,
                                        const catalog::TelemetryQuantity& quantity) {
  std::vector<VisitIncrease> found;
  for (const result::Visit* visit : result.visits) {
    const bool replaced = !contains(result.last_attempts, visit);
    if (replaced && quantity.above_zero == catalog::AboveZero::is_normal) continue;
    Increase increase = increase_of(*visit, device, quantity.name);
    if (increase.known || !replaced) found.push_back({visit, std::move(increase)});
  }
  return found;
}

TelemetryReadings readings_of(const CaseResult& result, const std::string& quantity) {
  const std::vector<std::string> all = plan::devices_of(*result.planned);
  const std::vector<std::string> devices = devices_with(result, quantity);
  TelemetryReadings found;
  if (devices.empty() && !all.empty()) {
    found.absent = join(all, ", ") + (all.size() == 1 ? " has" : " have") + " no '" + quantity + "'";
    return found;
  }
  const std::string missing = missing_readings(result, devices, quantity);
  const catalog::TelemetryQuantity* declared = declaration_of(result, quantity);
  if (is_counter(declared)) {
    found = readings_of_counter(result, devices, *declared);
  } else {
    Both both;
    for_each_reading(result, [&](const result::Reading& reading, bool during_samples) {
      if (reading.quantity == quantity) both.add(reading.value, during_samples);
    });
    found = both.better();
  }
  if (!missing.empty()) found.missing = missing;
  return found;
}

TelemetryRange range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {*low, sum / static_cast<double>(values.size()), *high};
}

std::vector<TelemetrySummary> telemetry(const CaseResult& result) {
  std::vector<TelemetrySummary> found;
  std::vector<Both> values;
  for_each_reading(result, [&](const result::Reading& reading, bool during_samples) {
    const auto at = std::find_if(found.begin(), found.end(), [&](const TelemetrySummary& t) {
      return t.device == reading.device && t.quantity == reading.quantity;
    });
    const auto index = static_cast<std::size_t>(at - found.begin());
    if (at == found.end()) {
      TelemetrySummary& fresh = found.emplace_back();
      fresh.device = reading.device;
      fresh.quantity = reading.quantity;
      fresh.declared = declaration_of(result, reading.quantity);
      values.emplace_back();
    }
    values[index].add(reading.value, during_samples);
  });
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (is_counter(found[i].declared)) {
      double added = 0;
      bool known = true;
      for (const VisitIncrease& each : increases_of(result, found[i].device, *found[i].declared)) {
        known = known && each.increase.known;
        added += each.increase.added;
      }
      if (known) found[i].added = added;
      continue;
    }
    const TelemetryReadings readings = values[i].better();
    found[i].range = range_of(readings.values);
    found[i].during_samples = readings.during_samples;
  }
  return found;
}

}  // namespace assay::judge
