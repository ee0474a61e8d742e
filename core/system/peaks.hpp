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
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::system {

struct DevicePeak {
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
// in a table by data type; a peak that differs by type has no value for an empty or unlisted one. A peak that
// can't be one in `unit` (a base unit; "": any) is passed over; of a backend's, `refused` then says why.
[[nodiscard]] std::optional<DevicePeak> find_peak(const Json& tables, const Device& device,
                                                  const std::string& name, const std::string& dtype,
                                                  const std::string& unit = {},
                                                  std::string* refused = nullptr);

// What is wrong with the peaks that a backend gives for a device (facts.peaks), one sentence each: what is no
// finite number above zero, and what has another dimension than `unit_of(name)`, "" if that is not known.
[[nodiscard]] std::vector<std::string> wrong_peaks(
    const Json& peaks, const std::function<std::string(const std::string& name)>& unit_of);

}  // namespace assay::system
