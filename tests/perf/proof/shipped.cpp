// SPDX-License-Identifier: Apache-2.0
//
// Suites that are shipped, run twice with nothing changed: rows that scatter as they did in the results that are kept.
#include "comparison/compare.hpp"
#include "kept.hpp"
#include "model/document.hpp"
#include "proof.hpp"
#include "statistics/change.hpp"
#include "statistics/interval.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace assay::proof {
namespace {

using statistics::Random;

constexpr std::size_t kTrials = 400;
constexpr double kTheta = 0.02;

double log_scatter(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return statistics::stdev(logs);
}

// Another run of it, each row of which lies where the runs of its backend usually do.
comparison::LoadedResult run_again(const comparison::LoadedResult& kept, double apart, Random& random) {
  comparison::LoadedResult again = kept;
  for (model::Case& one : again.cases) {
    std::erase_if(one.metrics, [](const model::Metric& metric) { return !has_usable_rounds(metric); });
    for (model::Metric& metric : one.metrics) {
      metric.whole.clear();
      const double scatter = log_scatter(metric.rounds);
      const double level = std::log(statistics::geometric_mean(metric.rounds)) +
                           apart * comparison::assumed_between_runs(one.backend) * random.normal();
      for (double& value : metric.rounds) value = statistics::portable_exp(level + scatter * random.normal());
      metric.value = statistics::geometric_mean(metric.rounds);
    }
  }
  return again;
}

bool finds_slower(const comparison::LoadedResult& kept, double apart, std::uint64_t trial) {
  Random random(kSeed, trial);
  const auto before = run_again(kept, apart, random), after = run_again(kept, apart, random);
  const model::Comparison found = comparison::compare({before}, {after}, {});
  return std::any_of(found.rows.begin(), found.rows.end(), [](const model::ComparedRow& row) {
    return row.verdict == model::ComparedVerdict::slower;
  });
}

// How the ratio of one row of a finding scattered from round to round.
struct Ratio {
  std::size_t rounds = 0;
  double scatter = 0;
};

std::vector<Ratio> ratios_of(const model::Document& document) {
  std::vector<Ratio> ratios;
  for (const model::Finding& finding : document.findings)
    for (const model::FindingRow& row : finding.rows) {
      if (!row.effect || row.n < statistics::kFewestProcessesForInterval || !(row.bounds.low > -1)) continue;
      const double half = std::log((1 + row.bounds.high) / (1 + row.bounds.low)) / 2;
      if (half > 0) ratios.push_back({row.n, statistics::scatter_of(half, row.n)});
    }
  return ratios;
}

struct Decided {
  bool falsely = false;
  std::size_t open = 0;
};

Decided decided(const std::vector<Ratio>& ratios, std::uint64_t trial) {
  Random random(kSeed, trial);
  Decided result;
  for (const Ratio& ratio : ratios) {
    std::vector<double> left(ratio.rounds);
    for (double& value : left) value = statistics::portable_exp(ratio.scatter * random.normal());
    const std::vector<double> right(ratio.rounds, 1);
    const auto verdict =
        statistics::verdict_of(*statistics::paired_ratio(left, right).interval, kTheta, true);
    result.falsely = result.falsely || verdict == statistics::ChangeVerdict::better ||
                     verdict == statistics::ChangeVerdict::worse;
    result.open += verdict == statistics::ChangeVerdict::undecided ? 1 : 0;
  }
  return result;
}

}  // namespace

Section shipped_suites() {
  Section section;
  std::vector<std::vector<std::string>> rows;
  double most_slower = 0, most_falsely = 0;
  for (const std::string& name : std::span(kept_results()).first(kKeptSuites)) {
    const std::string text = text_of_kept(name);
    const comparison::LoadedResult kept = comparison::read_result(text, name);
    std::size_t compared = 0;
    for (const model::Case& one : kept.cases)
      compared +=
          static_cast<std::size_t>(std::count_if(one.metrics.begin(), one.metrics.end(), has_usable_rounds));
    std::vector<std::string> row = {name, std::to_string(compared), std::to_string(kept.run.rounds)};
    for (const double apart : {1.0, 3.0}) {
      double slower = 0;
      for (const char hit : trials<char>(
               kTrials, [&](std::size_t i) { return static_cast<char>(finds_slower(kept, apart, i)); }))
        slower += hit;
      slower /= static_cast<double>(kTrials);
      if (apart == 1) most_slower = std::max(most_slower, slower);
      row.push_back(percent(slower));
    }
    const std::vector<Ratio> ratios = ratios_of(model::read_document(text));
    double falsely = 0, open = 0;
    for (const Decided& each : trials<Decided>(kTrials, [&](std::size_t i) { return decided(ratios, i); })) {
      falsely += each.falsely;
      open += static_cast<double>(each.open);
    }
    falsely /= static_cast<double>(kTrials);
    most_falsely = std::max(most_falsely, falsely);
    row.push_back(std::to_string(ratios.size()));
    row.push_back(percent(falsely));
    row.push_back(ratios.empty() ? "–" : percent(open / static_cast<double>(kTrials * ratios.size())));
    rows.push_back(std::move(row));
  }
  section.targets.push_back(
      {"shipped suites, nothing changed: comparisons with a false `slower` (worst suite)", "at most 1 %",
       percent(most_slower), most_slower <= 0.01});
  section.targets.push_back(
      {"shipped suites, nothing differs: runs with a row of a finding decided falsely (worst suite)",
       "at most 1 %", percent(most_falsely), most_falsely <= 0.01});
  section.text = fmt::format(R"(## Shipped suites, with nothing changed

Each suite of which a result with rounds is kept (`docs/results`), {} times: its rows scatter from round to round as they did there. *Compared*: two runs of it, which
differ by what `assay compare` assumes (0.3 % on devices, 3 % on the host), and by three times that. *Findings*: every ratio is 1 in truth, with the scatter that it had; a row is
decided falsely if its interval lies beyond 2 % on either side. On hosts, where ratios scatter by more than that between rounds, each row is so in up to
5 % of runs: a finding of one row says less than one whose rows agree, and in the worst suite one of its rows is so in {} of runs. Acceptances and `quick` are left out: their results have one round, whose rows no comparison decides, and no
findings.

)",
                             kTrials, percent(most_falsely)) +
                 table({"result", "rows compared", "rounds", "with a false `slower`", "at three times",
                        "rows of findings", "runs with one decided falsely", "rows undecided"},
                       rows);
  return section;
}

}  // namespace assay::proof
