// SPDX-License-Identifier: Apache-2.0
//
// For tests: ranks that are processes of their own, and memory that they share.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

namespace assay::plugins {

inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Zeros that processes which are forked afterwards share.
class Shared {
 public:
  explicit Shared(std::size_t bytes) : bytes_(bytes) {
    memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::runtime_error("no memory that processes share");
  }
  Shared(const Shared&) = delete;
  ~Shared() { ::munmap(memory_, bytes_); }
  std::byte* data() const { return static_cast<std::byte*>(memory_); }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

// Runs rank(r) in a process each; what it throws makes its exit status 1. Returns the statuses.
inline std::vector<int> in_ranks(std::uint32_t ranks, const std::function<void(std::uint32_t)>& rank) {
  std::vector<pid_t> children;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        rank(r);
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  std::vector<int> statuses;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    statuses.push_back(status);
  }
  return statuses;
}

inline bool all_well(const std::vector<int>& statuses) {
  return std::all_of(statuses.begin(), statuses.end(), [](int status) { return status == 0; });
}

}  // namespace assay::plugins
