// SPDX-License-Identifier: Apache-2.0
#include "engine/earlier_rounds.hpp"

#include "base/json_words.hpp"
#include "model/measure_keys.hpp"
#include "statistics/change.hpp"
#include "statistics/interval.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace assay::engine {
namespace {

// Only what was passed or failed by its limits is a measurement.
bool was_measured(const model::Case& one) {
  return (one.outcome == Outcome::passed || one.outcome == Outcome::failed) && one.headline() != nullptr;
}

const model::Case* same_case(const model::Document& document, const plan::PlannedCase& planned) {
  const Json conditions = model::conditions_to_json(planned.measure);
  for (const model::Case& one : document.cases)
    if (one.id == planned.id && one.parameters == planned.parameters && one.conditions == conditions &&
        was_measured(one))
      return &one;
  return nullptr;
}

// The variance that the samples of one round explain of its value's logarithm.
double explained_by_samples(const model::Case& one) {
  const model::Metric& metric = *one.headline();
  if (!one.time || !one.measurement || metric.rounds.empty() || !(one.time->mean > 0)) return 0;
  const double effective = one.measurement->effective_samples.value_or(0);
  if (!(effective > 0)) return 0;
  const double of_a_sample = one.time->stdev / one.time->mean;
  const double of_all = of_a_sample * of_a_sample / effective;
  const double of_median = metric.statistic == "median" ? std::numbers::pi / 2 : 1;
  return of_median * of_all * static_cast<double>(metric.rounds.size());
}

Json measure_in(const model::Document& document, const std::string& id) {
  const auto cases = document.run.resolved_suite.find("cases");
  if (cases == document.run.resolved_suite.end()) return {};
  for (const Json& one : *cases)
    if (value_at<std::string>(one, "id") == id) return one.value("measure", Json());
  return {};
}

}  // namespace

std::optional<statistics::Components> EarlierRounds::components_of(const plan::PlannedCase& planned) const {
  std::vector<std::vector<double>> runs;
  double samples = 0;
  for (const model::Document& document : documents_) {
    const model::Case* one = same_case(document, planned);
    if (one == nullptr) continue;
    std::vector<double> logarithms;
    for (const double value : one->headline()->rounds)
      if (value > 0) logarithms.push_back(std::log(value));
    if (logarithms.empty() || logarithms.size() != one->headline()->rounds.size()) continue;
    runs.push_back(std::move(logarithms));
    samples += explained_by_samples(*one);
  }
  if (runs.empty()) return std::nullopt;
  return statistics::variance_components(runs, samples / static_cast<double>(runs.size()));
}

std::optional<double> EarlierRounds::round_s_of(const plan::PlannedCase& planned) const {
  double total = 0;
  std::size_t visits = 0;
  for (const model::Document& document : documents_) {
    const model::Case* one = same_case(document, planned);
    if (one == nullptr || measure_in(document, planned.id) != model::to_plan_json(planned.measure)) continue;
    double in_visits = 0;
    std::size_t all = 0;
    for (const model::Case& each : document.cases)
      for (const model::Visit& visit : each.visits) {
        in_visits += visit.duration_s.value_or(0);
        ++all;
      }
    const double between = std::max(0.0, document.run.duration_s.value_or(0) - in_visits);
    for (const model::Visit& visit : one->visits) {
      if (!visit.duration_s) continue;
      total += *visit.duration_s + between / static_cast<double>(all);
      ++visits;
    }
  }
  return visits == 0 ? std::nullopt : std::optional(total / static_cast<double>(visits));
}

std::optional<double> EarlierRounds::scatter_of_finding(const std::string& id) const {
  struct Sum {
    double squares = 0, freedom = 0;
  };
  std::map<std::string, Sum> rows;
  for (const model::Document& document : documents_) {
    // An interval of an extended run may be wider: taken as the usual one it plans too many rounds, never too few.
    for (const model::Finding& finding : document.findings) {
      if (finding.id != id) continue;
      for (const model::FindingRow& row : finding.rows) {
        const auto bounds = model::known(row.bounds);
        if (!bounds || row.n < statistics::kFewestProcessesForInterval || !(bounds->low > -1)) continue;
        const double half = (std::log1p(bounds->high) - std::log1p(bounds->low)) / 2;
        const double scatter = statistics::scatter_of(half, row.n);
        const double freedom = static_cast<double>(row.n - 1);
        rows[row.label].squares += scatter * scatter * freedom;
        rows[row.label].freedom += freedom;
      }
    }
  }
  std::optional<double> largest;
  for (const auto& [label, sum] : rows)
    largest = std::max(largest.value_or(0), std::sqrt(sum.squares / sum.freedom));
  return largest;
}

}  // namespace assay::engine
