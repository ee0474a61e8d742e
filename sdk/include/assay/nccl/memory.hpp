// SPDX-License-Identifier: Apache-2.0
//
// Device memory that NCCL allocates, so that it can be registered in every way that NCCL knows.
#pragma once

#include <assay/cuda/device.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/nccl/library.hpp>

#include <cstddef>

namespace assay::nccl {

// Device memory, by ncclMemAlloc. Move-only.
class Buffer : public cuda::detail::Array<std::byte> {
 public:
  Buffer() = default;
  // On `device`, which becomes the current one.
  Buffer(const cuda::Device& device, std::size_t bytes) {
    device.make_current();
    void* memory = nullptr;
    if (bytes != 0) ASSAY_NCCL_CHECK(Library::get().ncclMemAlloc(&memory, bytes));
    data_ = static_cast<std::byte*>(memory);
    count_ = bytes;
  }
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&&) noexcept = default;
  ~Buffer() {
    if (data_) Library::get().ncclMemFree(data_);
  }
};

}  // namespace assay::nccl
