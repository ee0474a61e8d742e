// SPDX-License-Identifier: Apache-2.0
//
// Memory that the ranks of a visit share, and how they wait for each other in it. It has no name in the file
// system, so that nothing is left of it however a rank ends.
#pragma once

#include <assay/errors.hpp>
#include <assay/group.hpp>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

namespace assay::plugins {

// Zeros at first. Every rank maps the same file, which exists in memory alone.
class RankMemory {
 public:
  // All ranks call it, with the same size. Throws Failure on all of them if it fails on one.
  RankMemory(const Group& group, std::size_t bytes) : bytes_(bytes) {
    struct Owner {
      long process;
      int file, error;
    } owner{::getpid(), -1, 0};
    if (group.rank() == 0) {
      file_ = ::memfd_create("assay-ranks", MFD_CLOEXEC);
      if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(bytes)) != 0) owner.error = errno;
      owner.file = file_;
    }
    group.broadcast(owner);
    if (owner.error == 0 && group.rank() != 0) {
      const std::string path = "/proc/" + std::to_string(owner.process) + "/fd/" + std::to_string(owner.file);
      file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
      if (file_ < 0) owner.error = errno;
    }
    if (owner.error == 0) {
      memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
      if (memory_ == MAP_FAILED) owner.error = errno;
    }
    // Nobody goes on alone, and nobody closes what another has yet to open.
    int error = owner.error;
    for (const int other : group.allgather(owner.error)) error = error == 0 ? other : error;
    if (error != 0) {
      release();
      throw Failure(
          "the ranks cannot share " + std::to_string(bytes) + " bytes of memory: " + std::strerror(error),
          ASSAY_E_RESOURCE);
    }
  }
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;
  ~RankMemory() { release(); }

  std::byte* data() const { return static_cast<std::byte*>(memory_); }

 private:
  void release() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, bytes_);
    if (file_ >= 0) ::close(file_);
    memory_ = MAP_FAILED;
    file_ = -1;
  }

  std::size_t bytes_;
  int file_ = -1;
  void* memory_ = MAP_FAILED;
};

// How often to look before sleeping: a tenth of a millisecond, as longer waits are not a matter of latency; and where
// there are more ranks than processors.
inline constexpr int kSpins = 20000, kSpinsCrowded = 100;

// A count that one rank raises and others wait for, on a cache line of its own. It wraps, so it is compared by
// difference. All zeros is one that nobody has raised.
struct alignas(64) RankProgress {
  std::atomic<std::uint32_t> done{0};
  std::atomic<std::uint32_t> sleepers{0};

  bool reached(std::uint32_t count) const {
    return static_cast<std::int32_t>(done.load(std::memory_order_seq_cst) - count) >= 0;
  }

  void raise(std::uint32_t count) {
    done.store(count, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0)
      ::syscall(SYS_futex, &done, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }

  // Until it has come to `count`: spins this many times, then sleeps. Throws Cancelled where `cancelled()` is
  // true, which is asked for every 10 ms.
  template <class Asked>
  void wait_for(std::uint32_t count, int spins, const Asked& cancelled) {
    constexpr long kSleep_ns = 10'000'000;
    for (int i = 0; i < spins; ++i) {
      if (reached(count)) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    while (!reached(count) && !cancelled()) {
      const timespec limit{0, kSleep_ns};
      const std::uint32_t now = done.load(std::memory_order_seq_cst);
      if (static_cast<std::int32_t>(now - count) < 0)
        ::syscall(SYS_futex, &done, FUTEX_WAIT, now, &limit, nullptr, 0);
    }
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
    if (!reached(count)) throw Cancelled();
  }
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4,
              "ranks are processes, and the kernel looks at the word");

}  // namespace assay::plugins
