// SPDX-License-Identifier: Apache-2.0
//
// What was read of a case's devices. Readings that came while samples were taken go before those of the rest
// of a visit, in which data are made and results checked.
#pragma once

#include "judge/case_result.hpp"

#include <string>
#include <vector>

namespace assay::judge {

struct TelemetryReadings {
  std::vector<double> values;
  bool during_samples = false;  // else no reading came meanwhile, and these are the whole visits'
};

// Of one quantity of all devices of the case, all visits that count together; those that are not finite are
// left out.
[[nodiscard]] TelemetryReadings readings_of(const CaseResult& result, const std::string& quantity);

struct TelemetryRange {
  double minimum = 0, mean = 0, maximum = 0;
};

// Of one reading or more.
[[nodiscard]] TelemetryRange range_of(const std::vector<double>& values);

struct TelemetrySummary {
  std::string device, quantity;
  TelemetryRange range;
  bool during_samples = false;
};

// By device and quantity, in the order first seen.
[[nodiscard]] std::vector<TelemetrySummary> telemetry(const CaseResult& result);

}  // namespace assay::judge
