// SPDX-License-Identifier: Apache-2.0
//
// The transfers of a step on a GPU, in a stream beside the one that computes: each begins once that stream has come to
// where it may, and that stream waits where it needs one. What is queued may be captured.
#pragma once

#include "train_step/phase_times.hpp"

#include <assay/cuda/error.hpp>
#include <assay/cuda/stream.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

inline std::int64_t nanoseconds_between(const cuda::Event& begin, const cuda::Event& end) {
  return std::llround(cuda::seconds_between(begin, end) * 1e9);
}

// Calls from one thread, with one computing stream.
class DeviceTransfers {
 public:
  // `beside` is the stream of transfers. `overlap` false: what computes waits for each of them.
  DeviceTransfers(cudaStream_t beside, bool overlap) : beside_(beside), overlap_(overlap) {}

  void begin_step() { count_ = 0; }
  // Queues a transfer: what `queue` queues in the stream beside, once `stream` has come here.
  void add(cudaStream_t stream, Phase phase, const std::function<void()>& queue) {
    if (timed_.size() == count_) timed_.emplace_back();
    Timed& at = timed_[count_++];
    at.phase = phase;
    at.exchanges = 0;
    here_.record(stream);
    ASSAY_CUDA_CHECK(cudaStreamWaitEvent(beside_, here_, 0));
    at.begun.record_anywhere(beside_);
    queue();
    at.ended.record_anywhere(beside_);
    at.through.record(beside_);
    if (!overlap_) wait(stream, count_);
  }
  // Within `queue` of a transfer that computes what it sends and what it makes of it: that which is sent.
  void exchange(const std::function<void()>& queue) {
    Timed& at = timed_[count_ - 1];
    while (at.sent.size() <= at.exchanges) {
      at.sent.emplace_back();
      at.received.emplace_back();
    }
    at.sent[at.exchanges].record_anywhere(beside_);
    queue();
    at.received[at.exchanges++].record_anywhere(beside_);
  }
  // `stream` goes on when this many transfers of the step are through.
  void wait(cudaStream_t stream, std::size_t transfers) const {
    if (transfers != 0) ASSAY_CUDA_CHECK(cudaStreamWaitEvent(stream, timed_[transfers - 1].through, 0));
  }
  // That were added in this step.
  std::size_t count() const { return count_; }

  // Of the last step, once it is done: while transfers were under way, waiting for other ranks included.
  void add_seconds(PhaseSeconds& to) const {
    for (std::size_t i = 0; i < count_; ++i) {
      const double seconds = cuda::seconds_between(timed_[i].begun, timed_[i].ended);
      to[static_cast<std::size_t>(Phase::communication)] += seconds;
      double exchanged = 0;
      for (std::size_t each = 0; each < timed_[i].exchanges; ++each)
        exchanged += cuda::seconds_between(timed_[i].sent[each], timed_[i].received[each]);
      if (timed_[i].exchanges != 0) to[static_cast<std::size_t>(Phase::compression)] += seconds - exchanged;
      if (timed_[i].phase != Phase::communication) to[static_cast<std::size_t>(timed_[i].phase)] += seconds;
    }
  }
  // The same one by one, from `begin` on.
  void add_spans(const cuda::Event& begin, std::vector<PhaseSpan>& to) const {
    for (std::size_t i = 0; i < count_; ++i) {
      to.push_back({timed_[i].phase, nanoseconds_between(begin, timed_[i].begun),
                    nanoseconds_between(begin, timed_[i].ended)});
    }
  }

 private:
  struct Timed {
    Phase phase = Phase::communication;
    cuda::Event begun, ended, through;  // all but the last keep time, in graphs too
    std::size_t exchanges = 0;
    std::deque<cuda::Event> sent, received;
  };

  const cudaStream_t beside_;
  const bool overlap_;
  cuda::Event here_;
  std::deque<Timed> timed_;
  std::size_t count_ = 0;
};

}  // namespace assay::plugins::train_step
