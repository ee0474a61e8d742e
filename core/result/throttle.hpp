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

struct Throttling {
  std::string device;
  std::string reason;
  double share = 0;  // of the moments at which the device was read, in (0, 1]
};

// By device and reason, in the order first seen. The moments are those at which the device was read while
// samples were taken: what a load before them did is not theirs. Of the whole visits they are if there is
// none, and for a reason that stands for no flag: an error is told once, whenever it happened.
[[nodiscard]] std::vector<Throttling> throttling(const std::vector<const Visit*>& visits);

// Whether one of them stands for "throttled".
[[nodiscard]] bool is_throttled(const Visit& visit);

}  // namespace assay::result
