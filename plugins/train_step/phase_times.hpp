// SPDX-License-Identifier: Apache-2.0
//
// How long the parts of steps took. The one place that knows which parts there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::plugins::train_step {

enum class Phase : std::size_t {
  loading,  // samples that the step waited for
  forward,
  backward,
  exposed,  // communication that the step waited for
  optimizer,
  communication,  // all of it, hidden or not: on its own thread it lies beside the others
  gather,         // of that
  reduce,
  compression
};
inline constexpr std::size_t kPhases = 9;

using PhaseSeconds = std::array<double, kPhases>;

// A part of a step, by a clock of nanoseconds.
struct PhaseSpan {
  Phase phase;
  std::int64_t begin_ns = 0, end_ns = 0;
};

// What a timeline calls it, and whether it lies beside what is computed.
inline const char* name_of(Phase phase) {
  switch (phase) {
    case Phase::loading:
      return "wait for samples";
    case Phase::forward:
      return "forward pass";
    case Phase::backward:
      return "backward pass";
    case Phase::exposed:
      return "wait for communication";
    case Phase::optimizer:
      return "update";
    case Phase::communication:
      return "average gradients";
    case Phase::gather:
      return "gather parameters";
    case Phase::reduce:
      return "reduce gradients";
    case Phase::compression:
      break;
  }
  return "compress gradients";
}
inline bool is_beside(Phase phase) { return phase >= Phase::communication; }
inline const char* track_of(Phase phase) { return is_beside(phase) ? "communication" : "computation"; }

// Adds up the parts of one step, and keeps where each of them lies.
class PhaseClock {
 public:
  void start(std::int64_t now_ns) {
    last_ns_ = now_ns;
    seconds_ = {};
    spans_.clear();
  }
  // What lies between the last mark and this one was that phase.
  void mark(Phase phase, std::int64_t now_ns) {
    add({phase, last_ns_, now_ns});
    last_ns_ = now_ns;
  }
  void add(const PhaseSpan& span) {
    add(span.phase, span.end_ns - span.begin_ns);
    if (span.end_ns - span.begin_ns >= kShortest_ns) spans_.push_back(span);
  }
  void add(Phase phase, std::int64_t ns) {
    seconds_[static_cast<std::size_t>(phase)] += static_cast<double>(ns) * 1e-9;
  }
  const PhaseSeconds& seconds() const { return seconds_; }
  const std::vector<PhaseSpan>& spans() const { return spans_; }

 private:
  static constexpr std::int64_t kShortest_ns =
      1000;  // asking whether there is something to wait for takes less

  std::int64_t last_ns_ = 0;
  PhaseSeconds seconds_{};
  std::vector<PhaseSpan> spans_;
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
