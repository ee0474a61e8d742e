// SPDX-License-Identifier: Apache-2.0
//
// What healthy devices, or runs on one machine, reach: a file that people read and commit (docs/how-to/accept-a-node.md).
#pragma once

#include "base/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::baseline {

// One metric of rows that differ in their devices only.
struct BandRow {
  std::string row;               // as in a comparison key: "gemm[dtype=bf16]"
  std::string metric;            // without an index
  double mean = 0;               // geometric, above 0
  std::string unit;              // of it, in base units
  double deviation_percent = 0;  // standard deviation of the logarithms, above 0
  std::uint64_t count = 0;       // of devices or runs, at least 8
  std::string work;              // what was measured: work_of()
};

// The rows of devices of one kind. Empty members are unknown: the devices do not report them.
struct Band {
  std::string model;
  std::optional<double> power_limit_w;
  std::string oldest_driver, newest_driver;
  std::string device;  // of runs on one device: which one it was; "" for a band of devices
  std::vector<BandRow> rows;
};

struct Baseline {
  std::uint64_t version = 1;
  std::string suite;  // which it was made by; a name, nothing else hangs on it
  std::vector<Band> bands;
};

// What a case sets itself; nullopt: the variable is removed.
using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

// A digest of what is measured, independent of the suite's name and limits. `conditions` as in results.
[[nodiscard]] std::string work_of(const std::string& benchmark, const std::string& backend,
                                  std::uint64_t revision, Json parameters, Json conditions,
                                  const std::vector<std::string>& command, int ranks, const std::string& load,
                                  const std::string& bind, const Environment& environment = {});

[[nodiscard]] std::string to_yaml(const Baseline& baseline);
// Throws Error "baseline.malformed", with the file and the place: also for keys that it does not know, and for a row
// that stands in two bands of which a device may be.
[[nodiscard]] Baseline from_yaml(const std::string& file, const std::string& text);

// Compares versions number by number: 580.65.06 comes before 580.126.
[[nodiscard]] bool is_older(const std::string& version, const std::string& than);

}  // namespace assay::baseline
