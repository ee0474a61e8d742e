// SPDX-License-Identifier: Apache-2.0
#include "statistics/compare.hpp"

#include "statistics/distribution.hpp"
#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statistics {

namespace {

constexpr std::size_t kFewestForSignInterval = 6;
constexpr std::size_t kMostRounds = 1000;

Interval back_transformed(double centre, double half_width, double level) {
  return {std::exp(centre - half_width), std::exp(centre + half_width), level, IntervalKind::between_process};
}

double t_of(double level, double degrees_of_freedom) {
  return student_t_quantile(0.5 + level / 2, degrees_of_freedom);
}

// Order statistics j and n + 1 - j with the largest j for which P(fewer than j of n fair coins) <= (1 -
// level) / 2.
std::optional<Interval> sign_interval(std::vector<double> logs, double level) {
  if (logs.size() < kFewestForSignInterval) return std::nullopt;
  std::sort(logs.begin(), logs.end());
  const double n = static_cast<double>(logs.size());
  const double allowed = (1 - level) / 2;
  double term = n * std::log(0.5);  // logarithm of the binomial probability of `below` successes
  double tail = std::exp(term);
  std::size_t below = 0;
  while (true) {
    const double next = term + std::log((n - static_cast<double>(below)) / (static_cast<double>(below) + 1));
    if (tail + std::exp(next) > allowed) break;
    term = next;
    tail += std::exp(next);
    ++below;
  }
  if (tail > allowed) return std::nullopt;
  return Interval{std::exp(logs[below]), std::exp(logs[logs.size() - 1 - below]), level,
                  IntervalKind::between_process};
}

bool contradicts(const Interval& sign, const Interval& interval, Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
    case Verdict::worse:
      return interval.low > 1 ? sign.low <= 1 : sign.high >= 1;
    case Verdict::same:
    case Verdict::changed_small:
      return sign.low > interval.high || sign.high < interval.low;
    case Verdict::undecided:
      return false;
  }
  return false;
}

std::size_t rounds_needed(const Ratio& ratio, double theta) {
  if (ratio.n < 2) return kFewestProcessesForInterval - ratio.n;
  // Decided once the interval ends before the nearer limit. Student's t is wider than the normal, so no fewer
  // than that says.
  const double distance = std::abs(std::abs(std::log(ratio.ratio)) - std::log1p(theta));
  const auto half_width = [&](double n) { return t_of(0.95, n - 1) * ratio.scatter / std::sqrt(n); };
  const double at_least = std::pow(normal_quantile(0.975) * ratio.scatter / distance, 2);
  if (!(at_least < static_cast<double>(kMostRounds))) return 0;
  std::size_t n = std::max({ratio.n + 1, kFewestProcessesForInterval, static_cast<std::size_t>(at_least)});
  while (n <= kMostRounds && half_width(static_cast<double>(n)) >= distance) ++n;
  return n <= kMostRounds ? n - ratio.n : 0;
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return "better";
    case Verdict::worse:
      return "worse";
    case Verdict::same:
      return "same";
    case Verdict::changed_small:
      return "changed_small";
    case Verdict::undecided:
      return "undecided";
  }
  return "undecided";
}

Ratio paired_ratio(std::span<const double> left, std::span<const double> right, double level) {
  std::vector<double> logs(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) logs[i] = std::log(left[i] / right[i]);
  Ratio result;
  result.n = logs.size();
  const double centre = mean(logs);
  result.ratio = std::exp(centre);
  result.scatter = stdev(logs);
  if (result.n >= kFewestProcessesForInterval) {
    const double n = static_cast<double>(result.n);
    result.interval = back_transformed(centre, t_of(level, n - 1) * result.scatter / std::sqrt(n), level);
  }
  result.sign_interval = sign_interval(std::move(logs), level);
  return result;
}

Ratio unpaired_ratio(std::span<const double> left, std::span<const double> right, double level) {
  std::vector<double> left_logs(left.begin(), left.end());
  std::vector<double> right_logs(right.begin(), right.end());
  for (double& value : left_logs) value = std::log(value);
  for (double& value : right_logs) value = std::log(value);
  Ratio result;
  result.n = std::min(left.size(), right.size());
  const double centre = mean(left_logs) - mean(right_logs);
  result.ratio = std::exp(centre);
  const double left_variance = std::pow(stdev(left_logs), 2);
  const double right_variance = std::pow(stdev(right_logs), 2);
  result.scatter = std::sqrt(left_variance + right_variance);
  if (result.n < kFewestProcessesForInterval) return result;
  const double left_n = static_cast<double>(left.size());
  const double right_n = static_cast<double>(right.size());
  const double left_part = left_variance / left_n;
  const double right_part = right_variance / right_n;
  const double total = left_part + right_part;
  // Welch and Satterthwaite.
  const double degrees =
      total > 0
          ? total * total / (left_part * left_part / (left_n - 1) + right_part * right_part / (right_n - 1))
          : left_n + right_n - 2;
  result.interval = back_transformed(centre, t_of(level, degrees) * std::sqrt(total), level);
  return result;
}

double standard_errors_above(double factor, std::span<const double> left, std::span<const double> right) {
  const auto variance_of_mean = [](std::span<const double> values) {
    return std::pow(stdev(values), 2) / static_cast<double>(values.size());
  };
  const double error = std::sqrt(variance_of_mean(right) + factor * factor * variance_of_mean(left));
  const double above = mean(right) - factor * mean(left);
  return error > 0 ? above / error : std::copysign(HUGE_VAL, above);
}

Verdict verdict_of(const Interval& ratio, double theta, bool higher_is_better) {
  const double up = 1 + theta;
  const double down = 1 / up;
  if (ratio.low > up) return higher_is_better ? Verdict::better : Verdict::worse;
  if (ratio.high < down) return higher_is_better ? Verdict::worse : Verdict::better;
  if (ratio.low >= down && ratio.high <= up) return Verdict::same;
  if (ratio.low > 1 || ratio.high < 1) return Verdict::changed_small;
  return Verdict::undecided;
}

Comparison compare(const Ratio& ratio, double theta, bool higher_is_better) {
  Comparison result;
  result.ratio = ratio;
  if (ratio.interval) {
    result.verdict = verdict_of(*ratio.interval, theta, higher_is_better);
    if (ratio.sign_interval && contradicts(*ratio.sign_interval, *ratio.interval, result.verdict)) {
      result.verdict = Verdict::undecided;
    }
  }
  if (result.verdict == Verdict::undecided) result.rounds_needed = rounds_needed(ratio, theta);
  return result;
}

Comparison compare(std::span<const double> left, std::span<const double> right, double theta,
                   bool higher_is_better, double level) {
  return compare(paired_ratio(left, right, level), theta, higher_is_better);
}

}  // namespace assay::statistics
