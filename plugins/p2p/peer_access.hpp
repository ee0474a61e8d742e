// SPDX-License-Identifier: Apache-2.0
//
// Peer access of one device to the memory of another, for as long as it is wanted.
#pragma once

#include "p2p/links.hpp"

#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/errors.hpp>

#include <cuda_runtime_api.h>

namespace assay::plugins::p2p {

// Whether kernels and copies of `from` could reach the memory of `to`.
inline bool can_reach(const cuda::Device& from, const cuda::Device& to) {
  int can = 0;
  ASSAY_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, from.ordinal(), to.ordinal()));
  return can != 0;
}

inline Link link_between(const cuda::Device& from, const cuda::Device& to) {
  const auto ask = [&](cudaDeviceP2PAttr what) {
    int value = 0;
    ASSAY_CUDA_CHECK(cudaDeviceGetP2PAttribute(&value, what, from.ordinal(), to.ordinal()));
    return value;
  };
  return {from.name(), to.name(), can_reach(from, to), ask(cudaDevP2PAttrNativeAtomicSupported) != 0,
          ask(cudaDevP2PAttrPerformanceRank)};
}

// Peer access is a state of the process: it is put back as it was found.
class PeerAccess {
 public:
  // From here on `from` reaches the memory of `to` directly, or does not. Throws Skip where `from` reaches as
  // many others as it can.
  PeerAccess(const cuda::Device& from, const cuda::Device& to, bool wanted)
      : from_(from.ordinal()), to_(to.ordinal()), wanted_(wanted) {
    from.make_current();
    const cudaError_t code = wanted ? cudaDeviceEnablePeerAccess(to_, 0) : cudaDeviceDisablePeerAccess(to_);
    if (code == (wanted ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled)) {
      cudaGetLastError();  // it was so before
      return;
    }
    if (code == cudaErrorTooManyPeers) {
      cudaGetLastError();
      throw Skip(
          from.name() + " cannot reach " + to.name() +
          " as well: without NVSwitch a GPU reaches the memory of 8 others at most; take devices: pairs, "
          "which measures two at a time");
    }
    cuda::check(code, wanted ? "cudaDeviceEnablePeerAccess" : "cudaDeviceDisablePeerAccess");
    changed_ = true;
  }
  PeerAccess(const PeerAccess&) = delete;  // it is put back once
  PeerAccess& operator=(const PeerAccess&) = delete;
  ~PeerAccess() {
    if (!changed_ || cudaSetDevice(from_) != cudaSuccess) return;
    if ((wanted_ ? cudaDeviceDisablePeerAccess(to_) : cudaDeviceEnablePeerAccess(to_, 0)) != cudaSuccess) {
      cudaGetLastError();
    }
  }

 private:
  int from_, to_;
  bool wanted_;
  bool changed_ = false;
};

}  // namespace assay::plugins::p2p
