// SPDX-License-Identifier: Apache-2.0
//
// A plugin that tells the truth about its times, or one kind of lie.
#pragma once

#include "measure/testing/busy_machine.hpp"
#include "measure/testing/simulated_visit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay::measure {

enum class Lie {
  none,
  queued,           // returns when the work is queued
  queued_silent,    // the same, and settle does not wait; verify does
  queued_unlooked,  // the same, and verify looks at nothing that was queued; release waits
  short_laps,       // laps of a nanosecond
  tenth,            // both times a tenth
  other_clock,      // begin and end by another clock
  reversed,         // ends before it begins
  longer,           // ten times the device's time
  constant,         // the work of one iteration, whatever n
  half,             // half of the iterations, rounded down
  half_up,          // half of the iterations, rounded up
  cached,           // the work of one input once
  recomputed_new,   // the same, and its result follows the input
  unlike            // other work than the one whose result is looked at
};

class LyingRegion final : public VisitedRegion {
 public:
  LyingRegion(MachineClock& clock, Lie lie) : clock_(clock), lie_(lie) {}

  double work_s = 5e-6, call_s = 2e-6;  // of one iteration; of a call, outside of its region
  double looking_s = 1e-4;              // of one verification
  double queueing_s = 1e-7;             // of one iteration, where it is queued

  RegionStatus run(VisitMode, std::uint64_t n, std::span<double> laps, Sample& out) override {
    clock_.work(call_s);
    const double begin_s = clock_.now_s();
    const double spent_s = work(n);
    out.begin_ns = moment(begin_s);
    out.end_ns = moment(clock_.now_s());
    out.device_s = out.host_s = lie_ == Lie::tenth ? spent_s / 10 : spent_s;
    if (lie_ == Lie::longer) out.device_s *= 10;
    if (lie_ == Lie::reversed) std::swap(out.begin_ns, out.end_ns);
    out.done = 16;
    const double lap_s = lie_ == Lie::short_laps ? 1e-9 : out.device_s / static_cast<double>(n);
    std::fill(laps.begin(), laps.end(), lap_s);
    out.lap_count = laps.size();
    return RegionStatus::ok;
  }
  RegionStatus check() override {
    if (lie_ != Lie::queued_unlooked) wait();
    clock_.work(looking_s);
    return RegionStatus::ok;
  }
  bool can_settle() const override { return true; }
  RegionStatus settle() override {
    clock_.work(1e-6);
    if (lie_ == Lie::queued) wait();
    return RegionStatus::ok;
  }
  RenewalStatus renew(std::uint64_t) override {
    input_is_new_ = true;
    return RenewalStatus::ok;
  }
  RegionStatus check_new() override {
    (void)check();
    return input_is_new_ ? RegionStatus::failed : RegionStatus::ok;
  }
  void release() override {
    clock_.work(1e-4);
    wait();
  }

 private:
  bool queues() const {
    return lie_ == Lie::queued || lie_ == Lie::queued_silent || lie_ == Lie::queued_unlooked;
  }
  void wait() { clock_.sleep(busy_until_s_ - clock_.now_s()); }

  double work(std::uint64_t n) {
    const double begin_s = clock_.now_s();
    std::uint64_t done = n;
    if (lie_ == Lie::half) done = n / 2;
    if (lie_ == Lie::half_up) done = (n + 1) / 2;
    if (lie_ == Lie::constant) done = 1;
    const bool keeps = lie_ == Lie::cached || lie_ == Lie::recomputed_new;
    const double again_s = lie_ == Lie::recomputed_new && input_is_new_ ? work_s : 0;
    const double needed_s = std::max(1e-9, again_s + static_cast<double>(done) * (keeps ? 1e-9 : work_s));
    const bool follows = lie_ != Lie::cached && lie_ != Lie::unlike && done > 0;
    if (follows) input_is_new_ = false;
    if (queues()) {
      clock_.work(queueing_s * static_cast<double>(n));
      busy_until_s_ = std::max(busy_until_s_, begin_s) + needed_s;
    } else {
      clock_.work(needed_s);
    }
    return clock_.now_s() - begin_s;
  }
  std::int64_t moment(double seconds) const {
    return std::llround((lie_ == Lie::other_clock ? seconds + 3600 : seconds) * 1e9);
  }

  MachineClock& clock_;
  Lie lie_;
  double busy_until_s_ = 0;
  bool input_is_new_ = false;
};

}  // namespace assay::measure
