// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"

namespace assay::reporters {

// The document's; those of older versions have none, and the quantity's name says it.
[[nodiscard]] Unit telemetry_unit(const model::Telemetry& telemetry);

}  // namespace assay::reporters
