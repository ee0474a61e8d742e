// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "result/visit.hpp"

#include <string>
#include <vector>

namespace assay::result {

// Which flag a backend's reason stands for: "throttled" (heat, brake, slowdown), "power_capped",
// "shared_device", or "".
[[nodiscard]] std::string flag_of_reason(const std::string& reason);

// Whether one of them stands for "throttled".
[[nodiscard]] bool is_throttled(const std::vector<ThrottleReason>& reasons);

}  // namespace assay::result
