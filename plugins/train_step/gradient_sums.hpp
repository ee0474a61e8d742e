// SPDX-License-Identifier: Apache-2.0
//
// Sums gradients over the GPUs of several ranks, bucket by bucket: while the backward pass goes on, or behind it.
#pragma once

#include "lib/model/buckets.hpp"
#include "lib/model/cuda_halves.hpp"
#include "train_step/collectives.hpp"
#include "train_step/device_transfers.hpp"
#include "train_step/low_rank_sums.hpp"

#include <cstddef>
#include <cuda_runtime_api.h>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {

// The gradients of one step, on the device.
struct SummedArray {
  std::byte* gradients = nullptr;  // in the type of parameters
  std::size_t element_bytes = 4;
  std::vector<model::Bucket> buckets;
  bool overlap = true;
  bool average = false;  // each rank has its own; else shares of the average
  // Memory for the largest bucket in fp16, which is averaged in place of fp32; null: gradients are averaged as they are.
  __half* halves = nullptr;
  const LowRankSums* low_rank = nullptr;  // what sums matrices of few columns in their place; null likewise
};

// Calls from one thread. Both arguments outlive it. What it queues may be captured.
class GradientSums {
 public:
  GradientSums(const Collectives& collectives, DeviceTransfers& transfers, SummedArray array)
      : collectives_(collectives), transfers_(transfers), array_(std::move(array)) {}

  // Gradients of this tensor and of all behind it are there once `stream` comes here: buckets that they fill may go.
  void ready(cudaStream_t stream, int lowest_tensor) {
    if (array_.overlap) queue_filled(stream, lowest_tensor);
  }
  // All of them are there then. `stream` goes on when they are summed.
  void finish(cudaStream_t stream) {
    queue_filled(stream, 0);
    next_ = 0;
    transfers_.wait(stream, transfers_.count());
  }
  std::size_t buckets() const { return array_.buckets.size(); }

 private:
  void queue_filled(cudaStream_t stream, int lowest_tensor) {
    while (next_ < array_.buckets.size() && array_.buckets[next_].lowest_tensor >= lowest_tensor) {
      const std::size_t number = next_++;
      transfers_.add(stream, Phase::communication, [&] { sum(number); });
    }
  }
  void sum(std::size_t number) {
    const model::Bucket& bucket = array_.buckets[number];
    if (array_.low_rank != nullptr) {
      return array_.low_rank->sum(number, reinterpret_cast<float*>(array_.gradients),
                                  [this](const auto& queue) { transfers_.exchange(queue); });
    }
    std::byte* const numbers = array_.gradients + bucket.offset * array_.element_bytes;
    if (array_.halves == nullptr) return collectives_.sum(numbers, bucket.size, array_.average);
    model::round_to_halves(collectives_.stream(), bucket.size, reinterpret_cast<const float*>(numbers),
                           array_.halves);
    transfers_.exchange([&] { collectives_.sum_halves(array_.halves, bucket.size, array_.average); });
    model::widen_halves(collectives_.stream(), bucket.size, array_.halves, reinterpret_cast<float*>(numbers));
  }

  const Collectives& collectives_;
  DeviceTransfers& transfers_;
  const SummedArray array_;
  std::size_t next_ = 0;  // the bucket of this step that is summed next
};

}  // namespace assay::plugins::train_step
