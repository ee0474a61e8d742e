// SPDX-License-Identifier: Apache-2.0
//
// Memory of the device, and host memory that copies to it can be fast from. Nothing is touched or cleared.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/errors.hpp>
#include <assay/memory.hpp>

#include <cstddef>
#include <cuda_runtime_api.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace assay::cuda {
namespace detail {

// An array that somebody else's functions allocate and free. Move-only.
template <class Element>
class Array {
 public:
  Array() = default;
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  Array(const Array&) = delete;  // owns memory
  Array& operator=(const Array&) = delete;

  Element* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(Element); }

 protected:
  ~Array() = default;

  static std::size_t bytes_of(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(Element)) {
      throw Failure(std::to_string(count) + " elements of " + std::to_string(sizeof(Element)) +
                        " bytes are more than memory can hold",
                    ASSAY_E_RESOURCE);
    }
    return count * sizeof(Element);
  }

  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }

  Element* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace detail

// Device memory, by cudaMalloc.
template <class Element>
class DeviceBuffer : public detail::Array<Element> {
 public:
  DeviceBuffer() = default;
  // On `device`, which becomes the current one. Throws Failure with ASSAY_E_RESOURCE, which says how much was
  // free.
  DeviceBuffer(const Device& device, std::size_t count) {
    const std::size_t bytes = this->bytes_of(count);
    device.make_current();
    void* memory = nullptr;
    const cudaError_t code = bytes == 0 ? cudaSuccess : cudaMalloc(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      const Device::Memory now = device.memory();
      throw Failure("not enough device memory for " + std::to_string(bytes) + " bytes; " + device.name() +
                        " has " + std::to_string(now.free_bytes) + " of " + std::to_string(now.total_bytes) +
                        " free",
                    ASSAY_E_RESOURCE, "cuda", code);
    }
    check(code, "cudaMalloc");
    this->data_ = static_cast<Element*>(memory);
    this->count_ = count;
  }
  DeviceBuffer(DeviceBuffer&&) noexcept = default;
  DeviceBuffer& operator=(DeviceBuffer&&) noexcept = default;
  ~DeviceBuffer() {
    if (this->data_) cudaFree(this->data_);
  }

  // A copy of `count` elements from `first` on. Waits for the stream's earlier work.
  std::vector<Element> copy_back(cudaStream_t stream, std::size_t first, std::size_t count) const {
    std::vector<Element> copy(count);
    ASSAY_CUDA_CHECK(cudaMemcpyAsync(copy.data(), this->data_ + first, count * sizeof(Element),
                                     cudaMemcpyDeviceToHost, stream));
    ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
    return copy;
  }
};

// Host memory that the driver allocates page-locked; devices can reach it.
template <class Element>
class PinnedBuffer : public detail::Array<Element> {
 public:
  PinnedBuffer() = default;
  // `flags` as of cudaHostAlloc. Throws Failure with ASSAY_E_RESOURCE.
  explicit PinnedBuffer(std::size_t count, unsigned flags = cudaHostAllocDefault) {
    const std::size_t bytes = this->bytes_of(count);
    void* memory = nullptr;
    if (bytes != 0) ASSAY_CUDA_CHECK(cudaHostAlloc(&memory, bytes, flags));
    this->data_ = static_cast<Element*>(memory);
    this->count_ = count;
  }
  PinnedBuffer(PinnedBuffer&&) noexcept = default;
  PinnedBuffer& operator=(PinnedBuffer&&) noexcept = default;
  ~PinnedBuffer() {
    if (this->data_) cudaFreeHost(this->data_);
  }

  Element& operator[](std::size_t index) const { return this->data_[index]; }
};

// Host memory that the host counts (assay/memory.hpp), page-locked afterwards. Touch it first, from where its
// pages shall lie. Move-only.
template <class Element>
class RegisteredBuffer {
 public:
  RegisteredBuffer() = default;
  explicit RegisteredBuffer(HostBuffer<Element> buffer) : buffer_(std::move(buffer)) {
    if (buffer_.bytes() != 0) {
      ASSAY_CUDA_CHECK(cudaHostRegister(buffer_.data(), buffer_.bytes(), cudaHostRegisterDefault));
    }
  }
  RegisteredBuffer(RegisteredBuffer&& other) noexcept { std::swap(buffer_, other.buffer_); }
  RegisteredBuffer& operator=(RegisteredBuffer&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~RegisteredBuffer() {
    if (buffer_.bytes() != 0) cudaHostUnregister(buffer_.data());
  }

  Element* data() { return buffer_.data(); }
  std::size_t size() const { return buffer_.size(); }
  std::size_t bytes() const { return buffer_.bytes(); }
  Element& operator[](std::size_t index) { return buffer_[index]; }

 private:
  HostBuffer<Element> buffer_;
};

}  // namespace assay::cuda
