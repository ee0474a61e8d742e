// SPDX-License-Identifier: Apache-2.0
#include "run/cooling.hpp"

#include "result/throttle.hpp"

#include <algorithm>

namespace assay::run {
Cooling::Cooling(const result::Visit& visit, const catalog::Manifest* backend) : backend_(backend) {
  for (const result::Reading& reading : visit.telemetry)
    if (is_temperature(reading.quantity))
      cool_.emplace(std::pair(reading.device, reading.quantity), reading.value);
}

bool Cooling::is_temperature(const std::string& quantity) const {
  const catalog::TelemetryQuantity* declared = backend_ == nullptr ? nullptr : backend_->quantity(quantity);
  return declared != nullptr && declared->unit == "C";
}

bool Cooling::is_over(const std::vector<result::Reading>& readings,
                      const std::vector<result::ThrottleReason>& reasons) const {
  const auto meaning = [&](const std::string& reason) { return catalog::meaning_of(backend_, reason); };
  if (result::is_throttled(reasons, meaning)) return false;
  return std::none_of(readings.begin(), readings.end(), [&](const result::Reading& reading) {
    const auto before = cool_.find({reading.device, reading.quantity});
    return before != cool_.end() && reading.value > before->second;
  });
}

}  // namespace assay::run
