// SPDX-License-Identifier: Apache-2.0
#include "statistics/stationarity.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statistics {

namespace {

constexpr double kLongestWindow_s = 1;

std::vector<double> window_centres(std::span<const double> seconds, const SteadyOptions& options) {
  std::vector<double> centres;
  std::size_t start = 0;
  double length_s = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    length_s += seconds[i];
    const std::size_t samples = i + 1 - start;
    const bool complete = (samples >= options.window_samples && length_s >= options.window_s) ||
                          length_s >= std::max(kLongestWindow_s, options.window_s);
    if (!complete) continue;
    const std::span<const double> window = seconds.subspan(start, samples);
    centres.push_back(options.statistic == Statistic::median ? median(window) : mean(window));
    start = i + 1;
    length_s = 0;
  }
  return centres;
}

}  // namespace

SteadyOptions sustained_steady_options() {
  SteadyOptions options;
  options.statistic = Statistic::mean;
  options.window_s = 1;
  options.tolerance = 0.005;
  return options;
}

bool is_steady(std::span<const double> seconds, const SteadyOptions& options) {
  if (seconds.empty() || sum(seconds) < options.minimum_s) return false;
  const std::vector<double> centres = window_centres(seconds, options);
  if (centres.size() < options.windows) return false;
  const std::span<const double> last = std::span<const double>(centres).last(options.windows);
  const double centre = median(last);
  const double margin = std::max(options.tolerance * centre, options.tick_s);
  return std::all_of(last.begin(), last.end(),
                     [&](double value) { return std::abs(value - centre) <= margin; });
}

}  // namespace assay::statistics
