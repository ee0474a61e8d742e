// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.hpp"
#include "suite/suite.hpp"

#include <cstddef>

namespace assay::suite {

inline constexpr std::size_t kMaximumRangeValues = 10'000;

// Reports, at the value to blame, a range that goes down, mixes dimensions, has too many values, or misses
// its end.
void check_range(const Range& range, Diagnostics& diagnostics);

}  // namespace assay::suite
