// SPDX-License-Identifier: Apache-2.0
#include "statistics/between_runs.hpp"

#include "statistics/distribution.hpp"
#include "statistics/estimate.hpp"
#include "statistics/planning.hpp"
#include "statistics/summary.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace assay::statistics {

namespace {

constexpr double kMostFreedom = 1e6;     // beyond it, Student's t is the normal
constexpr double kFewestToModerate = 3;  // degrees of freedom: fewer, and rows are not alike
constexpr std::size_t kMostRuns = 1000;
constexpr std::size_t kMostForPairs = 400;

double squared(double value) { return value * value; }

double t_at(double probability, double freedom) {
  return student_t_quantile(probability, std::min(freedom, kMostFreedom));
}

// Clocks are known to kTimingAccuracy, which is an end of a 95 % interval, on both sides.
double with_clocks(double variance) { return variance + 2 * squared(kTimingAccuracy / 2); }

// The number of runs a side with which both quantiles of the difference's error fit into the distance.
std::optional<std::size_t> fewest_runs(double of_a_run, double distance, double confidence, double power) {
  // Student's t is wider than the normal, so no fewer than that says.
  const double quantiles = normal_quantile(confidence) + normal_quantile(power);
  const double room = squared(distance / quantiles) - with_clocks(0);
  const double least = room > 0 ? 2 * squared(of_a_run) / room : HUGE_VAL;
  if (!(least < static_cast<double>(kMostRuns))) return std::nullopt;
  for (auto runs = std::max(std::size_t{2}, static_cast<std::size_t>(least)); runs < kMostRuns; ++runs) {
    const double n = static_cast<double>(runs);
    const double error = std::sqrt(with_clocks(2 * squared(of_a_run) / n));
    if ((t_at(confidence, 2 * n - 2) + t_at(power, 2 * n - 2)) * error <= distance) return runs;
  }
  return std::nullopt;
}

// By Newton's method on 1 / trigamma, which is nearly linear.
double inverse_trigamma(double value) {
  double x = 0.5 + 1 / value;
  for (int i = 0; i < 50; ++i) {
    const double trigamma = boost::math::trigamma(x);
    const double step = trigamma * (1 - trigamma / value) / boost::math::polygamma(2, x);
    x += step;
    if (std::abs(step) < 1e-9 * x) break;
  }
  return x;
}

// What a variance adds to the square's loss of freedom; what was not estimated loses none.
double spent_by(double variance, double freedom) { return freedom > 0 ? squared(variance) / freedom : 0; }

}  // namespace

SideMean side_mean(std::span<const std::vector<double>> runs) {
  SideMean side;
  std::vector<double> means;
  double squares_within = 0;
  for (const std::vector<double>& rounds : runs) {
    means.push_back(mean(rounds));
    squares_within += squared(stdev(rounds)) * static_cast<double>(rounds.size() - 1);
    side.within_freedom += static_cast<double>(rounds.size() - 1);
  }
  side.runs = means.size();
  side.mean = mean(means);
  for (const double each : means) side.squares += squared(each - side.mean);
  if (side.within_freedom == 0) return side;
  const double of_a_round = squares_within / side.within_freedom;
  for (const std::vector<double>& rounds : runs)
    side.within += of_a_round / static_cast<double>(rounds.size()) / squared(static_cast<double>(side.runs));
  return side;
}

std::optional<Variance> variance_of_runs(const SideMean& before, const SideMean& after) {
  const double freedom = static_cast<double>(before.runs + after.runs) - 2;
  if (freedom < 1) return std::nullopt;
  return Variance{(before.squares + after.squares) / freedom, freedom};
}

Variance usual_variance(std::span<const Variance> rows) {
  // Of logarithms, what chance adds is known: its mean is digamma's, its variance trigamma's.
  std::vector<double> logs;
  double half = 0;
  for (const Variance& row : rows) half += row.freedom / 2 / static_cast<double>(rows.size());
  for (const Variance& row : rows)
    logs.push_back(std::log(with_clocks(row.value)) - boost::math::digamma(half) + std::log(half));
  const double beyond_chance = squared(stdev(logs)) - boost::math::trigamma(half);
  if (beyond_chance <= 0) return {std::exp(mean(logs)), std::numeric_limits<double>::infinity()};
  const double usual_half = inverse_trigamma(beyond_chance);
  return {std::exp(mean(logs) + boost::math::digamma(usual_half) - std::log(usual_half)), 2 * usual_half};
}

