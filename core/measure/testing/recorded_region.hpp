// SPDX-License-Identifier: Apache-2.0
//
// For tests: honest work whose iterations take what recorded ones took, on the host's processors or on a device.
#pragma once

#include "measure/testing/simulated_visit.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace assay::measure {

struct Honest {
  ClockKind clock = ClockKind::host;
  double call_s = 10e-6;      // of a call, outside of its region: threads to wake, arguments to check
  double launch_s = 4e-6;     // a device's: of the host, to queue an iteration
  bool queues_first = false;  // a device's: all is queued before the region begins
  bool laps = false;
  double scatter_s = 0;  // of verifying, on average: threads that wait for each other
  double prepare_s = 0.02, verify_s = 1e-3, reseed_s = 1e-3, release_s = 2e-3;
};

inline Traits traits_of(const Honest& honest) {
  Traits traits = host_traits();
  traits.clock = honest.clock;
  traits.tick_s = honest.clock == ClockKind::device ? 32e-9 : 1e-9;
  traits.laps = honest.laps;
  traits.launches_per_iteration = honest.queues_first ? 1 : 0;
  if (honest.queues_first) traits.maximum = 512;
  return traits;
}

class RecordedRegion final : public VisitedRegion {
 public:
  RecordedRegion(MachineClock& clock, Honest honest, const std::vector<double>& series, std::uint64_t begin)
      : clock_(clock), honest_(honest), series_(series), at_(begin % series.size()), random_(begin) {}

  RegionStatus run(VisitMode, std::uint64_t n, std::span<double> laps, Sample& out) override {
    clock_.work(honest_.call_s / 2);
    if (honest_.clock == ClockKind::device) {
      on_device(n, laps, out);
    } else {
      on_host(n, laps, out);
    }
    out.lap_count = laps.size();
    clock_.work(honest_.call_s / 2);
    return RegionStatus::ok;
  }
  RegionStatus check() override {
    clock_.work(honest_.verify_s);
    if (honest_.scatter_s > 0)
      clock_.sleep(std::exponential_distribution<double>(1 / honest_.scatter_s)(random_));
    return RegionStatus::ok;
  }
  RegionStatus check_new() override { return check(); }
  bool can_settle() const override { return true; }
  RegionStatus settle() override {
    clock_.work(15e-6);
    return RegionStatus::ok;
  }
  RenewalStatus renew(std::uint64_t) override {
    clock_.work(honest_.reseed_s);
    return RenewalStatus::ok;
  }
  void prepare() override { clock_.work(honest_.prepare_s); }
  void release() override { clock_.work(honest_.release_s); }

 private:
  double next() { return series_[at_++ % series_.size()]; }

  void on_host(std::uint64_t n, std::span<double> laps, Sample& out) {
    const double begin_s = clock_.now_s();
    double last_s = begin_s;
    for (std::uint64_t i = 0; i < n; ++i) {
      clock_.work(next());
      if (!laps.empty()) laps[i] = clock_.now_s() - std::exchange(last_s, clock_.now_s());
    }
    tell(out, begin_s, clock_.now_s());
    out.device_s = out.host_s;
  }

  // The device works while the host queues, and waits for it where it is quicker.
  void on_device(std::uint64_t n, std::span<double> laps, Sample& out) {
    const double launch_s = honest_.launch_s;
    if (honest_.queues_first) clock_.work(launch_s * static_cast<double>(n));
    const double begin_s = clock_.now_s();
    double idle_s = begin_s, first_s = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (!honest_.queues_first) clock_.work(launch_s);
      const double start_s = std::max(idle_s, clock_.now_s());
      if (i == 0) first_s = start_s;
      const double end_s = start_s + next();
      if (!laps.empty()) laps[i] = end_s - (i == 0 ? first_s : idle_s);
      idle_s = end_s;
    }
    clock_.sleep(idle_s - clock_.now_s());
    clock_.work(3e-6);
    tell(out, begin_s, clock_.now_s());
    constexpr double kTick_s = 32e-9;
    out.device_s = std::round((idle_s - first_s) / kTick_s) * kTick_s;
  }

  static void tell(Sample& out, double begin_s, double end_s) {
    out.begin_ns = std::llround(begin_s * 1e9);
    out.end_ns = std::llround(end_s * 1e9);
    out.host_s = end_s - begin_s;
    out.done = 16;
  }

  MachineClock& clock_;
  const Honest honest_;
  const std::vector<double>& series_;
  std::size_t at_;
  std::mt19937_64 random_;
};

}  // namespace assay::measure
