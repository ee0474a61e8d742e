// SPDX-License-Identifier: Apache-2.0
#include "result/throttle.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace assay::result {
namespace {

// A device was read, or found slower for a reason.
struct Moment {
  double at_s = 0;
  std::string device;
  std::string reason;  // empty: none is told
  bool during_samples = false;
};

std::vector<Moment> moments_of(const std::vector<const Visit*>& visits) {
  std::vector<Moment> moments;
  for (const Visit* visit : visits) {
    const auto add = [&](double at_s, const std::string& device, const std::string& reason) {
      moments.push_back({at_s, device, reason, is_during_samples(*visit, at_s)});
    };
    for (const Reading& each : visit->telemetry) add(each.at_s, each.device, "");
    for (const ThrottleReason& each : visit->throttle) add(each.at_s, each.device, each.reason);
  }
  return moments;
}

struct Reads {
  std::set<double> all, during_samples;
};

}  // namespace

bool is_momentary(const std::string& meaning) {
  return meaning == "throttled" || meaning == "power_capped" || meaning == "shared_device";
}

bool is_throttled(const std::vector<ThrottleReason>& reasons, const MeaningOf& meaning_of) {
  return std::any_of(reasons.begin(), reasons.end(), [&](const ThrottleReason& throttle) {
    return meaning_of(throttle.reason) == "throttled";
  });
}

std::vector<Throttling> throttling(const std::vector<const Visit*>& visits, const MeaningOf& meaning_of) {
  const std::vector<Moment> moments = moments_of(visits);
  std::map<std::string, Reads> reads;
  for (const Moment& moment : moments) {
    reads[moment.device].all.insert(moment.at_s);
    if (moment.during_samples) reads[moment.device].during_samples.insert(moment.at_s);
  }
  const auto reads_for = [&](const std::string& device,
                             const std::string& meaning) -> const std::set<double>& {
    const Reads& of_device = reads.at(device);
    const bool whole_visit = of_device.during_samples.empty() || !is_momentary(meaning);
    return whole_visit ? of_device.all : of_device.during_samples;
  };
  std::vector<Throttling> found;
  std::map<std::pair<std::string, std::string>, std::set<double>> slower;
  for (const Moment& moment : moments) {
    if (moment.reason.empty()) continue;
    const std::string meaning = meaning_of(moment.reason);
    if (reads_for(moment.device, meaning).count(moment.at_s) == 0) continue;
    std::set<double>& times = slower[{moment.device, moment.reason}];
    if (times.empty()) found.push_back({moment.device, moment.reason, meaning, 0});
    times.insert(moment.at_s);
  }
  for (Throttling& each : found) {
    const std::size_t count = slower.at({each.device, each.reason}).size();
    each.share =
        static_cast<double>(count) / static_cast<double>(reads_for(each.device, each.meaning).size());
  }
  return found;
}

bool is_throttled(const Visit& visit, const MeaningOf& meaning_of) {
  const std::vector<Throttling> found = throttling({&visit}, meaning_of);
  return std::any_of(found.begin(), found.end(),
                     [](const Throttling& each) { return each.meaning == "throttled"; });
}

}  // namespace assay::result
