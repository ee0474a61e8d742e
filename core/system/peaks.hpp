// SPDX-License-Identifier: Apache-2.0
//
// What the hardware can do at best, by device: cited tables (suites/devices/*.yaml, docs/reference/peaks.md)
// and what a backend measured itself. What is not known has no value; a share of an unknown peak is never
// shown.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "system/inventory.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay::system {

struct Peak {
  std::string name;    // "memory_bandwidth"
  double value = 0;    // in the base unit
  std::string unit;    // "B/s"; "" if a backend gave a bare number
  std::string source;  // "NVIDIA H200 datasheet, dense" or "measured: …"
};

// Reads every *.yaml of the folder in bytewise order into one JSON array of entries, numbers in base units:
// [{"name", "source", "match": {…}, "peaks": {name: {"value", "unit"} or {dtype: {"value", "unit"}}}}]. Fit
// for the journal. A folder that is not there gives an empty array. Problems go to diagnostics at their
// positions.
[[nodiscard]] Json read_peaks(const std::filesystem::path& folder, Diagnostics& diagnostics);
// The same for one file's text.
[[nodiscard]] Json parse_peaks(const std::string& file, const std::string& text, Diagnostics& diagnostics);

// A device's peak: what its backend measured (facts.peaks) before the first entry that matches. `dtype` picks
// in a table by data type; a peak that differs by type has no value for an empty or unlisted one.
[[nodiscard]] std::optional<Peak> find_peak(const Json& tables, const Device& device, const std::string& name,
                                            const std::string& dtype);

}  // namespace assay::system
