// SPDX-License-Identifier: Apache-2.0
//
// Whether the interval of a row would gain by what other rows of its run scatter by (Smyth 2004): full pooling where rows are alike, else as a
// floor under a scatter that is small by luck.
#include "comparison/compare.hpp"
#include "kept.hpp"
#include "proof.hpp"
#include "statistics/between_runs.hpp"
#include "statistics/distribution.hpp"
#include "statistics/estimate.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace assay::proof {
namespace {

using statistics::Random;
using statistics::Variance;

constexpr std::size_t kRuns = 2000, kRows = 12, kFewestRows = 5;
constexpr double kUsual = 0.01, kAlike = 3;

// The rows of one run: how the values of each scatter over rounds, whose truth is 0 in logarithms.
struct Rows {
  const char* name;
  double apart;                          // standard deviation of ln(scatter) from row to row
  double noisier;                        // times that every sixth row scatters more
  double together;                       // share of the variance that a round gives to all of its rows alike
  std::function<double(Random&)> noise;  // of one round, standard deviation 1, mean 0
};

double normal(Random& random) { return random.normal(); }

// Two levels, of which the upper one comes with this chance.
std::function<double(Random&)> levels(double chance) {
  return [chance](Random& random) {
    const double deviation = std::sqrt(chance * (1 - chance));
    return ((random.chance(chance) ? 1.0 : 0.0) - chance) / deviation + 0.05 * random.normal();
  };
}

const std::vector<Rows>& kinds() {
  static const std::vector<Rows> all = {
      {"alike", 0, 1, 0, normal},
      {"alike, and a round moves all of them by half of it", 0, 1, 0.5, normal},
      {"alike, every sixth twice as noisy", 0, 2, 0, normal},
      {"alike, every sixth three times as noisy", 0, 3, 0, normal},
      {"differ by a factor of 1.5", 0.4, 1, 0, normal},
      {"differ by a factor of 2", 0.7, 1, 0, normal},
      {"differ by a factor of 3", 1.1, 1, 0, normal},
      {"alike, two levels, a tenth is slower", 0, 1, 0, levels(0.1)},
      {"alike, two levels, half is slower", 0, 1, 0, levels(0.5)},
  };
  return all;
}

struct Row {
  double scatter = 0;  // the true one
  double off = 0;      // of the mean
  Variance own;        // of a round
};

std::vector<Row> rows_of(const Rows& kind, std::size_t rounds, Random& random) {
  std::vector<double> common(rounds);
  for (double& each : common) each = std::sqrt(kind.together) * kind.noise(random);
  std::vector<Row> rows(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    Row& row = rows[i];
    row.scatter =
        kUsual * statistics::portable_exp(kind.apart * random.normal()) * (i % 6 == 0 ? kind.noisier : 1);
    std::vector<double> values;
    for (const double shared : common)
      values.push_back(row.scatter * (shared + std::sqrt(1 - kind.together) * kind.noise(random)));
    row.off = statistics::mean(values);
    row.own = *statistics::variance_of_rounds(values);
  }
  return rows;
}

// What one rule did over all rows.
struct Rule {
  double covered = 0, noisiest = 0, covered_noisiest = 0;
  std::vector<double> half_widths;  // in true scatters

