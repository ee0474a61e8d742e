// SPDX-License-Identifier: Apache-2.0
//
// All that the backend reads of a GPU and all reasons that it gives: the one table that the manifest and the
// reads are made from.
#pragma once

#include "cuda/telemetry.hpp"

#include <assay/backend.hpp>

#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::cuda {

struct Quantity {
  const char* name;
  Unit unit;
  bool counter;
  AboveZero above_zero;
  const char* summary;
  std::optional<double> (*read)(const Nvml& nvml, const Watched& watched);
};

[[nodiscard]] const std::vector<Quantity>& quantities();

// Those that the library says the device does not have, and never will; an error of a read is not that. Links
// are not there if none is up. Corrected and uncorrected errors are there on a board that could count them, even
// if that is switched off: nobody may take it for healthy then.
[[nodiscard]] std::vector<std::string> lacking(const Nvml& nvml, const Watched& watched);

void describe_telemetry(TelemetryDescription& is);

}  // namespace assay::plugins::cuda
