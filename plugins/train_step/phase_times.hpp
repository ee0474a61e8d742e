// SPDX-License-Identifier: Apache-2.0
//
// How long the parts of steps took. The one place that knows which parts there are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::train_step {

enum class Phase : std::size_t {
  forward,
  backward,
  exposed,  // communication that the step waited for
  optimizer,
  communication,  // all of it, hidden or not: on its own thread it lies beside the others
  gather,         // of that
  reduce,
  compression
};
inline constexpr std::size_t kPhases = 8;

using PhaseSeconds = std::array<double, kPhases>;

// Adds up the parts of one step by a clock of nanoseconds.
class PhaseClock {
 public:
  void start(std::int64_t now_ns) {
    last_ns_ = now_ns;
    seconds_ = {};
  }
  // What lies between the last mark and this one was that phase.
  void mark(Phase phase, std::int64_t now_ns) {
    add(phase, now_ns - last_ns_);
    last_ns_ = now_ns;
  }
  void add(Phase phase, std::int64_t ns) {
    seconds_[static_cast<std::size_t>(phase)] += static_cast<double>(ns) * 1e-9;
  }
  const PhaseSeconds& seconds() const { return seconds_; }

 private:
  std::int64_t last_ns_ = 0;
  PhaseSeconds seconds_{};
};

// Of many steps.
class PhaseTimes {
 public:
  void clear() {
    for (auto& times : times_) times.clear();
  }
  void add(const PhaseSeconds& step) {
    for (std::size_t i = 0; i < kPhases; ++i) times_[i].push_back(step[i]);
  }
  bool empty() const { return times_.front().empty(); }

  // Over all steps; 0 without any.
  double median(Phase phase) {
    std::vector<double>& of = times_[static_cast<std::size_t>(phase)];
    if (of.empty()) return 0;
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), middle, of.end());
    return *middle;
  }

 private:
  std::array<std::vector<double>, kPhases> times_;
};

}  // namespace assay::plugins::train_step
