// SPDX-License-Identifier: Apache-2.0
//
// A table of peaks, asked for a device's peak.
#include "system/peaks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  assay::Diagnostics diagnostics;
  const assay::Json tables = assay::system::parse_peaks("peaks.yaml", text, diagnostics);
  assay::system::Device device;
  device.name = "cuda:0";
  device.model = "NVIDIA H200";
  static_cast<void>(assay::system::find_peak(tables, device, "memory_bandwidth", ""));
  static_cast<void>(assay::system::find_peak(tables, device, "compute", "bf16"));
  for (const assay::Diagnostic& one : diagnostics.sorted()) static_cast<void>(to_text(one, text));
  return 0;
}
