// SPDX-License-Identifier: Apache-2.0
//
// A region on a simulated clock whose every duration is a formula.
#pragma once

#include "measure/loop.hpp"

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace assay::measure {

class SimulatedRegion : public Region {
 public:
  // Duration of the k-th iteration of the region's life.
  std::function<double(std::uint64_t k)> iteration = [](std::uint64_t) { return 1e-3; };
  double offset_s = 0;  // of each region
  // Besides, of the region's k-th call.
  std::function<double(std::uint64_t call)> wait_s = [](std::uint64_t) { return 0.0; };
  double host_factor = 1;  // host time over device time
  std::function<std::uint32_t(std::uint64_t call)> done = [](std::uint64_t) { return 16U; };
  std::function<RegionStatus(std::uint64_t call)> status_of_call = [](std::uint64_t) {
    return RegionStatus::ok;
  };
  std::function<std::int64_t(std::uint64_t call)> begin_ns = [](std::uint64_t) { return 0; };
  std::uint64_t laps_given = ~std::uint64_t{0};  // instead of n
  std::vector<std::uint64_t> calls;              // n of each
  std::uint64_t iterations = 0;
  std::uint64_t checks = 0;
  VisitMode last_mode = VisitMode::measure;

  RegionStatus run(VisitMode mode, std::uint64_t n, std::span<double> laps, Sample& out) override {
    last_mode = mode;
    if (const RegionStatus ran = status_of_call(calls.size()); ran != RegionStatus::ok) return ran;
    out.done = done(calls.size());
    out.begin_ns = begin_ns(calls.size());
    double total = offset_s + wait_s(calls.size());
    calls.push_back(n);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(n, 1'000'000); ++i) {
      const double lap = iteration(iterations++);
      if (i < laps.size()) laps[i] = lap;
      total += lap;
    }
    out.device_s = total;
    out.host_s = total * host_factor;
    out.lap_count = laps.empty() ? 0 : std::min(n, laps_given);
    return RegionStatus::ok;
  }
  RegionStatus check() override {
    ++checks;
    return RegionStatus::ok;
  }
};

class QuietWatch : public LoopWatch {
 public:
  std::uint64_t stop_at = ~std::uint64_t{0};  // samples
  bool proceed(Phase, std::uint64_t samples) override { return samples < stop_at; }
  void look(const RankSeries&) override { ++looks; }
  int looks = 0;
};

inline Traits simulated_traits() {
  Traits traits;
  traits.clock = ClockKind::simulated;
  traits.tick_s = 1e-9;
  return traits;
}

// Neither calibration nor warm-up.
inline VisitSettings exactly(std::uint64_t samples) {
  VisitSettings settings;
  settings.samples = samples;
  settings.warmup = 0;
  return settings;
}

inline LoopResult measure_alone(SimulatedRegion& region, const Traits& traits,
                                const VisitSettings& settings) {
  RankTeam team(nullptr);
  SimulatedClock clock;
  QuietWatch watch;
  return measure(region, team, clock, watch, traits, settings);
}

}  // namespace assay::measure
