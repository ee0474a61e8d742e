// SPDX-License-Identifier: Apache-2.0
//
// Reading a roof on a GPU.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/stream.hpp>

#include <cuda_runtime_api.h>

namespace assay::plugins::roofline {

// Seconds of the fastest of a few runs of what `queue` queues in the stream: a roof is what is reached at
// best.
template <class Queue>
double fastest(const Case& run, cudaStream_t stream, Queue&& queue) {
  constexpr int kReadings = 8;
  const cuda::Event begin, end;
  double best_s = 0;
  for (int reading = 0; reading <= kReadings; ++reading) {
    begin.record(stream);
    queue();
    ASSAY_CUDA_CHECK_LAUNCH("a roof's work");
    end.record(stream);
    cuda::wait(run, end);
    const double now_s = cuda::seconds_between(begin, end);
    // The first loads the kernel.
    if (reading == 1 || (reading > 1 && now_s < best_s)) best_s = now_s;
  }
  return best_s;
}

}  // namespace assay::plugins::roofline
