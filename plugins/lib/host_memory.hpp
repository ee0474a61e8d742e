// SPDX-License-Identifier: Apache-2.0
//
// Memory of the host of one of the kinds that copies to a device meet.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/memory.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace assay::plugins {

enum class HostMemoryKind {
  pinned,     // allocated page-locked by the driver
  pageable,   // ordinary; the driver copies through a buffer of its own
  registered  // ordinary, page-locked afterwards
};

// An array that was touched by the thread that made it, so that its pages lie where that thread is bound to.
// Move-only.
template <class Element>
class HostMemory {
 public:
  HostMemory() = default;
  HostMemory(const Case& run, HostMemoryKind kind, std::size_t count) : count_(count) {
    if (kind == HostMemoryKind::pinned) {
      pinned_ = cuda::PinnedBuffer<Element>(count);
      data_ = pinned_.data();
      std::memset(static_cast<void*>(data_), 0xFF, bytes());
      return;
    }
    HostBuffer<Element> buffer(run, count);
    data_ = buffer.data();
    std::memset(static_cast<void*>(data_), 0xFF, bytes());
    if (kind == HostMemoryKind::pageable) {
      pageable_ = std::move(buffer);
    } else {
      registered_ = cuda::RegisteredBuffer<Element>(std::move(buffer));
    }
  }

  Element* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(Element); }

 private:
  Element* data_ = nullptr;
  std::size_t count_ = 0;
  cuda::PinnedBuffer<Element> pinned_;
  HostBuffer<Element> pageable_;
  cuda::RegisteredBuffer<Element> registered_;
};

}  // namespace assay::plugins
