// SPDX-License-Identifier: Apache-2.0
//
// `assay compare` on results whose truth is known.
#include "comparison/compare.hpp"
#include "proof.hpp"
#include "statistics/testing/random.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::proof {
namespace {

using statistics::Random;

constexpr std::size_t kRows = 50;
constexpr std::size_t kChanged = 5;
constexpr std::size_t kComparisons = 400;
constexpr double kOfARound = 0.003;

struct Setting {
  std::string text;
  double between;     // standard deviation of a row between runs
  double common = 0;  // of all rows of a run together
  int runs = 1;
  int rounds = 10;
};

comparison::LoadedResult run_of(const Setting& setting, double slower, Random& random) {
  comparison::LoadedResult reading;
  const double together = setting.common * random.normal();
  for (std::size_t row = 0; row < kRows; ++row) {
    model::Case one;
    one.id = one.comparison_key = "row" + std::to_string(row);
    one.benchmark = "work";
    one.backend = "cuda";
    one.outcome = Outcome::passed;
    model::Metric metric;
    metric.name = "rate";
    metric.direction = "higher";
    metric.headline = true;
    const double level = together + setting.between * random.normal() - (row < kChanged ? slower : 0);
    for (int round = 0; round < setting.rounds; ++round)
      metric.rounds.push_back(statistics::portable_exp(level + kOfARound * random.normal()));
    metric.value = metric.rounds.front();
    one.metrics.push_back(std::move(metric));
    reading.cases.push_back(std::move(one));
  }
  return reading;
}

struct Found {
  bool any_slower = false;
  std::size_t same = 0, changed_slower = 0;
  std::uint64_t runs_for_one_percent = 0;
};

Found compared(const Setting& setting, double slower, std::uint64_t trial) {
  Random random(kSeed, trial);
  std::vector<comparison::LoadedResult> before, after;
  for (int run = 0; run < setting.runs; ++run) {
    before.push_back(run_of(setting, 0, random));
    after.push_back(run_of(setting, slower, random));
  }
  const model::Comparison result = comparison::compare(before, after, {});
  Found found;
  for (std::size_t row = 0; row < kRows; ++row) {
    const model::ComparedVerdict verdict = result.rows[row].verdict;
    found.any_slower = found.any_slower || verdict == model::ComparedVerdict::slower;
    if (verdict == model::ComparedVerdict::same) ++found.same;
    if (verdict == model::ComparedVerdict::slower && row < kChanged) ++found.changed_slower;
  }
  found.runs_for_one_percent = result.reach.runs_for_one_percent.value_or(0);
  return found;
}

double share(std::size_t of, std::size_t all) { return static_cast<double>(of) / static_cast<double>(all); }

}  // namespace

Section two_runs() {
  const std::vector<Setting> settings = {
      {"0.3 %", 0.003, 0, 1},
      {"0.3 %", 0.003, 0, 1, 3},
      {"0.3 %", 0.003, 0, 3},
      {"1 %", 0.01, 0, 1},
      {"1 %", 0.01, 0, 3},
      {"1 %", 0.01, 0, 6},
      {"2 %", 0.02, 0, 1},
      {"2 %", 0.02, 0, 6},
      {"0.3 %, and all rows of a run together by 1 %", 0.003, 0.01, 1},
      {"0.3 %, and all rows of a run together by 1 %", 0.003, 0.01, 6},
  };
  Section section;
  section.text = fmt::format(
      "## Two runs compared with each other\n\n"
      "`assay compare` on simulated results of {} rows whose rounds differ by {} within a run, {} comparisons a line; theta is 2 %, and what runs "
      "differ by is not given. A false alarm is a comparison of nothing with nothing in which any row is `slower`. To find a change, {} of the rows are made slower. What "
      "one run a side cannot see is that all of its rows moved together.\n\n",
      kRows, percent(kOfARound), kComparisons, kChanged);
  std::vector<std::vector<std::string>> rows;
  std::vector<double> alarms, power;
  for (const Setting& setting : settings) {
    const auto of_nothing =
        trials<Found>(kComparisons, [&](std::size_t i) { return compared(setting, 0, 2 * i); });
    const auto of_change =
        trials<Found>(kComparisons, [&](std::size_t i) { return compared(setting, 0.04, 2 * i + 1); });
    std::size_t any = 0, same = 0, found = 0;
    std::uint64_t needed = 0;
    for (const Found& each : of_nothing) {
      any += each.any_slower ? 1 : 0;
      same += each.same;
      needed += each.runs_for_one_percent;
    }
    for (const Found& each : of_change) found += each.changed_slower;
    alarms.push_back(share(any, kComparisons));
    power.push_back(share(found, kComparisons * kChanged));
    rows.push_back({setting.text, std::to_string(setting.runs), std::to_string(setting.rounds),
                    percent(alarms.back()), percent(share(same, kComparisons * kRows)), percent(power.back()),
                    fmt::format("{:.0f}", share(needed, kComparisons))});
  }
  section.text += table({"runs differ by", "runs a side", "rounds", "comparisons with a false alarm",
                         "nothing found `same`", "4 % found `slower`", "runs a side for 1 %, as it says"},
                        rows);
  const auto target = [&](std::string claim, std::string limit, double reached, bool met) {
    section.targets.push_back({std::move(claim), std::move(limit), percent(reached), met});
  };
  target("compare: 0.3 % between runs, one run a side, false alarms", "≤ 1 %", alarms[0], alarms[0] <= 0.01);
  target("compare: 1 % between runs, one run a side, false alarms", "≤ 1 %", alarms[3], alarms[3] <= 0.01);
  target("compare: 0.3 % between runs, one run a side, 4 % found", "≥ 90 %", power[0], power[0] >= 0.9);
  target("compare: 1 % between runs, six runs a side, 4 % found", "≥ 90 %", power[5], power[5] >= 0.9);
  return section;
}

}  // namespace assay::proof