Variance moderated(const Variance& own, const Variance& usual) {
  const double freedom = std::min(usual.freedom, kMostFreedom) + own.freedom;
  const double together =
      (std::min(usual.freedom, kMostFreedom) * usual.value + own.freedom * own.value) / freedom;
  if (usual.freedom < kFewestToModerate && together < own.value) return own;
  return {together, freedom};
}

Change change_by_history(const SideMean& before, const SideMean& after, const Variance& of_runs) {
  const double shares = 1 / static_cast<double>(before.runs) + 1 / static_cast<double>(after.runs);
  return {after.mean - before.mean, std::sqrt(with_clocks(of_runs.value * shares)), of_runs.freedom,
          std::sqrt(of_runs.value)};
}

std::optional<Variance> variance_of_rounds(std::span<const double> ratios) {
  if (ratios.size() < 2) return std::nullopt;
  return Variance{squared(stdev(ratios)), static_cast<double>(ratios.size()) - 1};
}

Change change_by_rounds(std::span<const double> ratios, const Variance& of_a_round) {
  const double n = static_cast<double>(ratios.size());
  return {mean(ratios), std::sqrt(with_clocks(of_a_round.value / n)), of_a_round.freedom,
          std::sqrt(of_a_round.value / 2)};
}

Change change_by_prior(const SideMean& before, const SideMean& after, double between_runs) {
  const double known =
      squared(between_runs) * (1 / static_cast<double>(before.runs) + 1 / static_cast<double>(after.runs));
  const double variance = with_clocks(known + before.within + after.within);
  const double spent =
      spent_by(before.within, before.within_freedom) + spent_by(after.within, after.within_freedom);
  const double of_a_run =
      squared(between_runs) +
      (before.within * static_cast<double>(before.runs) + after.within * static_cast<double>(after.runs)) / 2;
  return {after.mean - before.mean, std::sqrt(variance),
          spent > 0 ? squared(variance) / spent : std::numeric_limits<double>::infinity(),
          std::sqrt(of_a_run)};
}

ConfidenceInterval interval_of(const Change& change, double level) {
  const double half = t_at(0.5 + level / 2, change.freedom) * change.error;
  return {std::exp(change.shift - half), std::exp(change.shift + half), level, IntervalKind::between_process};
}

double p_of_change_beyond(const Change& change, double theta) {
  const double t = (std::abs(change.shift) - std::log1p(theta)) / change.error;
  const boost::math::students_t_distribution<double> student(std::min(change.freedom, kMostFreedom));
  return boost::math::cdf(boost::math::complement(student, t));
}

bool is_equivalent(const Change& change, double theta) {
  return std::abs(change.shift) + t_at(0.95, change.freedom) * change.error <= std::log1p(theta);
}

std::vector<bool> discoveries(std::span<const double> p, double q) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::size_t found = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double limit = q * static_cast<double>(i + 1) / static_cast<double>(p.size());
    if (p[order[i]] <= limit) found = i + 1;
  }
  std::vector<bool> holds(p.size(), false);
  for (std::size_t i = 0; i < found; ++i) holds[order[i]] = true;
  return holds;
}

double hodges_lehmann(std::span<const double> values) {
  std::vector<double> few = sorted(values);
  if (few.size() > kMostForPairs) {
    std::vector<double> thinned(kMostForPairs);
    for (std::size_t i = 0; i < kMostForPairs; ++i)
      thinned[i] = quantile_of_sorted(few, (static_cast<double>(i) + 0.5) / kMostForPairs);
    few = std::move(thinned);
  }
  std::vector<double> pairs;
  pairs.reserve(few.size() * (few.size() + 1) / 2);
  for (std::size_t i = 0; i < few.size(); ++i)
    for (std::size_t j = i; j < few.size(); ++j) pairs.push_back((few[i] + few[j]) / 2);
  return median(pairs);
}

double smallest_change_seen(const Change& change, double theta) {
  const double beyond = (t_at(0.95, change.freedom) + t_at(kPower, change.freedom)) * change.error;
  return std::expm1(std::log1p(theta) + beyond);
}

std::optional<std::size_t> runs_a_side_for(double of_a_run, double change) {
  return fewest_runs(of_a_run, std::log1p(change), 0.975, kPower);
}

std::optional<std::size_t> runs_a_side_to_decide(const Change& change, double theta) {
  return fewest_runs(change.of_a_run, std::abs(std::abs(change.shift) - std::log1p(theta)), 0.95, 0.5);
}

}  // namespace assay::statistics
