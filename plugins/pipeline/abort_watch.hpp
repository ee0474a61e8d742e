// SPDX-License-Identifier: Apache-2.0
//
// Tells kernels that wait for another rank when the case ends. The thread that queues them cannot: a stream that waits
// fills up, and then queueing waits, too.
#pragma once

#include <assay/case.hpp>
#include <assay/cuda/memory.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace assay::plugins::pipeline {

// A word in memory that the device reads: not 0 once the case should end, or give_up() was called.
class AbortWatch {
 public:
  explicit AbortWatch(const Case& run) : run_(run), word_(1) {
    word_[0] = 0;
    thread_ = std::thread([this] { watch(); });
  }
  AbortWatch(const AbortWatch&) = delete;  // its thread holds its address
  AbortWatch& operator=(const AbortWatch&) = delete;
  ~AbortWatch() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  const std::uint32_t* word() const { return word_.data(); }
  void give_up() { store(1); }

 private:
  void store(std::uint32_t value) { *static_cast<volatile std::uint32_t*>(word_.data()) = value; }
  void watch() {
    constexpr std::chrono::milliseconds kLook(20);
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLook, [this] { return ends_; }))
      if (run_.cancelled()) store(1);
  }

  const Case& run_;
  cuda::PinnedBuffer<std::uint32_t> word_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace assay::plugins::pipeline
