// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/errors.hpp>

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

namespace assay::plugins::loader {

// Zeroed memory that the processes which this one forks share with it. It has no name, so that nothing is left
// of it however they end.
class SharedRegion {
 public:
  // Throws Failure (ASSAY_E_RESOURCE).
  explicit SharedRegion(std::size_t bytes) : bytes_(bytes == 0 ? 1 : bytes) {
    void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      const int error = errno;
      throw Failure(
          "no " + std::to_string(bytes_) + " bytes of shared memory can be had: " + std::strerror(error),
          ASSAY_E_RESOURCE, "errno", error);
    }
    data_ = static_cast<std::byte*>(memory);
  }
  SharedRegion(const SharedRegion&) = delete;  // others point into it
  SharedRegion& operator=(const SharedRegion&) = delete;
  ~SharedRegion() { ::munmap(data_, bytes_); }

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

}  // namespace assay::plugins::loader
