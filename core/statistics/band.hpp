// SPDX-License-Identifier: Apache-2.0
//
// Where one more of the same kind lies by chance, going by those that were measured: devices of a model, runs of a suite. Of logarithms.
#pragma once

#include <cstddef>
#include <span>

namespace assay::statistics {

inline constexpr std::size_t kFewestPeers = 3;    // beside the device itself
inline constexpr std::size_t kFewestForBand = 8;  // devices or runs
inline constexpr std::size_t kFewestForTolerance = 60;

// A further one lies farther than `reach` below `middle` (or above it, which is another question) with the probability that was asked for.
struct Chance {
  double middle = 0;
  double reach = 0;
};

// Of a device among its peers: at least kFewestPeers logarithms. The middle is their median, which one that is sick does not move; their
// scatter is the standard deviation, which it does: two that are sick hide each other's size, and nobody is blamed by chance for it.
[[nodiscard]] Chance among_peers(std::span<const double> others, double probability);

// How many standard deviations below the mean of m healthy devices the limit for a further one lies. It is a prediction limit, which a healthy
// device misses with this probability; from m = kFewestForTolerance on a tolerance limit, which all but this share of healthy devices reach with
// 95 % confidence (Hahn and Meeker 1991). m of at least 2; probability in (0, 0.5).
[[nodiscard]] double band_factor(std::size_t m, double probability);

}  // namespace assay::statistics
