// SPDX-License-Identifier: Apache-2.0
//
// How a load went from its first milliseconds to its last second: what a power limit took, and the clock that
// it left. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace assay::plugins::gemm {

// One timed region.
struct Stretch {
  double iterations = 0, seconds = 0;
  double cycles = 0, clock_s = 0;  // of a processor's clock, and over how long; 0: not read
  double begin_s = 0;              // by the host's clock
};

class LoadHistory {
 public:
  static constexpr double kFirst_s = 0.02;  // a power limit was seen to bite after 25 to 100 ms
  static constexpr double kLast_s = 1;
  static constexpr double kRest_s = 0.5;  // what comes after as much is a burst of its own

  // `last_s`: what counts as the last part, in seconds of load. `bursts`: it begins anew after each rest.
  explicit LoadHistory(double last_s = kLast_s, bool bursts = false) : last_s_(last_s), bursts_(bursts) {}

  void add(const Stretch& stretch) {
    if (bursts_ && stretch.begin_s - end_s_ >= kRest_s) {
      recent_.clear();
      last_ = {};
    }
    end_s_ = stretch.begin_s + stretch.seconds;
    total_s_ += stretch.seconds;
    if (first_.seconds < kFirst_s) add_to(first_, stretch);
    recent_.push_back(stretch);
    add_to(last_, stretch);
    while (recent_.size() > 1 && last_.seconds - recent_.front().seconds >= last_s_) {
      const Stretch& oldest = recent_.front();
      last_.iterations -= oldest.iterations;
      last_.seconds -= oldest.seconds;
      last_.cycles -= oldest.cycles;
      last_.clock_s -= oldest.clock_s;
      recent_.pop_front();
    }
  }

  // The share of the first 20 ms' rate that the last second lacks; negative if it is faster. None if the load
  // was too short to have both.
  std::optional<double> drop() const {
    if (first_.seconds <= 0 || last_.seconds < last_s_) return std::nullopt;
    if (total_s_ < first_.seconds + last_.seconds) return std::nullopt;
    const double first = first_.iterations / first_.seconds, last = last_.iterations / last_.seconds;
    return 1 - last / first;
  }

  // Mean clock of the last part, in Hz.
  std::optional<double> clock() const {
    if (!(last_.clock_s > 0) || !(last_.cycles > 0)) return std::nullopt;
    return last_.cycles / last_.clock_s;
  }

 private:
  static void add_to(Stretch& sum, const Stretch& stretch) {
    sum.iterations += stretch.iterations;
    sum.seconds += stretch.seconds;
    sum.cycles += stretch.cycles;
    sum.clock_s += stretch.clock_s;
  }

  double last_s_;
  bool bursts_;
  double end_s_ = 0;  // of the latest
  Stretch first_, last_;
  std::deque<Stretch> recent_;
  double total_s_ = 0;
};

}  // namespace assay::plugins::gemm
