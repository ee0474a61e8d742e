// SPDX-License-Identifier: Apache-2.0
//
// The roof of reading, on the host.
#pragma once

#include "lib/cpu_team.hpp"
#include "roofline/host_kernels.hpp"

#include <assay/case.hpp>
#include <assay/memory.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace assay::plugins::roofline {

// Bytes a second, all threads together: the best of a few readings, since a roof is what is reached at best.
// The pages are there already.
inline double reading_rate(const Case& run, CpuTeam& team, const HostBuffer<double>& numbers, Sweep sweep) {
  constexpr int kReadings = 5;
  std::int64_t best_ns = 0;
  for (int reading = 0; reading < kReadings; ++reading) {
    std::int64_t begin_ns = 0, end_ns = 0;
    SpinBarrier barrier(team.size());
    team.run([&](int member) {
      const auto [first, last] = team.share(member, numbers.size(), kStripe);
      barrier.wait([&] { begin_ns = run.now_ns(); });
      double sum = sweep(numbers.data() + first, last - first, 0, 1);
      // Taken, so that the reading is not left out.
      asm volatile("" : "+m"(sum) : : "memory");
      barrier.wait([&] { end_ns = run.now_ns(); });
    });
    const std::int64_t now_ns = std::max<std::int64_t>(end_ns - begin_ns, 1);
    if (reading == 0 || now_ns < best_ns) best_ns = now_ns;
  }
  return static_cast<double>(numbers.bytes()) / (static_cast<double>(best_ns) * 1e-9);
}

}  // namespace assay::plugins::roofline
