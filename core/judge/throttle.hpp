// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"

#include <string>
#include <vector>

namespace assay::judge {

struct Throttling {
  std::string device;
  std::string reason;
  double share = 0;  // of the moments at which the device was read
};

// By device and reason, in the order first seen.
[[nodiscard]] std::vector<Throttling> throttling(const CaseResult& result);

}  // namespace assay::judge
