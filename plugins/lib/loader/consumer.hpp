// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/errors.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace assay::plugins::loader {

// Stands for what is done with each batch: it waits, as for a device, or keeps a processor busy.
class Consumer {
 public:
  Consumer(double time_s, bool is_busy, std::function<bool()> cancelled)
      : time_s_(time_s), is_busy_(is_busy), cancelled_(std::move(cancelled)) {}

  // Returns that long after `begin`. Throws Cancelled, within 50 ms.
  void consume(std::chrono::steady_clock::time_point begin) const {
    constexpr std::chrono::duration<double> kLook(0.05);
    constexpr std::chrono::duration<double> kLate(
        100e-6);  // by which a sleeper may oversleep: it spins for that
    const std::chrono::duration<double> time(time_s_);
    for (;;) {
      const std::chrono::duration<double> left = time - (std::chrono::steady_clock::now() - begin);
      if (left.count() <= 0) return;
      if (!is_busy_ && left > kLate) std::this_thread::sleep_for(std::min(left - kLate, kLook));
      if (cancelled_()) throw Cancelled();
    }
  }

 private:
  double time_s_;
  bool is_busy_;
  std::function<bool()> cancelled_;
};

}  // namespace assay::plugins::loader
