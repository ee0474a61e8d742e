// SPDX-License-Identifier: Apache-2.0
#include "judge/throttle.hpp"

#include <algorithm>
#include <set>

namespace assay::judge {
std::vector<Throttling> throttling(const CaseResult& result) {
  std::vector<Throttling> found;
  std::vector<std::set<double>> moments;
  std::vector<std::pair<std::string, std::set<double>>> read;  // by device
  const auto moments_of = [&](const std::string& device) -> std::set<double>& {
    for (auto& [name, times] : read)
      if (name == device) return times;
    return read.emplace_back(device, std::set<double>{}).second;
  };
  for (const result::Visit* visit : result.finals) {
    for (const result::Reading& reading : visit->telemetry) moments_of(reading.device).insert(reading.at_s);
    for (const result::ThrottleReason& reason : visit->throttle) {
      moments_of(reason.device).insert(reason.at_s);
      const auto same = [&](const Throttling& t) {
        return t.device == reason.device && t.reason == reason.reason;
      };
      const auto at = std::find_if(found.begin(), found.end(), same);
      const std::size_t index = static_cast<std::size_t>(at - found.begin());
      if (at == found.end()) {
        found.push_back({reason.device, reason.reason, 0});
        moments.emplace_back();
      }
      moments[index].insert(reason.at_s);
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i].share =
        static_cast<double>(moments[i].size()) / static_cast<double>(moments_of(found[i].device).size());
  return found;
}

}  // namespace assay::judge
