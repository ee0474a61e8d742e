// SPDX-License-Identifier: Apache-2.0
//
// A start gate: work is queued behind a kernel that waits for the host, so that what the host needs for
// submitting stays out of the timed region.
#pragma once

#include <assay/cuda/clock.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/errors.hpp>

#include <atomic>
#include <cstdint>
#include <cuda_runtime.h>
#include <string>

namespace assay::cuda {

// Device operations that may wait behind a closed gate. A stream holds 1021 (H200, CUDA 13.0, driver 580);
// then submitting blocks until the gate gives up. A kernel or a copy is one, a copy from another device's
// memory into that of the stream's device three, and each copy in a graph one, while a graph's kernels are
// none: tests/gpu/probes/gate_places.cu counts them.
inline constexpr std::uint64_t kGateLimit = 512;
inline constexpr std::uint64_t kPullOperations = 3;

namespace detail {

// Shared by host and device: the newest gate that was opened, and the newest that gave up waiting.
struct GateWords {
  std::uint32_t opened;
  std::uint32_t gave_up;
};

template <class = void>
__global__ void gate_kernel(volatile GateWords* words, std::uint32_t number, std::uint64_t longest_ns) {
  const std::uint64_t begin = device_now_ns();
  while (static_cast<std::int32_t>(words->opened - number) < 0) {
    if (device_now_ns() - begin > longest_ns) {
      words->gave_up = number;
      __threadfence_system();
      return;
    }
  }
}

}  // namespace detail

// For one stream at a time. While it is closed nothing may be called that waits for the device, allocates on
// it, or launches a kernel for the first time.
class Gate {
 public:
  // A gate that nobody opens gives up after `longest_s`: nothing stays hung.
  explicit Gate(const Device& device, double longest_s = 10)
      : words_((device.make_current(), PinnedBuffer<detail::GateWords>(1, cudaHostAllocMapped))),
        longest_ns_(static_cast<std::uint64_t>(longest_s * 1e9)) {
    words_[0] = {0, 0};
    void* seen_by_device = nullptr;
    ASSAY_CUDA_CHECK(cudaHostGetDevicePointer(&seen_by_device, words_.data(), 0));
    on_device_ = static_cast<detail::GateWords*>(seen_by_device);
  }
  Gate(const Gate&) = delete;  // a kernel may hold its address
  Gate& operator=(const Gate&) = delete;
  ~Gate() { open(); }

  void close(cudaStream_t stream) {
    ++number_;
    is_open_ = false;
    detail::gate_kernel<void><<<1, 1, 0, stream>>>(on_device_, number_, longest_ns_);
    ASSAY_CUDA_CHECK_LAUNCH("the start gate");
  }

  // Lets the stream go on. Does not wait.
  void open() noexcept {
    if (is_open_) return;
    is_open_ = true;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    *static_cast<volatile std::uint32_t*>(&words_[0].opened) = number_;
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  bool is_open() const { return is_open_; }

  // Once the stream's work is done: throws Failure with ASSAY_E_TIMEOUT if the gate gave up before it was
  // opened, because then the region was not gated.
  void check_held() const {
    if (*static_cast<volatile std::uint32_t*>(&words_[0].gave_up) != number_) return;
    throw Failure("the start gate gave up after " + std::to_string(longest_ns_ / 1000000) +
                      " ms: queueing behind it blocked, or took longer",
                  ASSAY_E_TIMEOUT);
  }

 private:
  PinnedBuffer<detail::GateWords> words_;
  detail::GateWords* on_device_ = nullptr;
  std::uint64_t longest_ns_;
  std::uint32_t number_ = 0;
  bool is_open_ = true;
};

}  // namespace assay::cuda
