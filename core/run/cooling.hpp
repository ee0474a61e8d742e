// SPDX-License-Identifier: Apache-2.0
//
// When a device that was throttled may be measured again.
#pragma once

#include "result/visit.hpp"

#include <map>
#include <string>
#include <vector>

namespace assay::run {

class Cooling {
 public:
  // `visit` was throttled.
  explicit Cooling(const result::Visit& visit);

  // Whether the devices have recovered, by what one read of them all gave: none is throttled any more, and
  // none is warmer than when the visit began, as far as that was read.
  [[nodiscard]] bool is_over(const std::vector<result::Reading>& readings,
                             const std::vector<result::ThrottleReason>& reasons) const;

 private:
  std::map<std::string, double> cool_;  // by device: the visit's first temperature, in °C
};

}  // namespace assay::run
