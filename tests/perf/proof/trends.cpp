// SPDX-License-Identifier: Apache-2.0
//
// Whether rows of a run became slower from round to round: how often that is said of runs in which they did not, and did.
#include "proof.hpp"
#include "statistics/testing/random.hpp"
#include "statistics/trend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace assay::proof {
namespace {

using statistics::Random;

constexpr std::size_t kRuns = 10'000;
constexpr double kByChance = 0.01, kScatter = 0.01;

struct Drift {
  const char* name;
  double step;      // from one round to the next
  double together;  // by which a round moves all rows, by chance
};

constexpr Drift kDrifts[] = {{"none", 0, 0},
                             {"0.5 % slower each round", 0.005, 0},
                             {"1 % slower each round", 0.01, 0},
                             {"rounds move all rows by 0.3 %, in any order", 0, 0.003},
                             {"rounds move all rows by 1 %, in any order", 0, 0.01}};

double told(const Drift& drift, std::size_t row_count, std::size_t rounds) {
  double found = 0;
  for (const char hit : trials<char>(kRuns, [&](std::size_t run) {
         Random random(kSeed + 100 * row_count + rounds, run);
         std::vector<double> common(rounds);
         for (std::size_t round = 0; round < rounds; ++round)
           common[round] = drift.step * static_cast<double>(round) + drift.together * random.normal();
         std::vector<std::vector<double>> rows(row_count);
         for (std::vector<double>& row : rows)
           for (const double shift : common) row.push_back(shift + kScatter * random.normal());
         return static_cast<char>(statistics::trend(rows).p < kByChance);
       }))
    found += hit;
  return found / static_cast<double>(kRuns);
}

}  // namespace

Section trends() {
  constexpr std::size_t kRows[] = {4, 12, 50}, kRounds[] = {3, 5};
  Section section;
  std::vector<std::string> head = {"from round to round"};
  for (const std::size_t rows : kRows)
    for (const std::size_t rounds : kRounds) head.push_back(fmt::format("{} rows, {} rounds", rows, rounds));
  std::vector<std::vector<std::string>> lines;
  for (const Drift& drift : kDrifts) {
    std::vector<std::string> line = {drift.name};
    double most = 0;
    for (const std::size_t rows : kRows)
      for (const std::size_t rounds : kRounds) {
        const double share = told(drift, rows, rounds);
        most = std::max(most, share);
        line.push_back(percent(share));
      }
    lines.push_back(std::move(line));
    if (drift.step == 0)
      section.targets.push_back({fmt::format("a trend over rounds is told of runs without one, {}",
                                             drift.together > 0 ? drift.name : "rows by themselves"),
                                 "at most 1 %", percent(most), most <= 0.01});
  }
  section.text = fmt::format(R"(## A trend over rounds

How often a run's rows are said to have become slower, or faster, from round to round, in {} runs each whose rows scatter by {} from round to round. The test takes rows for
independent: where a round moves all of them by chance, what it tells is what happened in this run, and no more ([why](../decisions/0048-one-test-for-a-runs-trend.md)). That the
middle row has to have changed by half a percent is not in these figures.

)",
                             kRuns, percent(kScatter, 0)) +
                 table(head, lines);
  return section;
}

}  // namespace assay::proof
