// SPDX-License-Identifier: Apache-2.0
#include "statistics/long_run.hpp"

#include "statistics/autocorrelation.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statistics {

namespace {

constexpr std::size_t kFewestBlocks = 4;
constexpr std::size_t kMostBlocks = 20;
constexpr std::size_t kMostBlocksForSkewness = 200;
constexpr double kLargestBlockCorrelation = 0.8;
constexpr double kLargestSkewness = 0.6;

// Means of consecutive blocks that end with the series; what does not fill a block is left out at its start.
std::vector<double> block_means(std::span<const double> values, std::size_t length) {
  std::vector<double> means(values.size() / length);
  const std::size_t start = values.size() - means.size() * length;
  for (std::size_t i = 0; i < means.size(); ++i) {
    means[i] = mean(values.subspan(start + i * length, length));
  }
  return means;
}

std::size_t block_length(std::size_t n, double shortest, std::size_t most_blocks) {
  const std::size_t wanted =
      std::max(static_cast<std::size_t>(std::ceil(shortest)), (n + most_blocks - 1) / most_blocks);
  return std::clamp<std::size_t>(wanted, 1, n / kFewestBlocks);
}

// Adjusted Fisher-Pearson skewness of the blocks, carried over to their mean by the square root of their
// number.
double skewness_of_mean(const std::vector<double>& blocks) {
  const double centre = mean(blocks);
  double squares = 0;
  double cubes = 0;
  for (const double block : blocks) {
    const double distance = block - centre;
    squares += distance * distance;
    cubes += distance * distance * distance;
  }
  if (squares <= 0) return 0;
  const double k = static_cast<double>(blocks.size());
  const double skewness = cubes / k / std::pow(squares / k, 1.5) * std::sqrt(k * (k - 1)) / (k - 2);
  return std::clamp(skewness / std::sqrt(k), -kLargestSkewness, kLargestSkewness);
}

}  // namespace

LongRun long_run(std::span<const double> values) {
  const std::size_t n = values.size();
  LongRun result;
  result.autocorrelation_time = autocorrelation_time(values);
  const double shortest = result.autocorrelation_time < 1.3 ? 1 : 2 * result.autocorrelation_time;
  result.block_length = block_length(n, shortest, kMostBlocks);
  const std::vector<double> blocks = block_means(values, result.block_length);
  result.blocks = blocks.size();

  const double centre = mean(blocks);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    squares += (blocks[i] - centre) * (blocks[i] - centre);
    if (i > 0) products += (blocks[i] - centre) * (blocks[i - 1] - centre);
  }
  if (squares <= 0) {
    result.degrees_of_freedom = static_cast<double>(blocks.size() - 1);
    return result;
  }
  // Blocks as a first-order autoregressive series: its long-run variance is (1 + r) / (1 - r) times the plain
  // one, and its blocks are worth (1 - r) / (1 + r) independent ones each.
  const double correlation = std::clamp(products / squares, 0.0, kLargestBlockCorrelation);
  const double inflation = (1 + correlation) / (1 - correlation);
  const double degrees = static_cast<double>(blocks.size() - 1);
  result.variance = static_cast<double>(result.block_length) * squares / degrees * inflation;
  result.degrees_of_freedom = std::max(1.0, degrees / inflation);
  result.skewness = skewness_of_mean(block_means(values, block_length(n, shortest, kMostBlocksForSkewness)));
  return result;
}

}  // namespace assay::statistics
