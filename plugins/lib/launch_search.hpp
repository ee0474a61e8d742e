// SPDX-License-Identifier: Apache-2.0
//
// Which of several ways to launch the same work is the fastest here: a short search before anything is
// measured.
#pragma once

#include "lib/fastest.hpp"

#include <assay/case.hpp>
#include <assay/cuda/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <limits>
#include <vector>

namespace assay::plugins {

// Which of `ways` ways is the fastest, the preferred first. `launch(i)` queues way i in the stream once;
// `before()` queues what comes before each and is not timed. The best of a few readings counts, in turn; ways
// that are far behind are not read again. Nothing else may be queued; throws Cancelled when the case should
// end.
template <class Launch, class Before>
std::size_t fastest_launch(const Case& run, cudaStream_t stream, std::size_t ways, Launch&& launch,
                           Before&& before) {
  constexpr int kRounds = 6;
  constexpr double kFarBehind = 1.02;
  if (ways == 1) return 0;
  const cuda::Event begin, end;
  std::vector<double> best_s(ways, std::numeric_limits<double>::max());
  for (std::size_t i = 0; i < ways; ++i) launch(i);  // loads the kernels, and wakes the clocks
  cuda::wait(run, stream);
  for (int round = 0; round < kRounds; ++round) {
    const double limit_s = *std::min_element(best_s.begin(), best_s.end()) * kFarBehind;
    for (std::size_t i = 0; i < ways; ++i) {
      if (round > 1 && best_s[i] > limit_s) continue;
      before();
      begin.record(stream);
      launch(i);
      end.record(stream);
      cuda::wait(run, end);
      best_s[i] = std::min(best_s[i], cuda::seconds_between(begin, end));
    }
  }
  return first_of_fastest(best_s);
}

template <class Launch>
std::size_t fastest_launch(const Case& run, cudaStream_t stream, std::size_t ways, Launch&& launch) {
  return fastest_launch(run, stream, ways, launch, [] {});
}

}  // namespace assay::plugins
