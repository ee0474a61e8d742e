// SPDX-License-Identifier: Apache-2.0
#include "judge/telemetry.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay::judge {
namespace {

// Calls visit(reading, whether it came while samples were taken).
template <class Visit>
void for_each_reading(const CaseResult& result, const Visit& visit) {
  for (const result::Visit* final : result.finals) {
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
    return meanwhile.empty() ? TelemetryReadings{all, false} : TelemetryReadings{meanwhile, true};
  }
};

}  // namespace

TelemetryReadings readings_of(const CaseResult& result, const std::string& quantity) {
  Both both;
  for_each_reading(result, [&](const result::Reading& reading, bool during_samples) {
    if (reading.quantity == quantity) both.add(reading.value, during_samples);
  });
  return both.better();
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
      found.push_back({reading.device, reading.quantity, {}});
      values.emplace_back();
    }
    values[index].add(reading.value, during_samples);
  });
  for (std::size_t i = 0; i < found.size(); ++i) {
    const TelemetryReadings readings = values[i].better();
    found[i].range = range_of(readings.values);
    found[i].during_samples = readings.during_samples;
  }
  return found;
}

}  // namespace assay::judge