  void add(const Row& row, const Variance& taken, std::size_t rounds, bool is_noisy) {
    constexpr double kMostFreedom = 1e6;
    const double t = statistics::student_t_quantile(0.975, std::min(taken.freedom, kMostFreedom));
    const double half = std::max(t * std::sqrt(taken.value / static_cast<double>(rounds)),
                                 std::log1p(statistics::kTimingAccuracy));
    const bool holds = std::fabs(row.off) <= half;
    covered += holds;
    noisiest += is_noisy;
    covered_noisiest += holds && is_noisy;
    half_widths.push_back(half / row.scatter);
  }
};

struct Run {
  Rule by_itself, pooled, floored;
  bool alike = false;  // found to be
};

Run run_of(const Rows& kind, std::size_t rounds, std::size_t trial) {
  Random random(kSeed + rounds, trial);
  const std::vector<Row> rows = rows_of(kind, rounds, random);
  std::vector<Variance> own;
  std::vector<double> scatters;
  for (const Row& row : rows) {
    own.push_back(row.own);
    scatters.push_back(row.scatter);
  }
  const double noisy = statistics::quantile_of_sorted(statistics::sorted(scatters), 0.83);
  const Variance usual = statistics::usual_variance(own);
  Run run;
  run.alike = usual.freedom >= kAlike;
  for (const Row& row : rows) {
    const bool is_noisy = row.scatter >= noisy;
    const Variance moderated = statistics::moderated(row.own, usual);
    run.by_itself.add(row, row.own, rounds, is_noisy);
    run.pooled.add(row, moderated, rounds, is_noisy);
    // Never narrower than by itself.
    run.floored.add(row, {std::max(row.own.value, moderated.value), row.own.freedom}, rounds, is_noisy);
  }
  return run;
}

// The rows of one benchmark in a result that is kept: what each scatters by over its rounds.
struct KeptRows {
  std::string result, benchmark;
  std::size_t rounds = 0;
  std::vector<Variance> own;
};

std::vector<KeptRows> kept_rows() {
  std::vector<KeptRows> found;
  for (const std::string& name : kept_results()) {
    const comparison::LoadedResult kept = comparison::read_result(text_of_kept(name), name);
    for (const model::Case& one : kept.cases)
      for (const model::Metric& metric : one.metrics) {
        if (!has_usable_rounds(metric)) continue;
        std::vector<double> logs;
        for (const double value : metric.rounds) logs.push_back(std::log(value));
        auto rows = std::find_if(found.begin(), found.end(), [&](const KeptRows& each) {
          return each.result == name && each.benchmark == one.benchmark && each.rounds == logs.size();
        });
        if (rows == found.end()) rows = found.insert(rows, {name, one.benchmark, logs.size(), {}});
        rows->own.push_back(*statistics::variance_of_rounds(logs));
      }
  }
  std::erase_if(found, [](const KeptRows& rows) { return rows.own.size() < kFewestRows; });
  return found;
}

std::string table_of_kept_rows() {
  std::vector<std::vector<std::string>> lines;
  for (const KeptRows& rows : kept_rows()) {
    const Variance usual = statistics::usual_variance(rows.own);
    std::vector<double> widths;
    for (const Variance& own : rows.own) {
      const Variance taken = statistics::moderated(own, usual);
      const auto half = [](const Variance& of) {
        return statistics::student_t_quantile(0.975, std::min(of.freedom, 1e6)) * std::sqrt(of.value);
      };
      widths.push_back(half(taken) / std::max(half(own), statistics::kTimingAccuracy));
    }
    lines.push_back(
        {rows.result, rows.benchmark, std::to_string(rows.own.size()), std::to_string(rows.rounds),
         std::isinf(usual.freedom) ? "∞" : fmt::format("{:.1f}", usual.freedom),
         usual.freedom >= kAlike ? "yes" : "no", fmt::format("{:.2f}", statistics::median(widths))});
  }
  return table({"result", "benchmark", "rows", "rounds", "degrees of freedom", "alike", "half-width, times"},
               lines);
}

}  // namespace

Section pooled_variance() {
  std::vector<std::vector<std::string>> lines;
  for (const Rows& kind : kinds())
    for (const std::size_t rounds : {3, 5}) {
      const std::vector<Run> runs =
          trials<Run>(kRuns, [&](std::size_t i) { return run_of(kind, rounds, i); });
      double alike = 0;
      for (const Run& run : runs) alike += run.alike;
      std::vector<std::string> line = {kind.name, std::to_string(rounds),
                                       percent(alike / static_cast<double>(kRuns), 0)};
      for (const auto rule : {&Run::by_itself, &Run::pooled, &Run::floored}) {
        double covered = 0, noisiest = 0, covered_noisiest = 0;
        std::vector<double> halves;
        for (const Run& run : runs) {
          covered += (run.*rule).covered;
          noisiest += (run.*rule).noisiest;
          covered_noisiest += (run.*rule).covered_noisiest;
          halves.insert(halves.end(), (run.*rule).half_widths.begin(), (run.*rule).half_widths.end());
        }
        line.push_back(percent(covered / static_cast<double>(halves.size())));
        line.push_back(percent(covered_noisiest / noisiest));
        line.push_back(
            fmt::format("{:.2f}", statistics::quantile_of_sorted(statistics::sorted(halves), 0.5)));
      }
      lines.push_back(std::move(line));
    }
  return {fmt::format(R"(## What the rows of a run would tell each other

Three rounds know little of how much rounds differ, and other rows of the run might help: *pooled* takes the usual variance of all rows with the row's own (Smyth 2004),
fully where the rows are found alike (its degrees of freedom are {:.0f} or more), else to raise what is small by luck; *floor* does the latter alone. {} runs of {} rows a line.
Coverage is of all rows, and of the noisiest sixth of them; the middle half-width is in true standard deviations between rounds. Over all rows together the pooled interval holds the truth as
often as it says. Of a row that is noisier than its neighbours it does not, and that is the row to be careful with; where rows differ as they do in results of suites, it is no narrower, and it does not
help where processes have two levels. So what a run publishes of a row is by its own rounds ([why](../decisions/0052-a-rows-interval-is-by-its-own-rounds.md)).

)",
                      kAlike, kRuns, kRows) +
              table({"rows", "rounds", "found alike", "by itself", "of the noisiest", "half-width", "pooled",
                     "of the noisiest", "half-width", "floor", "of the noisiest", "half-width"},
                    lines) +
              fmt::format(R"(
The same in results that are kept: each benchmark of which {} rows or more have three rounds. Beside the degrees of freedom of the usual variance, the median row's half-width
under pooling, as a multiple of its own, which is no narrower than clocks are accurate.

)",
                          kFewestRows) +
              table_of_kept_rows(),
          {}};
}

}  // namespace assay::proof
