// SPDX-License-Identifier: Apache-2.0
//
// Timing an algorithm in a trial: under the load that the case reports, held or in short bursts from idle.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/cache.hpp>
#include <assay/cuda/stream.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <thread>

namespace assay::plugins::gemm {

class Stopwatch {
 public:
  // Queues iteration `i`.
  using Queue = std::function<void(std::uint64_t i)>;

  // With a flush each iteration begins with a cold cache, and flushes are not counted.
  Stopwatch(const Case& run, cudaStream_t stream, const cuda::CacheFlush* flush)
      : run_(run), stream_(stream), flush_(flush) {}

  // Seconds per iteration of a held load of about `seconds`, by its second half: the first lets a power limit
  // settle. `estimate_s` is what one iteration takes, about.
  double held(const Queue& queue, double seconds, double estimate_s) {
    const std::uint64_t half = iterations(seconds / 2, estimate_s);
    return timed(queue, half, half);
  }

  // The same of a short burst of about `seconds`, and a rest after it that keeps the mean power low.
  double burst(const Queue& queue, double seconds, double estimate_s) {
    const std::uint64_t n = iterations(seconds, estimate_s);
    const double iteration_s = timed(queue, 0, n);
    rest(kRest * iteration_s * static_cast<double>(n));
    return iteration_s;
  }

  // Seconds of one iteration, roughly.
  double once(const Queue& queue) {
    timed(queue, 0, 1);
    return timed(queue, 0, 2);
  }

  // Leaves the device idle.
  void rest(double seconds) const {
    for (; seconds > 0; seconds -= kRestSlice_s) {
      run_.throw_if_cancelled();
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, kRestSlice_s)));
    }
  }

 private:
  static constexpr double kRest = 4;  // times as long as the burst
  static constexpr double kRestSlice_s = 0.01;

  static std::uint64_t iterations(double seconds, double estimate_s) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(seconds / estimate_s)));
  }

  double timed(const Queue& queue, std::uint64_t ahead, std::uint64_t n) {
    if (flush_ != nullptr) return timed_cold(queue, n);
    for (std::uint64_t i = 0; i < ahead; ++i) queue(i);
    begin_.record(stream_);
    for (std::uint64_t i = 0; i < n; ++i) queue(i);
    end_.record(stream_);
    cuda::wait(run_, end_);
    return std::max(cuda::seconds_between(begin_, end_), 1e-7) / static_cast<double>(n);
  }

  // Of single iterations, of which a few dozen are enough.
  double timed_cold(const Queue& queue, std::uint64_t n) {
    n = std::min(n, kMostCold);
    double sum_s = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      flush_->enqueue(stream_);
      begin_.record(stream_);
      queue(i);
      end_.record(stream_);
      cuda::wait(run_, end_);
      sum_s += cuda::seconds_between(begin_, end_);
    }
    return std::max(sum_s, 1e-7) / static_cast<double>(n);
  }

  static constexpr std::uint64_t kMostCold = 64;

  const Case& run_;
  cudaStream_t stream_;
  const cuda::CacheFlush* flush_;
  cuda::Event begin_, end_;
};

}  // namespace assay::plugins::gemm
