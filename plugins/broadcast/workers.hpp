// SPDX-License-Identifier: Apache-2.0
//
// One thread for each destination, bound to its CPU if it has one. Unlike a CpuTeam there may be more of them
// than CPUs, and they can be stopped in the middle of what they do.
#pragma once

#include "broadcast/placement.hpp"
#include "broadcast/progress.hpp"
#include "lib/condition_wait.hpp"
#include "lib/cpu_team.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace assay::plugins::broadcast {

class Workers {
 public:
  // Throws std::system_error if a thread cannot start.
  explicit Workers(std::vector<ThreadPlace> places) : places_(std::move(places)) {
    try {
      for (int worker = 0; worker < size(); ++worker)
        threads_.emplace_back([this, worker] { serve(worker); });
    } catch (...) {
      end();
      throw;
    }
  }
  Workers(const Workers&) = delete;  // threads point at it
  Workers& operator=(const Workers&) = delete;
  ~Workers() { end(); }

  [[nodiscard]] int size() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] const std::vector<ThreadPlace>& places() const { return places_; }
  [[nodiscard]] int processors() const { return processors_of(places_); }

  // How work() waits for other workers.
  [[nodiscard]] Waiting waiting() const { return {stop_, size() > processors()}; }

  // Runs work(worker) on every worker and returns when all have ended: true if they came to the end. Asks
  // `cancelled` all the while, and stops them once it says so: false. The first exception of a worker stops
  // the others and is thrown here. One run() at a time.
  bool run(const std::function<void(int)>& work, const std::function<bool()>& cancelled) {
    std::unique_lock lock(mutex_);
    stop_.store(false, std::memory_order_relaxed);
    work_ = &work;
    left_ = size();
    ++turn_;
    wake_.notify_all();
    bool was_cancelled = false;
    while (!done_.wait_for(lock, std::chrono::milliseconds(5), [this] { return left_ == 0; })) {
      lock.unlock();
      if (cancelled()) {
        was_cancelled = true;
        stop_.store(true, std::memory_order_relaxed);
      }
      lock.lock();
    }
    work_ = nullptr;
    if (std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
    return !was_cancelled;
  }

 private:
  void serve(int worker) {
    const int cpu = places_[static_cast<std::size_t>(worker)].cpu;
    if (cpu != kAnyCpu) bind_to_cpu(cpu);
    std::uint64_t seen = 0;
    for (;;) {
      const std::function<void(int)>* work = nullptr;
      {
        std::unique_lock lock(mutex_);
        wait_until_true(wake_, lock, [&] { return ending_ || turn_ != seen; });
        if (ending_) return;
        seen = turn_;
        work = work_;
      }
      std::exception_ptr failure;
      try {
        (*work)(worker);
      } catch (const Stopped&) {
        // It was asked to.
      } catch (...) {
        failure = std::current_exception();
        stop_.store(true, std::memory_order_relaxed);
      }
      const std::lock_guard lock(mutex_);
      if (failure && !failure_) failure_ = failure;
      if (--left_ == 0) done_.notify_one();
    }
  }

  void end() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::vector<ThreadPlace> places_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* work_ = nullptr;
  std::exception_ptr failure_;
  std::uint64_t turn_ = 0;
  int left_ = 0;
  bool ending_ = false;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace assay::plugins::broadcast
