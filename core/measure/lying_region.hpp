// SPDX-License-Identifier: Apache-2.0
//
// A plugin that tells the truth about its times, or one kind of lie, on a machine whose clock moves only as the
// work takes it.
#pragma once

#include "measure/loop.hpp"
#include "measure/renew.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay::measure {

class MachineClock final : public Clock {
 public:
  double now_s() override { return now_s_; }
  void passed(double) override {}
  void idle(double seconds) override { now_s_ += seconds; }
  void advance(double seconds) { now_s_ += seconds; }

 private:
  double now_s_ = 1000;
};

enum class Lie {
  none,
  queued,         // returns when the work is queued
  short_laps,     // laps of a nanosecond
  tenth,          // both times a tenth
  other_clock,    // begin and end by another clock
  reversed,       // ends before it begins
  half,           // half of the iterations, rounded down
  half_up,        // half of the iterations, rounded up
  cached,         // the work of one input once
  recomputed_new  // the same, and its result follows the input
};

class LyingRegion final : public Region {
 public:
  LyingRegion(MachineClock& clock, Lie lie) : clock_(clock), lie_(lie) {}

  double work_s = 5e-6, call_s = 2e-6;  // of one iteration; of a call, outside of its region

  Ran run(Mode, std::uint64_t n, std::span<double> laps, Sample& out) override {
    clock_.advance(call_s);
    const double begin_s = clock_.now_s();
    const double spent_s = work(n);
    out.begin_ns = moment(begin_s);
    out.end_ns = moment(clock_.now_s());
    out.device_s = out.host_s = lie_ == Lie::tenth ? spent_s / 10 : spent_s;
    if (lie_ == Lie::reversed) std::swap(out.begin_ns, out.end_ns);
    out.done = 16;
    const double lap_s = lie_ == Lie::short_laps ? 1e-9 : out.device_s / static_cast<double>(n);
    std::fill(laps.begin(), laps.end(), lap_s);
    out.lap_count = laps.size();
    return Ran::ok;
  }
  Ran check() override { return Ran::ok; }
  bool can_settle() const override { return true; }
  Ran settle() override {
    clock_.advance(std::max(0.0, busy_until_s_ - clock_.now_s()) + 1e-6);
    return Ran::ok;
  }
  Renewed renew(std::uint64_t) override {
    input_is_new_ = true;
    return Renewed::ok;
  }
  Ran check_new() override { return input_is_new_ ? Ran::failed : Ran::ok; }

 private:
  double work(std::uint64_t n) {
    const double begin_s = clock_.now_s();
    std::uint64_t done = n;
    if (lie_ == Lie::half) done = n / 2;
    if (lie_ == Lie::half_up) done = (n + 1) / 2;
    const bool keeps = lie_ == Lie::cached || lie_ == Lie::recomputed_new;
    const double again_s = lie_ == Lie::recomputed_new && input_is_new_ ? work_s : 0;
    const double needed_s = std::max(1e-9, again_s + static_cast<double>(done) * (keeps ? 1e-9 : work_s));
    if (lie_ != Lie::cached) input_is_new_ = false;
    if (lie_ == Lie::queued) {
      clock_.advance(1e-7 * static_cast<double>(n));
      busy_until_s_ = std::max(busy_until_s_, begin_s) + needed_s;
    } else {
      clock_.advance(needed_s);
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
