// SPDX-License-Identifier: Apache-2.0
//
// Averages buckets of gradients over ranks, as they are or compressed: on a thread of its own while the backward pass goes on, or after it.
#pragma once

#include "lib/model/buckets.hpp"
#include "train_step/compression.hpp"
#include "train_step/phase_times.hpp"
#include "train_step/rank_exchange.hpp"
#include "train_step/transfer_line.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

class Communication {
 public:
  using Clock = std::function<std::int64_t()>;  // [any thread] nanoseconds

  // `exchange` outlives it, and is stopped by the destructor; so does `compression`, which may be null. With
  // `overlap` it has a thread. Throws std::system_error if that cannot start.
  Communication(RankExchange& exchange, float* gradients, std::vector<model::Bucket> buckets, bool overlap,
                Clock now_ns, Compression* compression = nullptr)
      : exchange_(exchange),
        compression_(compression),
        gradients_(gradients),
        buckets_(std::move(buckets)),
        overlap_(overlap),
        now_ns_(std::move(now_ns)),
        line_([this](std::size_t bucket) { average(bucket); }, [this] { exchange_.stop(); }, overlap) {}
  Communication(const Communication&) = delete;
  Communication& operator=(const Communication&) = delete;

  Compression* compression() const { return compression_; }

  // The gradients of this tensor and of all behind it are there: buckets that they fill may go.
  void ready(int lowest_tensor) {
    while (filled_ < buckets_.size() && buckets_[filled_].lowest_tensor >= lowest_tensor) ++filled_;
    if (overlap_) line_.allow(filled_);
  }

  // All gradients are there: returns when they are averaged. The next step may begin then. Throws what averaging threw,
  // on whichever thread.
  void finish() {
    line_.allow(buckets_.size());
    line_.wait(buckets_.size());
    line_.begin();
    filled_ = 0;
    averaged_.swap(averages_);
    averages_.clear();
  }

  // When each bucket of the step that was finished last was averaged.
  const std::vector<PhaseSpan>& averages() const { return averaged_; }

 private:
  void average(std::size_t number) {
    const std::int64_t begin = now_ns_();
    const model::Bucket& bucket = buckets_[number];
    if (compression_ != nullptr) {
      compression_->average(number, gradients_);
    } else {
      exchange_.average(gradients_ + bucket.offset, bucket.size, number % RankExchange::kSlots);
    }
    averages_.push_back({Phase::communication, begin, now_ns_()});
  }

  RankExchange& exchange_;
  Compression* compression_;
  float* gradients_;
  std::vector<model::Bucket> buckets_;
  bool overlap_;
  Clock now_ns_;
  std::size_t filled_ = 0;           // buckets of this step
  std::vector<PhaseSpan> averages_;  // of the thread that averages, until a step has waited for it
  std::vector<PhaseSpan> averaged_;
  TransferLine line_;  // last: its thread uses what is above
};

}  // namespace assay::plugins::train_step
