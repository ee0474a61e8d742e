// SPDX-License-Identifier: Apache-2.0
//
// Work that follows itself without a pause, timed by two events; the host goes on submitting meanwhile.
#pragma once

#include <assay/cuda.hpp>

#include <algorithm>
#include <cstdint>

namespace assay::plugins::launch {

class EventSpan {
 public:
  // Starting and completing a sample costs about 5 µs, a thousandth of this.
  static constexpr double kShortestSample_s = 5e-3;
  static constexpr std::uint64_t kMostIterations = std::uint64_t{1} << 16;

  // On the device that is current.
  EventSpan(const Case& run, cudaStream_t stream) : tick_s_(cuda::event_tick_s(run, stream)) {}

  double tick_s() const { return tick_s_; }

  // From before the first of n calls of `submit` until all of their work is done. Waits.
  template <class Submit>
  void time(const Case& run, cudaStream_t stream, std::uint64_t n, Submit&& submit, Sample& sample) const {
    sample.begin_ns = run.now_ns();
    begin_.record(stream);
    for (std::uint64_t i = 0; i < n; ++i) submit();
    end_.record(stream);
    cuda::wait(run, end_);
    sample.end_ns = run.now_ns();
    sample.device_s = std::max(cuda::seconds_between(begin_, end_), tick_s_);
    sample.host_s = static_cast<double>(sample.end_ns - sample.begin_ns) * 1e-9;
  }

  // A power of two of calls that last kShortestSample_s, or kMostIterations.
  template <class Submit>
  std::uint64_t enough(const Case& run, cudaStream_t stream, Submit&& submit) const {
    for (std::uint64_t n = 1;; n *= 2) {
      Sample sample{};
      time(run, stream, n, submit, sample);
      if (sample.device_s >= kShortestSample_s || n >= kMostIterations) return n;
    }
  }

 private:
  cuda::Event begin_, end_;
  double tick_s_;
};

}  // namespace assay::plugins::launch
