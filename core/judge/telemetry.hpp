// SPDX-License-Identifier: Apache-2.0
//
// What was read of a case's devices. Of a gauge, readings that came while samples were taken go before those of
// the rest of a visit, in which data are made and results checked. Of a counter, what was added in a visit
// counts, from the reading before its first sample to the one at its end; of errors, from the end of the device's
// visit before. Errors also count in attempts that
// were replaced: a device that was throttled meanwhile, or a run that was stopped, does not undo them.
#pragma once

#include "judge/case_result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::judge {

struct TelemetryReadings {
  std::vector<double> values;   // every reading; of a counter what was added, by device and visit
  bool during_samples = false;  // else no reading came meanwhile, and these are the whole visits'
  std::string missing;          // what nobody knows, or empty: then the values are all that there are
  std::string absent;           // which devices have no such quantity, if none of the case's has
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
  const catalog::TelemetryQuantity* declared =
      nullptr;                          // null: in a journal of a version that knew no declarations
  std::optional<TelemetryRange> range;  // of a gauge
  std::optional<double> added;          // of a counter that nobody reset, in all visits together
  bool during_samples = false;
};

// By device and quantity, in the order first seen.
[[nodiscard]] std::vector<TelemetrySummary> telemetry(const CaseResult& result);

// What a counter says of one device in one visit.
struct Increase {
  double added = 0;
  bool known = false;  // it was read twice or more, and never went down
  std::string reset;   // "fell from 5 to 0", or empty
};
[[nodiscard]] Increase increase_of(const result::Visit& visit, const std::string& device,
                                   const std::string& quantity);

// What each visit that counts for the quantity says of a device, known or not; of an attempt that was replaced
// only what is known.
struct VisitIncrease {
  const result::Visit* visit;
  Increase increase;
};
[[nodiscard]] std::vector<VisitIncrease> increases_of(const CaseResult& result, const std::string& device,
                                                      const catalog::TelemetryQuantity& quantity);

// What the backend of the case's devices declares by the name; null if nothing.
[[nodiscard]] const catalog::TelemetryQuantity* declaration_of(const CaseResult& result,
                                                               const std::string& quantity);
[[nodiscard]] bool is_counter(const catalog::TelemetryQuantity* quantity);

// The case's devices that have the quantity, by what the inventory says.
[[nodiscard]] std::vector<std::string> devices_with(const CaseResult& result, const std::string& quantity);

}  // namespace assay::judge
