// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "result/visit.hpp"

#include <string>

namespace assay::result {

// Which flag a backend's reason stands for: "throttled" (heat, brake, slowdown), "power_capped",
// "shared_device", or "".
[[nodiscard]] std::string flag_of_reason(const std::string& reason);

// Whether a reason that stands for "throttled" was read during the visit.
[[nodiscard]] bool was_throttled(const Visit& visit);

}  // namespace assay::result
