// SPDX-License-Identifier: Apache-2.0
//
// Transfers of a step, one behind the other in a fixed order, each as soon as the step allows it: on a thread of
// its own beside computing, or at once in the thread that allows it.
#pragma once

#include "lib/condition_wait.hpp"

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace assay::plugins::train_step {

// begin(), allow() and wait() are called from one thread.
class TransferLine {
 public:
  // `transfer` moves the transfer of that number; `stop`, called by the destructor, makes it throw where it
  // waits. With `overlap` it has a thread. Throws std::system_error if that cannot start.
  TransferLine(std::function<void(std::size_t)> transfer, std::function<void()> stop, bool overlap)
      : transfer_(std::move(transfer)), stop_(std::move(stop)) {
    if (overlap) thread_ = std::thread([this] { serve(); });
  }
  TransferLine(const TransferLine&) = delete;
  TransferLine& operator=(const TransferLine&) = delete;
  ~TransferLine() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    stop_();
    wake_.notify_one();
    thread_.join();
  }

  // Numbers count from 0 again; all that was allowed is through.
  void begin() {
    const std::lock_guard lock(mutex_);
    allowed_ = done_ = 0;
  }

  // The first `count` may be moved.
  void allow(std::size_t count) {
    if (!thread_.joinable()) {
      for (; done_ < count; ++done_) transfer_(done_);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      if (count <= allowed_) return;
      allowed_ = count;
    }
    wake_.notify_one();
  }

  // Until the first `count`, which were allowed, are through. Throws what moving one of them threw.
  void wait(std::size_t count) {
    if (!thread_.joinable()) return;
    std::unique_lock lock(mutex_);
    wait_until_true(through_, lock, [&] { return done_ >= count || error_; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void serve() {
    for (;;) {
      std::size_t next = 0;
      {
        std::unique_lock lock(mutex_);
        wait_until_true(wake_, lock, [&] { return ending_ || (done_ < allowed_ && !error_); });
        if (ending_) return;
        next = done_;
      }
      std::exception_ptr error;
      try {
        transfer_(next);
      } catch (...) {
        error = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        error_ = error;
        if (!error) ++done_;
      }
      through_.notify_one();
    }
  }

  std::function<void(std::size_t)> transfer_;
  std::function<void()> stop_;
  std::mutex mutex_;
  std::condition_variable wake_, through_;
  std::size_t allowed_ = 0, done_ = 0;
  std::exception_ptr error_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace assay::plugins::train_step
