// SPDX-License-Identifier: Apache-2.0
//
// One GPU's input and output of a collective operation, in memory that nobody else may touch around them.
#pragma once

#include "collective/operation.hpp"
#include "collective/pieces.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/errors.hpp>
#include <assay/nccl.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
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
  static std::size_t bytes_for(const Pieces& pieces, std::size_t element_bytes) {
    return (pieces.first + pieces.second) * element_bytes + 4 * kDeviceCanaryBytes + 2 * kRound;
  }

  // `layout` is without gaps, in elements, and fits into `pieces`. Registering is collective: all ranks come
  // here at once. Throws Skip where NCCL registers nothing, Cancelled when the case ends before all have
  // come.
  DeviceBuffers(const Case& run, const cuda::Device& device, nccl::Communicator& communicator,
                std::size_t index, const Layout& layout, const Pieces& pieces, std::size_t element_bytes,
                Registration registration)
      : handle_(communicator.handle(index)),
        send_bytes_(layout.send_count * element_bytes),
        receive_bytes_(layout.receive_count * element_bytes) {
    const std::size_t first = allocate(device, registration, pieces.first * element_bytes,
                                       pieces.one ? std::max(send_bytes_, receive_bytes_) : send_bytes_);
    const std::size_t second =
        pieces.one ? first : allocate(device, registration, pieces.second * element_bytes, receive_bytes_);
    const bool shared = pieces.one && send_bytes_ > 0 && receive_bytes_ > 0;
    send_ = at(first) + (shared ? layout.send * element_bytes : 0);
    receive_ = at(second) + (shared ? layout.receive * element_bytes : 0);
    try {
      enroll(run, communicator, index, registration);
    } catch (const Skip&) {
      withdraw();
      throw;
    }
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
    std::size_t bytes = 0;        // of the buffer, between the canaries
  };

  std::byte* at(std::size_t piece) const { return pieces_[piece].memory + kDeviceCanaryBytes; }

  // Place for `held` bytes, of which `bytes` are the buffer.
  std::size_t allocate(const cuda::Device& device, Registration registration, std::size_t held,
                       std::size_t bytes) {
    const std::size_t whole = (held + 2 * kDeviceCanaryBytes + kRound - 1) / kRound * kRound;
    if (registration == Registration::none) {
      plain_.emplace_back(device, whole);
      pieces_.push_back({plain_.back().data(), bytes});
    } else {
      registrable_.push_back(std::make_shared<nccl::Buffer>(device, whole));
      pieces_.push_back({registrable_.back()->data(), bytes});
    }
    return pieces_.size() - 1;
  }

  // Where NCCL registers nothing it says success all the same, and gives no handle.
  void enroll([[maybe_unused]] const Case& run, [[maybe_unused]] nccl::Communicator& communicator,
              [[maybe_unused]] std::size_t index, Registration registration) {
    const nccl::Library& nccl = nccl::Library::get();
    for (const std::shared_ptr<nccl::Buffer>& buffer : registrable_) {
      if (registration == Registration::local) {
        void* known = nullptr;
        ASSAY_NCCL_CHECK(nccl.ncclCommRegister(handle_, buffer->data(), buffer->bytes(), &known));
        if (!known) nothing_registered();
        local_.push_back(known);
        continue;
      }
#if NCCL_VERSION_CODE >= 22700
      const ncclWindow_t known = communicator.register_window(run, index, buffer);
      if (!known) nothing_registered();
      windows_.push_back(known);
#endif
    }
  }

  [[noreturn]] static void nothing_registered() {
    throw Skip(
        "NCCL took the call that registers a buffer and registered nothing, as with NCCL_LOCAL_REGISTER=0, "
        "NCCL_CUMEM_ENABLE=0 or without peer access between the GPUs; its reason is in the log with "
        "NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=REG");
  }

  ncclComm_t handle_;
  std::vector<cuda::DeviceBuffer<std::byte>> plain_;
  std::vector<std::shared_ptr<nccl::Buffer>> registrable_;  // a call that hangs shares it
  std::vector<Piece> pieces_;
  std::vector<void*> local_;
#if NCCL_VERSION_CODE >= 22700
  std::vector<ncclWindow_t> windows_;
#endif
  std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;
  std::size_t send_bytes_, receive_bytes_;
};

}  // namespace assay::plugins::collective
