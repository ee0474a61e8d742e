// SPDX-License-Identifier: Apache-2.0
#include "judge/peaks.hpp"

#include "judge/across_rounds.hpp"
#include "system/peaks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::judge {
namespace {

constexpr double kCitedTolerance = 1.10;     // clocks above the datasheet's are real
constexpr double kMeasuredTolerance = 1.02;  // the same machine, minutes apart
// No clock makes a link faster than its datasheet, which gives the rate without the link's coding. The raw rate of a
// link is 6 % higher, and no copy reaches it. A rate that is computed and not moved, such as the bus bandwidth of a
// reduction in a switch, may exceed the datasheet.
constexpr double kCopyTolerance = 1.02;
constexpr const char* kOneWay = "one way";

double tolerance_of(const catalog::MetricDeclaration& metric, const std::string& source) {
  if (is_measured(source)) return kMeasuredTolerance;
  return metric.flow == kOneWay ? kCopyTolerance : kCitedTolerance;
}

std::string dtype_of(const Json& parameters) {
  if (!parameters.is_object()) return {};
  const auto found = parameters.find("dtype");
  return found != parameters.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

bool is_measured(const std::string& source) { return source.starts_with("measured"); }

std::optional<Peak> find_peak(const plan::PlannedCase& planned, const catalog::MetricDeclaration& metric,
                              const system::Inventory& inventory, const Json& tables, std::string* why,
                              std::string* refused) {
  if (metric.peak.empty()) {
    *why = "the benchmark names no peak for '" + metric.name + "'";
    return std::nullopt;
  }
  const std::string dtype = dtype_of(planned.parameters);
  Peak peak;
  peak.name = metric.peak;
  double least = std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const plan::RankPlacement& rank : planned.placement.ranks)
    for (const std::string& name : rank.devices) {
      const system::Device* device = inventory.find_device(name);
      std::string wrong;
      const std::optional<system::DevicePeak> found =
          device ? system::find_peak(tables, *device, metric.peak, dtype, metric.unit, &wrong) : std::nullopt;
      if (!wrong.empty()) *refused = name + ": the backend's " + wrong;
      if (!found) {
        *why = "no peak '" + metric.peak + "' is known for " + name +
               (device && !device->model.empty() ? " (" + device->model + ")" : "") +
               (dtype.empty() ? "" : ", dtype " + dtype);
        return std::nullopt;
      }
      least = std::min(least, found->value);
      sum += found->value;
      peak.ceiling += found->value * tolerance_of(metric, found->source);
      peak.source = found->source;
    }
  if (sum <= 0) {
    *why = "the case has no device whose peak '" + metric.peak + "' could be looked up";
    return std::nullopt;
  }
  peak.value = planned.placement.load == "together" ? sum : least;
  peak.verdict_interval = {peak.value, peak.value};
  return peak;
}

std::optional<Peak> recorded_peak(const CaseResult& result, const catalog::MetricDeclaration& metric) {
  const catalog::MetricDeclaration* declared = result.planned->benchmark->metric(metric.peak);
  if (metric.peak.empty() || declared == nullptr || declared->unit != metric.unit) return std::nullopt;
  std::vector<RoundValue> rounds;
  double best = 0;
  for (const result::Visit* visit : result.last_attempts) {
    double sum = 0;
    for (const result::RankRecord& rank : visit->ranks)
      for (const result::Value& value : rank.values)
        if (value.metric == metric.peak && value.indices.empty() && std::isfinite(value.value))
          sum += value.value;
    if (sum <= 0) return std::nullopt;
    rounds.emplace_back().value = sum;
    best = std::max(best, sum);
  }
  if (rounds.empty()) return std::nullopt;
  MetricResult over;
  over.clocked = true;
  across_rounds(rounds, result.allowance, result.level(), over);
  const std::string how = declared->summary.empty() ? "in the same process" : declared->summary;
  return Peak{over.value,         best * kCitedTolerance, metric.peak,
              "measured: " + how, over.verdict_interval,  std::move(over.rounds),
              over.interval};
}

}  // namespace assay::judge
