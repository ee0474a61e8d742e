// SPDX-License-Identifier: Apache-2.0
#include "statistics/stationarity.hpp"

#include "statistics/distribution.hpp"
#include "statistics/long_run.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace assay::statistics {

namespace {

constexpr std::size_t kBatch = 5;
// The last batches are never candidates: a mean of two or three of them is narrow by chance.
constexpr std::size_t kUncuttableBatches = 5;
constexpr double kCutLevel = 0.995;
constexpr std::size_t kFewestForShortBatches = 18;  // below, batches of one
constexpr double kShortCutLevel = 0.9998;
constexpr double kMedianGoesAlong = 0.5;

constexpr std::size_t kFewestForDrift = 20;
constexpr std::size_t kPointsForDrift = 200;
constexpr double kDriftLevel = 0.99;

constexpr std::size_t kFewestForModes = 20;
constexpr double kSmallestPart = 0.1;
constexpr double kTrimmed = 0.025;  // from either end: a single outlier makes the largest gap
constexpr double kExplained = 0.8;

// The number of batches whose removal minimises sum of squares / remaining^2.
std::size_t best_cut(const std::vector<double>& batches) {
  const double centre = mean(batches);
  double total = 0;
  double squares = 0;
  double remaining = 0;
  double best = INFINITY;
  std::size_t cut = 0;
  for (std::size_t i = batches.size(); i-- > 0;) {
    const double value = batches[i] - centre;
    total += value;
    squares += value * value;
    remaining += 1;
    if (remaining <= kUncuttableBatches) continue;
    const double error = (squares - total * total / remaining) / (remaining * remaining);
    if (error <= best) {
      best = error;
      cut = i;
    }
  }
  return cut;
}

// What is left when a straight line (least squares) is taken off.
std::vector<double> detrended(std::span<const double> values) {
  const double middle = static_cast<double>(values.size() - 1) / 2;
  const double centre = mean(values);
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double place = static_cast<double>(i) - middle;
    products += place * (values[i] - centre);
    squares += place * place;
  }
  const double slope = products / squares;
  std::vector<double> residuals(values.begin(), values.end());
  for (std::size_t i = 0; i < residuals.size(); ++i)
    residuals[i] -= slope * (static_cast<double>(i) - middle);
  return residuals;
}

std::size_t batch_of(std::size_t samples) {
  if (samples >= kFewestForBatches) return kBatch;
  return samples < kFewestForShortBatches ? 1 : (samples + 9) / 10;
}

double change(double value, double from) { return value / from - 1; }

bool differs_from_the_rest(std::span<const double> start, std::span<const double> rest) {
  const double shift = change(mean(start), mean(rest));
  if (std::abs(change(median(start), median(rest))) < kMedianGoesAlong * std::abs(shift)) return false;
  const LongRun run = long_run(rest);
  const double error = std::sqrt(run.variance / static_cast<double>(start.size()) +
                                 run.variance / static_cast<double>(rest.size()));
  return std::abs(mean(start) - mean(rest)) >
         student_t_quantile(0.5 + kShortCutLevel / 2, run.degrees_of_freedom) * error;
}

// The cut was chosen so that the rest is quiet, so the noise of the louder part counts for both. A transient
// itself is no noise: its trend does not count, nor do its last batches, since the cut may come some samples
// late.
bool differs(std::span<const double> start, std::span<const double> rest) {
  const std::span<const double> core = start.first(start.size() - std::min(2 * kBatch, start.size() / 3));
  if (core.size() < kBatch - 1) return false;
  const LongRun before = long_run(detrended(core));
  const LongRun after = long_run(rest);
  const double variance = std::max(before.variance, after.variance);
  const double error =
      std::sqrt(variance / static_cast<double>(core.size()) + variance / static_cast<double>(rest.size()));
  const double degrees = before.degrees_of_freedom + after.degrees_of_freedom;
  return std::abs(mean(core) - mean(rest)) > student_t_quantile(0.5 + kCutLevel / 2, degrees) * error;
}

std::vector<double> block_medians(std::span<const double> values, std::size_t most) {
  const std::size_t length = (values.size() + most - 1) / most;
  std::vector<double> result(values.size() / length);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = median(values.subspan(i * length, length));
  return result;
}

