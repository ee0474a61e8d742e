// SPDX-License-Identifier: Apache-2.0
//
// The device's clocks: a kernel that lasts for a given time, and the step of the events' clock.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/stream.hpp>

#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>
#include <vector>

namespace assay::cuda {

// Nanoseconds of the device's global timer; it steps by 32 ns or more.
__device__ inline std::uint64_t device_now_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

namespace detail {

template <class = void>
__global__ void spin_kernel(std::uint64_t nanoseconds) {
  const std::uint64_t begin = device_now_ns();
  while (device_now_ns() - begin < nanoseconds) {
  }
}

}  // namespace detail

// Keeps one thread of the device busy for this long.
inline void spin(cudaStream_t stream, std::uint64_t nanoseconds) {
  detail::spin_kernel<void><<<1, 1, 0, stream>>>(nanoseconds);
  ASSAY_CUDA_CHECK_LAUNCH("spin");
}

// Seconds of the smallest step that the events' clock shows between durations that differ.
inline double event_tick_s(const Case& run, cudaStream_t stream) {
  constexpr std::size_t kPairs = 64;
  constexpr std::uint64_t kShortest_ns = 1000, kStep_ns = 37;  // 37: no multiple of a likely step
  constexpr double kRounding_s = 1e-9;                         // durations come as single precision
  constexpr double kDocumented_s = 0.5e-6;                     // of cudaEventElapsedTime
  std::vector<Event> events(2 * kPairs);
  spin(stream, 0);
  for (std::size_t i = 0; i < kPairs; ++i) {
    events[2 * i].record(stream);
    spin(stream, kShortest_ns + i * kStep_ns);
    events[2 * i + 1].record(stream);
  }
  wait(run, events.back());
  std::vector<double> durations;
  for (std::size_t i = 0; i < kPairs; ++i)
    durations.push_back(seconds_between(events[2 * i], events[2 * i + 1]));
  std::sort(durations.begin(), durations.end());
  double smallest = kDocumented_s;
  for (std::size_t i = 1; i < kPairs; ++i) {
    const double step = durations[i] - durations[i - 1];
    if (step > kRounding_s) smallest = std::min(smallest, step);
  }
  return smallest;
}

}  // namespace assay::cuda
