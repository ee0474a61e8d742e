// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/visit_settings.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay::measure {

// One timed region as the plugin reports it; assay_sample without the C.
struct Sample {
  double device_s = 0;
  double host_s = 0;
  std::int64_t begin_ns = 0;  // the host's monotonic clock; 0: unknown
  std::int64_t end_ns = 0;
  std::uint32_t done = 0;       // bits: model::kGated and so on
  std::uint64_t lap_count = 0;  // written to the memory that was given
};

enum class VisitMode { measure, trace, profile };
enum class RegionStatus { ok, cancelled, failed };
// unsupported: the plugin has no inputs to change.
enum class RenewalStatus { ok, unsupported, cancelled, failed };

// What is measured. The loop is its only caller, on one thread.
class Region {
 public:
  virtual ~Region() = default;
  // Runs n iterations: a multiple of the quantum, at most the maximum. laps: room for n durations, or empty
  // if none are wanted. cancelled and failed end the visit; the region remembers why.
  virtual RegionStatus run(VisitMode mode, std::uint64_t n, std::span<double> laps, Sample& out) = 0;
  // The sample of the last run() counts: keeps what was recorded with it.
  virtual void kept() {}
  // Verifies the result while a load is held.
  virtual RegionStatus check() = 0;
  // Whether settle() is available, which blocks until all queued work is done.
  [[nodiscard]] virtual bool can_settle() const { return false; }
  virtual RegionStatus settle() { return RegionStatus::ok; }
  // Makes new inputs; check_new() then verifies the result of the one run() that follows.
  virtual RenewalStatus renew(std::uint64_t seed) {
    (void)seed;
    return RenewalStatus::unsupported;
  }
  virtual RegionStatus check_new() { return RegionStatus::ok; }
};

// The phases of a visit that the loop knows.
enum class Phase : std::uint32_t { calibrate, warmup, sample };

// The samples of one rank, as they are published.
struct RankSeries {
  std::uint64_t iterations = 0;  // per sample
  std::vector<double> device_s, host_s, begin_s;
  std::vector<double> laps_s;  // samples × iterations, or empty
};

// An observer of the loop. Both functions run between timed regions and must be quick.
class LoopWatch {
 public:
  virtual ~LoopWatch() = default;
  // Before each sample; false ends the visit as cancelled.
  virtual bool proceed(Phase phase, std::uint64_t samples) = 0;
  // From time to time while samples are taken.
  virtual void look(const RankSeries& series) = 0;
};

}  // namespace assay::measure
