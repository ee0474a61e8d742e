// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "result/visit.hpp"

#include <functional>
#include <string>
#include <vector>

namespace assay::result {

// What a backend's reason stands for, as its manifest declares: "throttled", "power_capped", "shared_device",
// "fault", "told", "lost", or "".
using MeaningOf = std::function<std::string(const std::string& reason)>;

// Whether it holds at the moment at which it was read, as heat does. Others are told once, whenever they
// happened: an error that the driver logged.
[[nodiscard]] bool is_momentary(const std::string& meaning);

// Whether one of them stands for "throttled".
[[nodiscard]] bool is_throttled(const std::vector<ThrottleReason>& reasons, const MeaningOf& meaning_of);

struct Throttling {
  std::string device;
  std::string reason;
  std::string meaning;
  double share = 0;  // of the moments at which the device was read, in (0, 1]
};

// By device and reason, in the order first seen. The moments are those at which the device was read while
// samples were taken: what a load before them did is not theirs. Of the whole visits they are if there is
// none, and for a reason that is not of the moment.
[[nodiscard]] std::vector<Throttling> throttling(const std::vector<const Visit*>& visits,
                                                 const MeaningOf& meaning_of);

// Whether one of them stands for "throttled".
[[nodiscard]] bool is_throttled(const Visit& visit, const MeaningOf& meaning_of);

}  // namespace assay::result
