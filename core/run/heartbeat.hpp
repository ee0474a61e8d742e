// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/clock.hpp"

#include <algorithm>
#include <cmath>

namespace assay::run {

// How often a request to stop is looked for, and a watcher told.
inline constexpr double kHeartbeat_s = 0.1;

// For poll(): until then, and a heartbeat at most.
[[nodiscard]] inline int wait_ms(double until_s) {
  return static_cast<int>(std::ceil(std::clamp(until_s - monotonic_s(), 0.0, kHeartbeat_s) * 1000));
}

}  // namespace assay::run
