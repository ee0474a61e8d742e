// SPDX-License-Identifier: Apache-2.0
#include "statistics/stationarity.hpp"

#include "statistics/distribution.hpp"
#include "statistics/long_run.hpp"
#include "statistics/summary.hpp"

#include <cmath>
#include <vector>

namespace assay::statistics {

Halves halves(std::span<const std::vector<double>> visits) {
  constexpr double kLevel = 0.99;
  Halves found;
  double squares = 0, errors = 0, freedom = 0;
  for (const std::vector<double>& visit : visits) {
    if (visit.size() < kFewestForHalves) continue;
    const std::span<const double> all(visit);
    const std::span<const double> first = all.first(all.size() / 2), second = all.subspan(all.size() / 2);
    const double base = mean(first), change = mean(second) / base - 1;
    for (const std::span<const double> half : {first, second}) {
      const LongRun error = long_run(half);
      errors += error.variance / static_cast<double>(half.size()) / (base * base);
      freedom += error.degrees_of_freedom;
    }
    squares += change * change;
    found.trend += change;
    ++found.visits;
  }
  if (found.visits == 0) return found;
  const double count = static_cast<double>(found.visits);
  found.change = std::sqrt(squares / count);
  found.trend /= count;
  found.unsteady = found.change > kSmallestChange && squares > f_quantile(kLevel, count, freedom) * errors;
  return found;
}

}  // namespace assay::statistics
