// SPDX-License-Identifier: Apache-2.0
//
// Series whose truth is known, to prove the intervals and rules of this component on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::statistics {

enum class SimulatedProcess {
  iid,              // normal, standard deviation 2 %
  spiky,            // the same, and 5 % of the samples longer by an exponential time of mean 20 %
  lognormal,        // sigma 0.25
  correlated,       // autoregressive, coefficient 0.5, standard deviation 2 %
  very_correlated,  // … coefficient 0.9
  two_state,  // two clocks 4 % apart, 80 % and 20 % of the time, staying 40 and 10 samples on average; noise
              // 0.5 %
  quantised,  // normal, 10.3 ticks of mean and 0.7 of standard deviation, rounded to the tick
};

struct TrueValues {
  double median = 1;
  double mean = 1;
};

[[nodiscard]] TrueValues truth_of(SimulatedProcess process);

// n values, in arbitrary unit near 1 (quantised: in ticks, near 10.3), stationary from the first on. The
// trace-th of the seed.
[[nodiscard]] std::vector<double> simulate(SimulatedProcess process, std::size_t n, std::uint64_t seed,
                                           std::uint64_t trace);

}  // namespace assay::statistics
