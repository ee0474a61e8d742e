// SPDX-License-Identifier: Apache-2.0
#include "statistics/trend.hpp"

#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>

namespace assay::statistics {
namespace {

double spread_of_order(double n) { return n * (n - 1) * (2 * n + 5) / 18; }

// What the sum of signs varies by if every order is as likely; values that are equal say nothing of theirs.
double variance_of_order(const std::vector<double>& row) {
  const std::vector<double> ascending = sorted(row);
  double variance = spread_of_order(static_cast<double>(row.size()));
  for (auto at = ascending.begin(); at != ascending.end();) {
    const auto end = std::upper_bound(at, ascending.end(), *at);
    variance -= spread_of_order(static_cast<double>(end - at));
    at = end;
  }
  return variance;
}

}  // namespace

Trend trend(std::span<const std::vector<double>> rows) {
  Trend found;
  double signs = 0, variance = 0;
  std::vector<double> changes;
  for (const std::vector<double>& row : rows) {
    if (row.size() < 2) continue;
    for (std::size_t later = 1; later < row.size(); ++later)
      for (std::size_t earlier = 0; earlier < later; ++earlier)
        signs += static_cast<double>((row[later] > row[earlier]) - (row[later] < row[earlier]));
    variance += variance_of_order(row);
    changes.push_back(row.back() - row.front());
  }
  found.rows = changes.size();
  if (changes.empty()) return found;
  found.change = median(changes);
  // Less the one by which such a sum steps, as a continuous distribution stands for it.
  if (variance > 0) found.p = std::erfc(std::max(0.0, std::fabs(signs) - 1) / std::sqrt(2 * variance));
  return found;
}

}  // namespace assay::statistics
