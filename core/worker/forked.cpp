// SPDX-License-Identifier: Apache-2.0
#include "worker/forked.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace assay::worker {
namespace {

constexpr int kStatus = 127;  // as of a program that could not be started, which most such children were for

std::atomic<bool> forked{false};

}  // namespace

void watch_forks() {
  static const int watched = ::pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
  static_cast<void>(watched);  // without memory for it, nothing is watched
}

void end_if_forked() {
  if (forked.load(std::memory_order_relaxed)) ::_exit(kStatus);
}

}  // namespace assay::worker
