// SPDX-License-Identifier: Apache-2.0
//
// What a check on the device saw, gathered over all of its threads.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::plugins {

// `first`: the least index of what is wrong. `worst`: the largest error as a share of its limit, the bits of
// a double.
struct Findings {
  unsigned long long wrong, first, worst;
};
inline constexpr Findings kNoFindings{0, ~0ull, 0};

// `share`: the error over its limit; up to 1 is right.
__device__ inline void report(Findings* found, double share, std::uint64_t index) {
  const bool good = share <= 1;
  if (!(share >= 0)) share = static_cast<double>(INFINITY);  // not a number
  atomicMax(&found->worst, static_cast<unsigned long long>(__double_as_longlong(share)));
  if (good) return;
  atomicAdd(&found->wrong, 1ull);
  atomicMin(&found->first, static_cast<unsigned long long>(index));
}

}  // namespace assay::plugins
