// SPDX-License-Identifier: Apache-2.0
//
// What a framework would do on the host before it submits.
#pragma once

#include <assay/case.hpp>

#include <cmath>
#include <cstdint>

namespace assay::plugins {

class HostCost {
 public:
  explicit HostCost(double seconds) : ns_(std::llround(seconds * 1e9)) {}

  bool none() const { return ns_ == 0; }

  // Keeps the calling thread busy for this long.
  void pay(const Case& run) const {
    if (none()) return;
    const std::int64_t until_ns = run.now_ns() + ns_;
    while (run.now_ns() < until_ns) {
    }
  }

 private:
  std::int64_t ns_;
};

}  // namespace assay::plugins
