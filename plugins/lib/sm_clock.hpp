// SPDX-License-Identifier: Apache-2.0
//
// The mean clock of a GPU's multiprocessors over a stretch of work, by their own counters: two short kernels
// around it, no management library.
#pragma once

#include <assay/cuda/clock.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>

#include <cstdint>
#include <cuda_runtime.h>

namespace assay::plugins {

namespace detail {

struct __align__(16) ClockReading {  // written at once
  std::uint64_t cycles, nanoseconds;
};

template <class = void>
__global__ void read_clock_kernel(ClockReading* by_processor, unsigned processors) {
  unsigned processor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  if (processor >= processors) return;
  by_processor[processor] = {static_cast<std::uint64_t>(clock64()), cuda::device_now_ns()};
}

}  // namespace detail

class SmClock {
 public:
  explicit SmClock(const cuda::Device& device)
      : processors_(static_cast<unsigned>(device.sm_count())),
        readings_((device.make_current(),
                   cuda::PinnedBuffer<detail::ClockReading>(2 * processors_, cudaHostAllocMapped))) {
    void* seen_by_device = nullptr;
    ASSAY_CUDA_CHECK(cudaHostGetDevicePointer(&seen_by_device, readings_.data(), 0));
    on_device_ = static_cast<detail::ClockReading*>(seen_by_device);
  }

  // Queue these before and after the work, then wait, then ask.
  void begin(cudaStream_t stream) {
    for (unsigned i = 0; i < 2 * processors_; ++i) readings_[i] = {0, 0};
    read(stream, 0);
  }
  void end(cudaStream_t stream) { read(stream, processors_); }

  // Sums over the processors that both kernels ran on; zeros if there was none.
  struct Elapsed {
    double cycles = 0, seconds = 0;
  };
  Elapsed elapsed() const {
    Elapsed sum;
    for (unsigned i = 0; i < processors_; ++i) {
      const detail::ClockReading& first = readings_[i];
      const detail::ClockReading& last = readings_[processors_ + i];
      if (first.nanoseconds == 0 || last.nanoseconds <= first.nanoseconds || last.cycles <= first.cycles)
        continue;
      sum.cycles += static_cast<double>(last.cycles - first.cycles);
      sum.seconds += static_cast<double>(last.nanoseconds - first.nanoseconds) * 1e-9;
    }
    return sum;
  }

 private:
  void read(cudaStream_t stream, unsigned offset) const {
    // More blocks than processors, so that idle ones get one each.
    detail::read_clock_kernel<void><<<4 * processors_, 1, 0, stream>>>(on_device_ + offset, processors_);
    ASSAY_CUDA_CHECK_LAUNCH("the clock's reading");
  }

  unsigned processors_;
  cuda::PinnedBuffer<detail::ClockReading> readings_;
  detail::ClockReading* on_device_ = nullptr;
};

}  // namespace assay::plugins
