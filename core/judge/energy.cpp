// SPDX-License-Identifier: Apache-2.0
#include "judge/energy.hpp"

#include "judge/publish.hpp"
#include "judge/telemetry.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

constexpr int kFewestSteps = 5;

// When the samples of a visit were taken, in unix time; rank 0's stand for all, which begin together.
struct SampleTimes {
  const result::Series& series;
  double first_at_s = 0;

  [[nodiscard]] double begin_s(std::size_t i) const { return first_at_s + series.begin_s[i]; }
  [[nodiscard]] double end_s(std::size_t i) const { return begin_s(i) + series.host_s[i]; }

  // How many iterations a stretch of time holds.
  [[nodiscard]] double iterations_in(double from_s, double to_s) const {
    double samples = 0;
    for (std::size_t i = 0; i < series.host_s.size(); ++i) {
      const double inside = std::min(end_s(i), to_s) - std::max(begin_s(i), from_s);
      if (inside > 0) samples += inside / series.host_s[i];
    }
    return samples * static_cast<double>(series.iterations);
  }
};

// One device's counter between two readings.
struct Stretch {
  double from_s = 0, to_s = 0, added_J = 0;
  int steps = 0;  // how often it was seen to move
};

std::optional<Stretch> stretch_of(const result::Visit& visit, const std::string& device, double from_s,
                                  double to_s) {
  std::optional<Stretch> found;
  double last_J = 0;
  for (const result::Reading& reading : visit.telemetry) {
    if (reading.device != device || reading.quantity != catalog::kEnergy || !std::isfinite(reading.value))
      continue;
    if (reading.at_s < from_s || reading.at_s > to_s) continue;
    if (!found) {
      found = Stretch{reading.at_s, reading.at_s, 0, 0};
    } else {
      if (reading.value < last_J) return std::nullopt;  // it was reset
      found->added_J += reading.value - last_J;
      found->steps += reading.value > last_J ? 1 : 0;
      found->to_s = reading.at_s;
    }
    last_J = reading.value;
  }
  if (!found || found->steps < kFewestSteps) return std::nullopt;
  return found;
}

}  // namespace

std::optional<EnergyOfVisit> energy_of(const result::Visit& visit, const std::vector<std::string>& devices) {
  if (visit.measurement.first_sample_at_s <= 0 || visit.ranks.empty() || devices.empty()) return std::nullopt;
  const SampleTimes samples{visit.ranks.front().series, visit.measurement.first_sample_at_s};
  const std::size_t count = samples.series.host_s.size();
  if (count == 0 || samples.series.begin_s.size() != count) return std::nullopt;
  EnergyOfVisit energy;
  for (const std::string& device : devices) {
    const auto stretch = stretch_of(visit, device, samples.begin_s(0), samples.end_s(count - 1));
    if (!stretch) return std::nullopt;
    const double iterations = samples.iterations_in(stretch->from_s, stretch->to_s);
    if (!(iterations > 0)) return std::nullopt;
    const double of_device_J = stretch->added_J / iterations;
    energy.per_iteration_J += of_device_J;
    energy.uncertainty_J += 2 * of_device_J / stretch->steps;
  }
  return energy;
}

void add_energy(CaseResult& result) {
  const catalog::Manifest* backend = result.planned->device_backend;
  if (backend == nullptr || !backend->counts_energy() || result.metric(model::kEnergyPerIteration) != nullptr)
    return;
  const std::vector<std::string> devices = devices_with(result, catalog::kEnergy);
  if (devices.size() != plan::devices_of(*result.planned).size()) return;
  std::vector<RoundValue> rounds;
  for (const result::Visit* visit : result.last_attempts) {
    const auto energy = energy_of(*visit, devices);
    if (!energy) return;
    RoundValue round;
    round.value = energy->per_iteration_J;
    round.interval = ValueRange{round.value - energy->uncertainty_J, round.value + energy->uncertainty_J};
    round.n = visit->ranks.front().series.host_s.size();
    round.samples = {round.interval->low, round.interval->high};
    rounds.push_back(std::move(round));
  }
  MetricResult metric;
  metric.name = model::kEnergyPerIteration;
  metric.unit = "J";
  metric.direction = catalog::Direction::lower;
  metric.kind = "derived";
  metric.statistic = "derived";
  metric.counting = "of all devices, from the first to the last reading among the samples";
  across_rounds(rounds, result.allowance, result.level(), metric);
  result.metrics.push_back(std::move(metric));
}

}  // namespace assay::judge
