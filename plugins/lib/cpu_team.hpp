// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/condition_wait.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace assay::plugins {

// The CPUs that this process may run on, ascending: what binding left.
inline std::vector<int> allowed_cpus() {
  // More CPUs than a cpu_set_t holds need a larger mask; doubling finds its size.
  for (std::size_t count = 1024; count <= (std::size_t{1} << 20); count *= 2) {
    cpu_set_t* set = CPU_ALLOC(count);
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    std::vector<int> cpus;
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    for (std::size_t cpu = 0; known && cpu < count; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(static_cast<int>(cpu));
    }
    CPU_FREE(set);
    if (known) return cpus;
  }
  return {};
}

// A barrier for a few microseconds' wait. It spins, then sleeps: where other programs take the processors, who only yields gets
// its turn again long after the last member has come.
class SpinBarrier {
 public:
  explicit SpinBarrier(int members) : members_(members) {}

  void wait() {
    wait([] {});
  }

  // `when_all_came` is called by the last one to come, before anybody goes on: the time to read the clock, as who is let go
  // may lose its processor before it reads one.
  template <typename WhenAllCame>
  void wait(const WhenAllCame& when_all_came) {
    const std::uint32_t turn = turn_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      arrived_.store(0, std::memory_order_relaxed);
      when_all_came();
      turn_.store(turn + 1);
      if (sleepers_.load() != 0)
        ::syscall(SYS_futex, &turn_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
      return;
    }
    for (int spins = 0; spins < kSpins; ++spins)
      if (turn_.load(std::memory_order_acquire) != turn) return;
    sleepers_.fetch_add(1);
    // The kernel looks once more whether it is still this turn, so that no wake-up is missed.
    while (turn_.load() == turn) ::syscall(SYS_futex, &turn_, FUTEX_WAIT_PRIVATE, turn, nullptr, nullptr, 0);
    sleepers_.fetch_sub(1);
  }

 private:
  static constexpr int kSpins = 20000;
  const int members_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> turn_{0};
  std::atomic<int> sleepers_{0};
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t),
                "the kernel looks at the number itself");
};

// Binds the calling thread; false where that is not allowed.
inline bool bind_to_cpu(int cpu) {
  const auto count = static_cast<std::size_t>(cpu) + 1;
  cpu_set_t* set = CPU_ALLOC(count);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  const bool bound = pthread_setaffinity_np(pthread_self(), bytes, set) == 0;
  CPU_FREE(set);
  return bound;
}

// One thread per CPU, each bound to its own, that run the same function together. The calling thread is no
// member, so its affinity stays as it was. One run() at a time.
class CpuTeam {
 public:
  // At most `size` members (0: one per allowed CPU). Throws std::runtime_error if no CPU is known or a thread
  // cannot start.
  explicit CpuTeam(int size = 0) : CpuTeam(first_of(allowed_cpus(), size)) {}

  // A member on each of these CPUs, in this order; two of them on one that is named twice.
  explicit CpuTeam(std::vector<int> cpus) : cpus_(std::move(cpus)) {
    if (cpus_.empty()) throw std::runtime_error("the CPUs that this process may use are not known");
    try {
      for (std::size_t i = 0; i < cpus_.size(); ++i) {
        threads_.emplace_back([this, i] { serve(static_cast<int>(i)); });
      }
    } catch (...) {
      end();  // those that did start
      throw;
    }
  }

  ~CpuTeam() { end(); }

  CpuTeam(const CpuTeam&) = delete;  // threads point at it
  CpuTeam& operator=(const CpuTeam&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(cpus_.size()); }

  // Runs work(member) on every member and returns when all have. `work` must not throw.
  void run(const std::function<void(int)>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    left_ = size();
    ++turn_;
    wake_.notify_all();
    wait_until_true(done_, lock, [this] { return left_ == 0; });
    work_ = nullptr;
  }

  // The part of [0, count) that belongs to one member, cut at multiples of `grain`.
  [[nodiscard]] std::pair<std::size_t, std::size_t> share(int member, std::size_t count,
                                                          std::size_t grain) const {
    const std::size_t grains = (count + grain - 1) / grain;
    const auto at = [&](int m) {
      const std::size_t cut = grains * static_cast<std::size_t>(m) / static_cast<std::size_t>(size()) * grain;
      return cut < count ? cut : count;
    };
    return {at(member), at(member + 1)};
  }

 private:
  static std::vector<int> first_of(std::vector<int> cpus, int size) {
    if (size > 0 && static_cast<std::size_t>(size) < cpus.size()) cpus.resize(static_cast<std::size_t>(size));
    return cpus;
  }

  void end() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void serve(int member) {
    bind_to_cpu(cpus_[static_cast<std::size_t>(member)]);
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
      (*work)(member);
      const std::lock_guard lock(mutex_);
      if (--left_ == 0) done_.notify_one();
    }
  }

  std::vector<int> cpus_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* work_ = nullptr;
  std::uint64_t turn_ = 0;
  int left_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace assay::plugins
