// SPDX-License-Identifier: Apache-2.0
//
// Threads that run tasks: handed over one by one, or as a list that was built before.
#pragma once

#include "lib/condition_wait.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace assay::plugins::launch {

class TaskPool {
 public:
  using Task = std::function<void()>;

  // Throws std::system_error if a thread cannot start.
  explicit TaskPool(int threads) {
    try {
      for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
    } catch (...) {
      end();
      throw;
    }
  }
  TaskPool(const TaskPool&) = delete;  // threads point at it
  TaskPool& operator=(const TaskPool&) = delete;
  ~TaskPool() { end(); }

  // Wakes a thread for this task. Must not throw.
  void submit(Task task) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back(std::move(task));
      ++left_;
    }
    wake_.notify_one();
  }

  // Waits until every task that was submitted is done.
  void wait_idle() {
    std::unique_lock<std::mutex> lock(mutex_);
    wait_until_true(idle_, lock, [this] { return left_ == 0; });
  }

  // Wakes all threads once, which take tasks of the list in turn; returns when all are done.
  void run(const std::vector<Task>& list) {
    std::unique_lock<std::mutex> lock(mutex_);
    list_ = &list;
    next_.store(0, std::memory_order_relaxed);
    left_ = threads_.size();
    ++turn_;
    wake_.notify_all();
    wait_until_true(idle_, lock, [this] { return left_ == 0; });
    list_ = nullptr;
  }

  int size() const { return static_cast<int>(threads_.size()); }

 private:
  void serve() {
    std::uint64_t seen = 0;
    for (;;) {
      Task task;
      const std::vector<Task>* list = nullptr;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wait_until_true(wake_, lock, [&] { return ending_ || !queue_.empty() || turn_ != seen; });
        if (ending_) return;
        if (turn_ != seen) {
          seen = turn_;
          list = list_;
        } else {
          task = std::move(queue_.front());
          queue_.pop_front();
        }
      }
      if (list != nullptr) {
        for (std::size_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < list->size();) (*list)[i]();
      } else {
        task();
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      if (--left_ == 0) idle_.notify_one();
    }
  }

  void end() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::deque<Task> queue_;
  const std::vector<Task>* list_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::size_t left_ = 0;  // tasks, or threads that go through the list
  std::uint64_t turn_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace assay::plugins::launch
