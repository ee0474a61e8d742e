// SPDX-License-Identifier: Apache-2.0
//
// One GPU's input and output of a collective operation, in memory that nobody else may touch around them.
#pragma once

#include "collective/operation.hpp"

#include <assay/cuda/device.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/errors.hpp>
#include <assay/nccl.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::plugins::collective {

enum class Registration { none, local, symmetric };

// Before and behind each buffer. Buffers begin on a page, as they do in programs.
inline constexpr std::size_t kDeviceCanaryBytes = 4096;
inline constexpr unsigned char kDeviceCanary = 0xC7, kDeviceUntouched = 0xA5;

class DeviceBuffers {
 public:
  // Bytes of device memory for them.
  static std::size_t bytes_for(const Layout& layout, bool in_place, std::size_t element_bytes) {
    const std::size_t send = layout.send_count * element_bytes,
                      receive = layout.receive_count * element_bytes;
    const std::size_t held = in_place ? std::max(send, receive) : send + receive;
    return held + 4 * kDeviceCanaryBytes + 2 * kRound;
  }

  // `layout` is without gaps, in elements. Registering is collective: all ranks come here at once.
  DeviceBuffers(const cuda::Device& device, const nccl::Communicator& communicator, std::size_t index,
                const Layout& layout, bool in_place, std::size_t element_bytes, Registration registration)
      : handle_(communicator.handle(index)) {
    const std::size_t send = layout.send_count * element_bytes,
                      receive = layout.receive_count * element_bytes;
    const bool shared = in_place && send > 0 && receive > 0;
    const std::size_t first = allocate(device, registration, shared ? std::max(send, receive) : send);
    const std::size_t second = shared ? first : allocate(device, registration, receive);
    send_ = at(first) + (shared ? layout.send * element_bytes : 0);
    receive_ = at(second) + (shared ? layout.receive * element_bytes : 0);
    send_bytes_ = send;
    receive_bytes_ = receive;
    enroll(registration);
  }
  DeviceBuffers(const DeviceBuffers&) = delete;  // the library holds its addresses
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;

  // To be called while the communicator can be used; what an aborted one knew is gone with it.
  void withdraw() {
    const nccl::Library& nccl = nccl::Library::get();
    for (void* const known : std::exchange(local_, {})) nccl.ncclCommDeregister(handle_, known);
#if NCCL_VERSION_CODE >= 22700
    for (const ncclWindow_t known : std::exchange(windows_, {}))
      nccl.ncclCommWindowDeregister(handle_, known);
#endif
  }

  std::byte* send() const { return send_; }
  std::byte* receive() const { return receive_; }
  std::size_t send_bytes() const { return send_bytes_; }
  std::size_t receive_bytes() const { return receive_bytes_; }

  // Calls each(begin, bytes) for what lies around the buffers.
  template <class Each>
  void around(Each&& each) const {
    for (const Piece& piece : pieces_) {
      each(piece.memory, kDeviceCanaryBytes);
      each(piece.memory + kDeviceCanaryBytes + piece.bytes, kDeviceCanaryBytes);
    }
  }

 private:
  static constexpr std::size_t kRound = 4096;  // of a symmetric window's size and place

  struct Piece {
    std::byte* memory = nullptr;  // of the canary before it
    std::size_t bytes = 0;        // between the canaries
  };

  std::byte* at(std::size_t piece) const { return pieces_[piece].memory + kDeviceCanaryBytes; }

  std::size_t allocate(const cuda::Device& device, Registration registration, std::size_t bytes) {
    const std::size_t whole = (bytes + 2 * kDeviceCanaryBytes + kRound - 1) / kRound * kRound;
    if (registration == Registration::none) {
      plain_.emplace_back(device, whole);
      pieces_.push_back({plain_.back().data(), bytes});
    } else {
      registrable_.emplace_back(device, whole);
      pieces_.push_back({registrable_.back().data(), bytes});
    }
    return pieces_.size() - 1;
  }

  void enroll(Registration registration) {
    const nccl::Library& nccl = nccl::Library::get();
    for (const nccl::Buffer& buffer : registrable_) {
      if (registration == Registration::local) {
        void* known = nullptr;
        ASSAY_NCCL_CHECK(nccl.ncclCommRegister(handle_, buffer.data(), buffer.bytes(), &known));
        local_.push_back(known);
        continue;
      }
#if NCCL_VERSION_CODE >= 22700
      ncclWindow_t known = nullptr;
      ASSAY_NCCL_CHECK(nccl.ncclCommWindowRegister(handle_, buffer.data(), buffer.bytes(), &known,
                                                   NCCL_WIN_COLL_SYMMETRIC));
      windows_.push_back(known);
#endif
    }
  }

  ncclComm_t handle_;
  std::vector<cuda::DeviceBuffer<std::byte>> plain_;
  std::vector<nccl::Buffer> registrable_;
  std::vector<Piece> pieces_;
  std::vector<void*> local_;
#if NCCL_VERSION_CODE >= 22700
  std::vector<ncclWindow_t> windows_;
#endif
  std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;
  std::size_t send_bytes_ = 0, receive_bytes_ = 0;
};

}  // namespace assay::plugins::collective
