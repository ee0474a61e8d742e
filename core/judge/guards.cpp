// SPDX-License-Identifier: Apache-2.0
#include "judge/guards.hpp"

#include "judge/parts.hpp"
#include "judge/peaks.hpp"
#include "text/lookup.hpp"
#include "text/quantity_text.hpp"

#include <algorithm>

namespace assay::judge {
namespace {

// A device's crystal may differ from the host's by some hundred parts per million; half a percent is no
// crystal.
constexpr double kClockTolerance = 1.005;
// The loop's own rule (measure/loop.hpp) holds what it recorded.
constexpr double kLeastRatio = 1.25;

std::string device_above_host(const CaseResult& result) {
  for (const result::Visit* visit : result.last_attempts) {
    if (visit->measurement.clock != "device") continue;
    for (const result::RankRecord& rank : visit->ranks) {
      const std::vector<double>& device = rank.series.device_s;
      const std::vector<double>& host = rank.series.host_s;
      for (std::size_t i = 0; i < std::min(device.size(), host.size()); ++i)
        if (device[i] > host[i] * kClockTolerance + 2 * visit->measurement.tick_s)
          return "sample " + std::to_string(i + 1) + " took " + quantity_text(device[i], "s") +
                 " by the device's clock and " + quantity_text(host[i], "s") + " by the host's";
    }
  }
  return {};
}

std::string not_proportional(const CaseResult& result) {
  for (std::size_t i = 0; i < result.times.size(); ++i) {
    const double ratio = result.last_attempts[i]->measurement.n_ratio;
    if (ratio != 0 && !(ratio >= kLeastRatio))
      return "twice as many iterations took " + quantity_text(ratio, "1") + " times as long";
  }
  return {};
}

std::string conditions_differ(const CaseResult& result) {
  for (const result::Visit* visit : result.last_attempts) {
    const std::vector<std::string>& flags = visit->measurement.flags;
    if (contains(flags, "done_differs"))
      return "what was done in the samples is not what cache: " + result.planned->measure.cache +
             ", launch: " + result.planned->measure.launch + " ask for";
  }
  return {};
}

// What a command says of a time or a rate is its own word, but no word makes time run backwards.
std::string impossible_number(const MetricResult& metric) {
  if (!metric.reported || !metric.spread) return {};
  const double least = metric.spread->minimum;
  const bool duration = metric.kind == "duration";
  if (!(duration ? least <= 0 : metric.kind == "rate" && least < 0)) return {};
  return "the command reports " + metric.name + " " + quantity_text(least, metric.shown_unit()) +
         (duration ? "; a time is above zero" : "; a rate is not below zero");
}

std::string above_peak(const MetricResult& metric, const CaseResult& result) {
  const Peak& peak = *metric.peak;
  const auto text = [&](double value, const std::string& where) {
    return metric.name + " " + quantity_text(value, metric.unit) + where + " is " +
           percent_text(value / peak.value) + " of the peak of " + quantity_text(peak.value, metric.unit) +
           " (" + peak.source + ")";
  };
  if (metric.value > peak.ceiling) return text(metric.value, "");
  // A peak that was measured is of other minutes than the round; above what is cited no round can be, whatever their mean is.
  const std::vector<double>& rounds = metric.whole.empty() ? metric.rounds : metric.whole;
  if (is_measured(peak.source) || rounds.size() != result.last_attempts.size()) return {};
  for (std::size_t i = 0; i < rounds.size(); ++i)
    if (rounds[i] > peak.ceiling)
      return text(rounds[i], " in round " + std::to_string(result.last_attempts[i]->round));
  return {};
}

}  // namespace

std::vector<Guard> check_guards(const CaseResult& result) {
  std::vector<Guard> fired;
  const std::string& id = result.planned->id;
  const auto add = [&](const char* code, const std::string& text) {
    if (!text.empty()) fired.push_back({code, "invalid", id, text});
  };
  add("guard.device-above-host", device_above_host(result));
  add("guard.time-not-proportional", not_proportional(result));
  add("guard.conditions-differ", conditions_differ(result));
  add("guard.part-above-sample", impossible_part(result));
  for (const MetricResult& metric : result.metrics) add("guard.impossible-number", impossible_number(metric));
  for (const MetricResult& metric : result.metrics)
    if (metric.peak) add("guard.rate-above-peak", above_peak(metric, result));
  return fired;
}

}  // namespace assay::judge
