// SPDX-License-Identifier: Apache-2.0
//
// Where a further device of a model, or run of a suite, lies by chance, as estimated from those that were measured. All values are logarithms.
#pragma once

#include <cstddef>
#include <span>

namespace assay::statistics {

inline constexpr std::size_t kFewestPeers = 3;    // beside the device itself
inline constexpr std::size_t kFewestForBand = 8;  // devices or runs
inline constexpr std::size_t kFewestForTolerance = 60;

// A further one lies more than `reach` below `middle` with the given probability; likewise above it.
struct Chance {
  double middle = 0;
  double reach = 0;
};

// For a device among its peers, from at least kFewestPeers logarithms. The middle is the median, which one faulty device does not move. The
// scatter is the standard deviation, which it does move: two faulty devices can hide each other, but no healthy one is refused more often than stated.
[[nodiscard]] Chance among_peers(std::span<const double> others, double probability);

// How many standard deviations below the mean of m healthy devices the limit for a further one lies. It is a prediction limit, which a healthy
// device misses with this probability; from m = kFewestForTolerance on a tolerance limit, which all but this share of healthy devices reach with
// 95 % confidence (Hahn and Meeker 1991). m of at least 2; probability in (0, 0.5).
[[nodiscard]] double band_factor(std::size_t m, double probability);

}  // namespace assay::statistics
