// SPDX-License-Identifier: Apache-2.0
//
// What a consumer sees of a loader, epoch by epoch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace assay::plugins::dataloader {

// The value that a share of all is at or below, by rank; 0 of none.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
  return values[rank];
}

// Of one epoch, in seconds.
struct EpochTimes {
  double startup_s = 0;  // from the epoch's begin until the consumer has the first batch
  double wait_s = 0;     // of the consumer for a batch: the mean
  double wait_p99_s = 0;
  double starved = 0;  // share of the epoch's time in which the consumer waited
  double depth = 0;    // batches that were there when one was asked for: the mean
};

// Times of an epoch as it goes on: begin, asked and got in turn, end. Times are of one clock.
class EpochWatch {
 public:
  void begin(std::int64_t now_ns) {
    begin_ns_ = now_ns;
    waits_s_.clear();
    depths_ = 0;
  }
  // A batch was asked for at one time and there at another. The first one is waited for from begin() on: what
  // starting workers takes is time without data, too.
  void got(std::int64_t asked_ns, std::int64_t got_ns, std::uint64_t depth) {
    if (waits_s_.empty()) startup_s_ = seconds(got_ns - begin_ns_);
    waits_s_.push_back(seconds(got_ns - (waits_s_.empty() ? begin_ns_ : asked_ns)));
    depths_ += static_cast<double>(depth);
  }
  EpochTimes end(std::int64_t now_ns) const {
    if (waits_s_.empty()) return {};
    double sum_s = 0;
    for (const double wait_s : waits_s_) sum_s += wait_s;
    const auto count = static_cast<double>(waits_s_.size());
    const double all_s = seconds(now_ns - begin_ns_);
    return {startup_s_, sum_s / count, quantile(waits_s_, 0.99), all_s > 0 ? std::min(1.0, sum_s / all_s) : 0,
            depths_ / count};
  }

 private:
  static double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

  std::int64_t begin_ns_ = 0;
  double startup_s_ = 0, depths_ = 0;
  std::vector<double> waits_s_;
};

// The last epochs' times, and what is typical of them: the median of each.
class RecentEpochs {
 public:
  void add(const EpochTimes& times) {
    times_.push_back(times);
    if (times_.size() > kKept) times_.pop_front();
  }
  EpochTimes typical() const {
    EpochTimes middle;
    for (double EpochTimes::*const member :
         {&EpochTimes::startup_s, &EpochTimes::wait_s, &EpochTimes::wait_p99_s, &EpochTimes::starved,
          &EpochTimes::depth}) {
      std::vector<double> values;
      for (const EpochTimes& times : times_) values.push_back(times.*member);
      middle.*member = quantile(std::move(values), 0.5);
    }
    return middle;
  }

 private:
  static constexpr std::size_t kKept = 1024;
  std::deque<EpochTimes> times_;
};

}  // namespace assay::plugins::dataloader
