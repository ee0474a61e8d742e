// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace assay::plugins {

// condition.wait(lock, predicate), for a plugin that also starts where the C++ library is older than the one it was built with:
// GCC 12 gave wait() a new symbol version (GLIBCXX_3.4.30) that GCC 11's library, RHEL 9's, does not have; wait_for() needs none.
template <class Predicate>
void wait_until_true(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                     Predicate predicate) {
  while (!condition.wait_for(lock, std::chrono::hours(1), predicate)) {
  }
}

}  // namespace assay::plugins
