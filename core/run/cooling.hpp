// SPDX-License-Identifier: Apache-2.0
//
// When a device that was throttled may be measured again.
#pragma once

#include "catalog/manifest.hpp"
#include "result/visit.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::run {

class Cooling {
 public:
  // `visit` was throttled; `backend` declares which of its readings are temperatures.
  Cooling(const result::Visit& visit, const catalog::Manifest* backend);

  // Whether the devices have recovered, by what one read of them all gave: none is throttled any more, and
  // none is warmer than when the visit began, as far as that was read.
  [[nodiscard]] bool is_over(const std::vector<result::Reading>& readings,
                             const std::vector<result::ThrottleReason>& reasons) const;

 private:
  [[nodiscard]] bool is_temperature(const std::string& quantity) const;

  const catalog::Manifest* backend_;
  // By device and quantity: the visit's first temperature, in °C.
  std::map<std::pair<std::string, std::string>, double> cool_;
};

}  // namespace assay::run
