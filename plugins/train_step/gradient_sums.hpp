// SPDX-License-Identifier: Apache-2.0
//
// Sums gradients over the GPUs of several ranks by NCCL, bucket by bucket: in a stream of its own while the backward
// pass goes on, or behind it. Gradients are a rank's share of the average, so that their sum is the average; those that
// nothing computes are averaged, which leaves an average as it is.
#pragma once

#include "lib/model/buckets.hpp"
#include "lib/model/cuda_arithmetic.hpp"
#include "train_step/phase_times.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/group.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace assay::plugins::train_step {

inline std::int64_t nanoseconds_between(const cuda::Event& begin, const cuda::Event& end) {
  return std::llround(cuda::seconds_between(begin, end) * 1e9);
}

// Calls from one thread. What it queues may be captured.
class GradientSums {
 public:
  GradientSums() = default;
  GradientSums(const GradientSums&) = delete;  // the GPU may be busy for it
  GradientSums& operator=(const GradientSums&) = delete;
  virtual ~GradientSums() = default;

  // Gradients of this tensor and of all behind it are there once `stream` comes here: buckets that they fill may go.
  virtual void ready(cudaStream_t stream, int lowest_tensor) = 0;
  // All of them are there then. `stream` goes on when they are summed.
  virtual void finish(cudaStream_t stream) = 0;

  // Of the last step, once it is done: while operations were under way, waiting for other ranks included.
  virtual double seconds() const = 0;
  // The same bucket by bucket, from `begin` on.
  virtual std::vector<PhaseSpan> spans(const cuda::Event& begin) const = 0;
  virtual std::size_t buckets() const = 0;
};

// The gradients of one step, on the device.
struct SummedArray {
  void* gradients = nullptr;  // in the type of parameters
  model::Arithmetic arithmetic = model::Arithmetic::fp32;
  std::vector<model::Bucket> buckets;
  bool overlap = true;
  bool shares = true;  // of the average; false: each rank's own
};

// Whose gradients are summed. Outlives what is made with it.
struct SumRanks {
  const Case* run = nullptr;
  const Group* group = nullptr;
  const cuda::Device* device = nullptr;
  std::function<void()> forget_graphs;  // that hold what was queued
};

// What NCCL allocates for itself, about.
inline constexpr std::uint64_t kBytesOfSums = std::uint64_t{1} << 30;

// Every rank calls it. Where a step ends before its sums the communicator is given up by the destructor. Throws Skip
// where NCCL is not there, Cancelled when the case ends before all ranks have come.
std::unique_ptr<GradientSums> make_gradient_sums(const SumRanks& ranks, SummedArray array);
// The library that sums. Throws Skip where it is not there.
std::string library_of_sums();

}  // namespace assay::plugins::train_step
