// SPDX-License-Identifier: Apache-2.0
#include "comparison/spread.hpp"

#include "statistics/summary.hpp"

#include <algorithm>
#include <cmath>

namespace assay::comparison {

namespace {

// Fewer rows say nothing of how rows scatter.
constexpr std::size_t kFewestRowsForFloor = 5;
constexpr std::size_t kFewestRowsForScatter = 8;
constexpr double kMostFreedom = 100;
constexpr double kNormalOfMad = 1.4826;

double squared(double value) { return value * value; }

// Rows of which most did not change scatter as runs do: where that is more than was assumed, the assumption is wrong here. What all
// rows of a run share is not seen so.
double variance_by_rows(std::span<Pair* const> pairs) {
  std::vector<double> shifts, within;
  for (const Pair* pair : pairs) {
    shifts.push_back(pair->after.mean - pair->before.mean);
    within.push_back(pair->before.within + pair->after.within);
  }
  const double scatter = kNormalOfMad * statistics::median_absolute_deviation(shifts);
  return (squared(scatter) - statistics::median(within)) / 2;
}

// Runs that agree by luck are held to what is usual among the rows.
double by_history(std::span<Pair* const> pairs) {
  std::vector<statistics::Variance> own;
  for (const Pair* pair : pairs) own.push_back(*variance_of_runs(pair->before, pair->after));
  statistics::Variance usual = statistics::typical_variance(own);
  usual.freedom = std::min(usual.freedom, kMostFreedom);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool is_lucky = pairs.size() >= kFewestRowsForFloor && own[i].value < usual.value;
    pairs[i]->change =
        statistics::change_by_history(pairs[i]->before, pairs[i]->after, is_lucky ? usual : own[i]);
  }
  return std::sqrt(usual.value);
}

}  // namespace

double assumed_between_runs(const std::string& backend) { return backend == "host" ? 0.03 : 0.003; }

model::SpreadOfRuns settle_changes(const std::string& resource, const std::string& backend,
                                   std::span<Pair* const> pairs, const Question& question) {
  const bool has_history = std::all_of(
      pairs.begin(), pairs.end(), [](const Pair* pair) { return pair->before.runs + pair->after.runs > 2; });
  if (has_history && !question.between_runs) return {resource, "history", by_history(pairs)};
  double share = question.between_runs.value_or(assumed_between_runs(backend));
  std::string source = question.between_runs ? "given" : "prior";
  if (!question.between_runs && pairs.size() >= kFewestRowsForScatter) {
    const double by_rows = variance_by_rows(pairs);
    if (by_rows > squared(share)) {
      share = std::sqrt(by_rows);
      source = "rows";
    }
  }
  for (Pair* pair : pairs) pair->change = statistics::change_by_prior(pair->before, pair->after, share);
  return {resource, source, share};
}

}  // namespace assay::comparison
