// SPDX-License-Identifier: Apache-2.0
//
// Series that were recorded on H200 machines: tests/fixtures/traces.
#pragma once

#include "statistics/estimate.hpp"

#include <string>
#include <vector>

namespace assay::proof {

inline constexpr double kTick_s = 32e-9;

struct Record {
  const char* file;
  const char* name;
  double settled_s;  // what comes before is the warm-up
  statistics::Statistic headline;
  bool sustained;
};

[[nodiscard]] const std::vector<Record>& records();
// Seconds of each sample, from a cold start on.
[[nodiscard]] std::vector<double> read(const Record& record);
// The same without the warm-up.
[[nodiscard]] std::vector<double> settled(const Record& record);

}  // namespace assay::proof
