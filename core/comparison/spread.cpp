// SPDX-License-Identifier: Apache-2.0
#include "comparison/spread.hpp"

#include "statistics/summary.hpp"

#include <cmath>
#include <optional>

namespace assay::comparison {

namespace {

// Fewer rows say nothing of how rows scatter.
constexpr std::size_t kFewestRowsForUsual = 5;
constexpr std::size_t kFewestRowsForScatter = 8;
constexpr double kNormalOfMad = 1.4826;
constexpr double kChance = 4;  // times 1 / root n: a scatter by MAD is seldom further above the truth

double squared(double value) { return value * value; }

// Rows of which most did not change scatter as runs do: where that is more than was assumed, and more than chance adds, the assumption is
// wrong here. What all rows of a run share is not seen so.
std::optional<double> variance_by_rows(std::span<Pair* const> pairs, double assumed) {
  std::vector<double> shifts, within;
  for (const Pair* pair : pairs) {
    shifts.push_back(pair->after.mean - pair->before.mean);
    within.push_back(pair->before.within + pair->after.within);
  }
  const double rounds = statistics::median(within);
  const double scatter = squared(kNormalOfMad * statistics::median_absolute_deviation(shifts));
  const double by_chance = 1 + kChance / std::sqrt(static_cast<double>(pairs.size()));
  if (scatter <= (rounds + 2 * squared(assumed)) * by_chance) return std::nullopt;
  return (scatter - rounds) / 2;
}

// Rows of a resource tell each other how much runs, or rounds, differ; with few of them each stands for itself.
template <class VarianceOf, class ChangeBy>
double by_own_variances(std::span<Pair* const> pairs, VarianceOf variance_of, ChangeBy change_by) {
  std::vector<statistics::Variance> own;
  for (const Pair* pair : pairs) own.push_back(*variance_of(*pair));
  const bool has_others = pairs.size() >= kFewestRowsForUsual;
  const statistics::Variance usual = has_others ? statistics::usual_variance(own) : statistics::Variance{};
  std::vector<double> taken;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const statistics::Variance variance = has_others ? statistics::moderated(own[i], usual) : own[i];
    pairs[i]->change = change_by(*pairs[i], variance);
    taken.push_back(variance.value);
  }
  return std::sqrt(statistics::median(taken));
}

double by_history(std::span<Pair* const> pairs) {
  return by_own_variances(
      pairs, [](const Pair& pair) { return statistics::variance_of_runs(pair.before, pair.after); },
      [](const Pair& pair, const statistics::Variance& variance) {
        return statistics::change_by_history(pair.before, pair.after, variance);
      });
}

double by_rounds(std::span<Pair* const> pairs) {
  return by_own_variances(
      pairs, [](const Pair& pair) { return statistics::variance_of_rounds(pair.ratios); },
      [](const Pair& pair, const statistics::Variance& variance) {
        return statistics::change_by_rounds(pair.ratios, variance);
      });
}

}  // namespace

double assumed_between_runs(const std::string& backend) { return backend == "host" ? 0.03 : 0.003; }

model::SpreadOfRuns fill_changes(const std::string& resource, const std::string& backend,
                                 std::span<Pair* const> pairs, const Question& question) {
  using model::SpreadSource;
  if (!pairs.front()->ratios.empty()) return {resource, SpreadSource::rounds, by_rounds(pairs)};
  std::vector<Pair*> of_several_runs, others;
  for (Pair* pair : pairs)
    (pair->before.runs + pair->after.runs > 2 ? of_several_runs : others).push_back(pair);
  if (!of_several_runs.empty() && !question.between_runs) {
    const double usual = by_history(of_several_runs);
    for (Pair* pair : others) pair->change = statistics::change_by_prior(pair->before, pair->after, usual);
    return {resource, SpreadSource::history, usual};
  }
  double share = question.between_runs.value_or(assumed_between_runs(backend));
  SpreadSource source = question.between_runs ? SpreadSource::given : SpreadSource::prior;
  if (!question.between_runs && pairs.size() >= kFewestRowsForScatter) {
    if (const auto by_rows = variance_by_rows(pairs, share)) {
      share = std::sqrt(*by_rows);
      source = SpreadSource::rows;
    }
  }
  for (Pair* pair : pairs) pair->change = statistics::change_by_prior(pair->before, pair->after, share);
  return {resource, source, share};
}

}  // namespace assay::comparison
