// SPDX-License-Identifier: Apache-2.0
#include "run/cooling.hpp"

#include "result/throttle.hpp"

#include <algorithm>

namespace assay::run {
namespace {

const std::string kTemperature = "temperature";

}  // namespace

Cooling::Cooling(const result::Visit& visit) {
  for (const result::Reading& reading : visit.telemetry)
    if (reading.quantity == kTemperature) cool_.emplace(reading.device, reading.value);
}

bool Cooling::is_over(const std::vector<result::Reading>& readings,
                      const std::vector<result::ThrottleReason>& reasons) const {
  if (result::is_throttled(reasons)) return false;
  return std::none_of(readings.begin(), readings.end(), [&](const result::Reading& reading) {
    if (reading.quantity != kTemperature) return false;
    const auto before = cool_.find(reading.device);
    return before != cool_.end() && reading.value > before->second;
  });
}

}  // namespace assay::run
