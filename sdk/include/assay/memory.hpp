// SPDX-License-Identifier: Apache-2.0
//
// Host memory that the host counts, so that a leak is named in the result.
#pragma once

#include <assay/abi/v1.h>
#include <assay/case.hpp>
#include <assay/errors.hpp>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace assay {

// An aligned array of plain data. Pages are not touched: who writes them first decides their NUMA node.
// Move-only.
template <class Element>
class HostBuffer {
  static_assert(std::is_trivially_copyable_v<Element>, "elements are never constructed");

 public:
  HostBuffer() = default;

  // `alignment` in bytes, a power of two. Throws Failure with ASSAY_E_RESOURCE if there is not enough memory.
  HostBuffer(const Case& run, std::size_t count, std::size_t alignment = 4096)
      : host_(run.host()), service_(run.service<assay_memory_v1>(ASSAY_SERVICE_MEMORY)), count_(count) {
    if (count > (std::numeric_limits<std::size_t>::max() - alignment) / sizeof(Element)) out_of_memory();
    const std::size_t bytes = (count * sizeof(Element) + alignment - 1) / alignment * alignment;
    if (bytes == 0) return;
    data_ = static_cast<Element*>(service_ ? service_->allocate(host_, bytes, alignment)
                                           : std::aligned_alloc(alignment, bytes));
    if (!data_) out_of_memory();
  }

  HostBuffer(HostBuffer&& other) noexcept { swap(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    HostBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~HostBuffer() {
    if (!data_) return;
    if (service_) {
      service_->free(host_, data_);
    } else {
      std::free(data_);
    }
  }

  Element* data() { return data_; }
  const Element* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(Element); }
  Element& operator[](std::size_t index) { return data_[index]; }
  const Element& operator[](std::size_t index) const { return data_[index]; }
  Element* begin() { return data_; }
  Element* end() { return data_ + count_; }
  const Element* begin() const { return data_; }
  const Element* end() const { return data_ + count_; }

  void swap(HostBuffer& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(service_, other.service_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }

 private:
  [[noreturn]] void out_of_memory() const {
    throw Failure("not enough host memory for " + std::to_string(count_) + " elements of " +
                      std::to_string(sizeof(Element)) + " bytes",
                  ASSAY_E_RESOURCE);
  }

  const assay_case* host_ = nullptr;
  const assay_memory_v1* service_ = nullptr;
  Element* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace assay
