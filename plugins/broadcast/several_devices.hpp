// SPDX-License-Identifier: Apache-2.0
//
// What work of several devices needs besides streams: to be on another device for a moment, signals between
// their streams, and peer access.
#pragma once

#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>

#include <cuda_runtime_api.h>
#include <utility>
#include <vector>

namespace assay::plugins::broadcast {

using Devices = std::vector<cuda::Device>;

// Makes a device the current one of the calling thread for a scope.
class OnDevice {
 public:
  explicit OnDevice(int ordinal) {
    ASSAY_CUDA_CHECK(cudaGetDevice(&before_));
    ASSAY_CUDA_CHECK(cudaSetDevice(ordinal));
  }
  explicit OnDevice(const cuda::Device& device) : OnDevice(device.ordinal()) {}
  OnDevice(const OnDevice&) = delete;  // a scope's guard
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

// An event that streams of any device can wait for, and that keeps no time: cheaper than one that does. Of
// the device that is current when it is made; only that device's streams can record it. Move-only.
class Signal {
 public:
  Signal() { ASSAY_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  Signal(Signal&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Signal& operator=(Signal&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Signal() {
    if (event_) cudaEventDestroy(event_);
  }

  void record(cudaStream_t stream) const { ASSAY_CUDA_CHECK(cudaEventRecord(event_, stream)); }
  // The stream waits for what was recorded last; recording anew later changes nothing for it.
  void hold(cudaStream_t stream) const { ASSAY_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0)); }

 private:
  cudaEvent_t event_ = nullptr;
};

// Lets one device reach another's memory without a detour through the host's, if they can; put back at the
// end.
class PeerAccess {
 public:
  PeerAccess(int from, int to) : from_(from), to_(to) {
    int possible = 0;
    ASSAY_CUDA_CHECK(cudaDeviceCanAccessPeer(&possible, from, to));
    if (possible == 0) return;
    const OnDevice on(from);
    const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
    if (code == cudaErrorTooManyPeers || code == cudaErrorPeerAccessAlreadyEnabled) {
      cudaGetLastError();
    } else {
      cuda::check(code, "cudaDeviceEnablePeerAccess");
    }
    direct_ = code != cudaErrorTooManyPeers;
    own_ = code == cudaSuccess;
  }
  PeerAccess(const PeerAccess&) = delete;  // puts back what it enabled
  PeerAccess& operator=(const PeerAccess&) = delete;
  ~PeerAccess() {
    int before = 0;
    if (!own_ || cudaGetDevice(&before) != cudaSuccess) return;
    if (cudaSetDevice(from_) == cudaSuccess) cudaDeviceDisablePeerAccess(to_);
    cudaSetDevice(before);
    cudaGetLastError();
  }

  [[nodiscard]] bool direct() const { return direct_; }

 private:
  int from_, to_;
  bool direct_ = false, own_ = false;
};

}  // namespace assay::plugins::broadcast