// The order statistic next to the quantile; reorders the values.
double quantile_in_place(std::vector<double>& values, double probability) {
  const auto rank =
      static_cast<std::ptrdiff_t>(std::lround(probability * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

double variance_about_mean(std::span<const double> values) {
  const double deviation = stdev(values);
  return deviation * deviation * static_cast<double>(values.size() - 1);
}

}  // namespace

WarmupCut mser5(std::span<const double> values) {
  if (values.size() < kFewestForCut) return {};
  const std::size_t batch = batch_of(values.size());
  std::vector<double> batches(values.size() / batch);
  for (std::size_t i = 0; i < batches.size(); ++i) batches[i] = mean(values.subspan(i * batch, batch));
  const std::size_t cut = best_cut(batches) * batch;
  if (cut == 0) return {};
  const std::span<const double> start = values.first(cut), rest = values.subspan(cut);
  if (std::abs(change(mean(start), mean(rest))) <= kSmallestChange) return {};
  if (!(values.size() < kFewestForBatches ? differs_from_the_rest(start, rest) : differs(start, rest)))
    return {};
  return {cut, 2 * cut <= values.size()};
}

std::optional<Drift> drift(std::span<const double> values) {
  if (values.size() < kFewestForDrift) return std::nullopt;
  const std::vector<double> points = block_medians(values, kPointsForDrift);
  const std::size_t n = points.size();
  std::vector<double> slopes;
  slopes.reserve(n * (n - 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j)
      slopes.push_back((points[j] - points[i]) / static_cast<double>(j - i));
  }
  const double slope = quantile_in_place(slopes, 0.5);

  std::vector<double> residuals(points);
  for (std::size_t i = 0; i < n; ++i) residuals[i] -= slope * static_cast<double>(i);
  const LongRun run = long_run(residuals);
  const double plain = stdev(residuals);
  const double inflation = plain > 0 ? std::max(1.0, run.variance / (plain * plain)) : 1.0;
  // Variance of Kendall's S without ties; correlated points count for fewer.
  const double count = static_cast<double>(n);
  const double score = std::sqrt(count * (count - 1) * (2 * count + 5) / 18 * inflation);
  const double pairs = static_cast<double>(slopes.size());
  const auto interval = [&](double level) {
    const double half_width =
        std::min(1.0, student_t_quantile(0.5 + level / 2, run.degrees_of_freedom) * score / pairs) / 2;
    return std::pair(quantile_in_place(slopes, 0.5 - half_width),
                     quantile_in_place(slopes, 0.5 + half_width));
  };
  const auto [low, high] = interval(0.95);
  const auto [surely_low, surely_high] = interval(kDriftLevel);

  const double scale = count / median(values);
  Drift result;
  result.relative = slope * scale;
  result.low = low * scale;
  result.high = high * scale;
  result.drifting = (surely_low > 0 || surely_high < 0) && std::abs(result.relative) > kSmallestChange;
  return result;
}

Modes modes(std::span<const double> values) {
  Modes result;
  result.low_centre = median(values);
  result.high_centre = result.low_centre;
  if (values.size() < kFewestForModes) return result;
  const std::vector<double> ascending = sorted(values);
  const auto trimmed = static_cast<std::size_t>(kTrimmed * static_cast<double>(ascending.size()));
  const std::span<const double> all(ascending);
  const std::span<const double> inner = all.subspan(trimmed, all.size() - 2 * trimmed);
  std::size_t split = 0;
  double widest = 0;
  for (std::size_t i = 1; i < inner.size(); ++i) {
    if (inner[i] - inner[i - 1] > widest) {
      widest = inner[i] - inner[i - 1];
      split = i;
    }
  }
  const double smallest = kSmallestPart * static_cast<double>(values.size());
  const double low_size = static_cast<double>(trimmed + split);
  const double high_size = static_cast<double>(values.size()) - low_size;
  if (widest <= 0 || low_size < smallest || high_size < smallest) return result;
  const double total = variance_about_mean(inner);
  const double within = variance_about_mean(inner.first(split)) + variance_about_mean(inner.subspan(split));
  if (total - within <= kExplained * total) return result;
  const double low = quantile_of_sorted(all.first(trimmed + split), 0.5);
  const double high = quantile_of_sorted(all.subspan(trimmed + split), 0.5);
  if (high - low <= kSmallestChange * low) return result;
  result.bimodal = true;
  result.low_centre = low;
  result.high_centre = high;
  result.high_share = high_size / static_cast<double>(values.size());
  return result;
}

double skew(std::span<const double> values) { return mean(values) / median(values) - 1; }

}  // namespace assay::statistics
