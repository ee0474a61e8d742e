// SPDX-License-Identifier: Apache-2.0
//
// How long the parts of steps took. The one place that knows which parts there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

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

// Of many steps, sample by sample.
class PhaseTimes {
 public:
  void begin_sample() {
    sample_ = {};
    steps_ = 0;
  }
  void add(const PhaseSeconds& step) {
    for (std::size_t i = 0; i < kPhases; ++i) {
      sample_[i] += step[i];
      all_[i] += step[i];
    }
    ++steps_;
  }

  // Of a step of the sample; 0 without any.
  double mean(Phase phase) const {
    return steps_ == 0 ? 0 : sample_[index(phase)] / static_cast<double>(steps_);
  }
  // Of all steps ever added: which share of one phase another one is; nothing without the one.
  std::optional<double> share(Phase part, Phase whole) const {
    if (!(all_[index(whole)] > 0)) return std::nullopt;
    return all_[index(part)] / all_[index(whole)];
  }

 private:
  static std::size_t index(Phase phase) { return static_cast<std::size_t>(phase); }

  PhaseSeconds sample_{}, all_{};
  std::size_t steps_ = 0;
};

}  // namespace assay::plugins::train_step
