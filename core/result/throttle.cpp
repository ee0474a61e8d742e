// SPDX-License-Identifier: Apache-2.0
#include "result/throttle.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace assay::result {
namespace {

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

std::string flag_of_reason(const std::string& reason) {
  if (contains_any(reason, {"thermal", "brake", "slowdown"})) return "throttled";
  if (contains_any(reason, {"power"})) return "power_capped";
  if (contains_any(reason, {"shared", "process", "tenant"})) return "shared_device";
  return {};
}

bool is_throttled(const std::vector<ThrottleReason>& reasons) {
  return std::any_of(reasons.begin(), reasons.end(), [](const ThrottleReason& throttle) {
    return flag_of_reason(throttle.reason) == "throttled";
  });
}

}  // namespace assay::result
