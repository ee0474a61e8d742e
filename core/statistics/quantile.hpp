// SPDX-License-Identifier: Apache-2.0
//
// A quantile, and how well the rounds that it was seen in know it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace assay::statistics {

struct Quantile {
  double value = 0;                 // of all values together
  std::optional<double> low, high;  // interval; an end is missing where too little was seen beyond it
  std::size_t n = 0;                // values
  double effective = 0;             // independent ones that say as much of this quantile
};

// Woodruff's interval (1952): that of the share of values up to the quantile, read off the values at its two ends.
// Of three rounds or more the share's error is that between rounds, which are clusters; of fewer it is that of
// the series 1{x > quantile}, whose correlation is the tail's own. rounds: at least one, each with a value;
// probability in (0, 1).
[[nodiscard]] Quantile quantile_over_rounds(const std::vector<std::vector<double>>& rounds,
                                            double probability, double level = 0.95);

// The number of independent values of which at least one exceeds the quantile in 95 of 100 cases: 299 for p99, 2995 for p99.9.
[[nodiscard]] std::size_t fewest_for_upper_bound(double probability);

}  // namespace assay::statistics
