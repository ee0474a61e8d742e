// SPDX-License-Identifier: Apache-2.0
//
// Averages buckets of gradients over ranks: on a thread of its own while the backward pass goes on, or after it.
#pragma once

#include "lib/condition_wait.hpp"
#include "lib/model/buckets.hpp"
#include "train_step/rank_average.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

class Communication {
 public:
  using Clock = std::function<std::int64_t()>;  // [any thread] nanoseconds

  // `average` outlives it, and is stopped by the destructor. With `overlap` it has a thread. Throws std::system_error if that cannot start.
  Communication(RankAverage& average, float* gradients, std::vector<model::Bucket> buckets, bool overlap,
                Clock now_ns)
      : average_(average), gradients_(gradients), buckets_(std::move(buckets)), now_ns_(std::move(now_ns)) {
    if (overlap) thread_ = std::thread([this] { serve(); });
  }
  Communication(const Communication&) = delete;
  Communication& operator=(const Communication&) = delete;
  ~Communication() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    average_.stop();
    wake_.notify_one();
    thread_.join();
  }

  // The gradients of this tensor and of all behind it are there: buckets that they fill may go.
  void ready(int lowest_tensor) {
    std::size_t filled = filled_;
    while (filled < buckets_.size() && buckets_[filled].lowest_tensor >= lowest_tensor) ++filled;
    if (filled == filled_) return;
    {
      const std::lock_guard lock(mutex_);
      filled_ = filled;
    }
    wake_.notify_one();
  }

  // All gradients are there: returns when they are averaged, with the time that averaging took, in nanoseconds.
  // The next step may begin then. Throws what averaging threw, on whichever thread.
  std::int64_t finish() {
    ready(0);
    if (thread_.joinable()) {
      std::unique_lock lock(mutex_);
      wait_until_true(done_, lock, [&] { return averaged_ == buckets_.size() || error_; });
      if (error_) std::rethrow_exception(error_);
    } else {
      while (averaged_ < buckets_.size()) one();
    }
    const std::lock_guard lock(mutex_);
    filled_ = averaged_ = 0;
    return std::exchange(busy_ns_, 0);
  }

 private:
  void one() {
    const std::int64_t begin = now_ns_();
    const model::Bucket& bucket = buckets_[averaged_];
    average_.average(gradients_ + bucket.offset, bucket.size, averaged_ % RankAverage::kSlots);
    const std::int64_t end = now_ns_();
    const std::lock_guard lock(mutex_);
    busy_ns_ += end - begin;
    ++averaged_;
  }

  void serve() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wait_until_true(wake_, lock, [&] { return ending_ || (averaged_ < filled_ && !error_); });
        if (ending_) return;
      }
      try {
        one();
      } catch (...) {
        const std::lock_guard lock(mutex_);
        error_ = std::current_exception();
      }
      done_.notify_one();
    }
  }

  RankAverage& average_;
  float* gradients_;
  std::vector<model::Bucket> buckets_;
  Clock now_ns_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::size_t filled_ = 0, averaged_ = 0;  // buckets of this step
  std::int64_t busy_ns_ = 0;
  std::exception_ptr error_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace assay::plugins::train_step
