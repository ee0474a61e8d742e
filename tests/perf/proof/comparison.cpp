// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"
#include "statistics/change.hpp"
#include "statistics/testing/random.hpp"

#include <fmt/core.h>

#include <string>
#include <vector>

namespace assay::proof {

using statistics::ChangeVerdict;
using statistics::Random;

namespace {

constexpr std::size_t kTrials = 20'000;
constexpr std::size_t kSuites = 1000;
constexpr std::size_t kCases = 50;
constexpr std::size_t kRounds = 10;
constexpr double kTheta = 0.02;

// How processes that measure the same differ.
struct Noise {
  const char* name;
  double spread;        // standard deviation
  double second_level;  // half of the processes are slower by this
  double spikes;        // 10 % are slower by this on average
};

constexpr Noise kNoises[] = {{"0.3 %", 0.003, 0, 0},
                             {"1 %", 0.01, 0, 0},
                             {"2 %", 0.02, 0, 0},
                             {"two levels 4 % apart", 0.003, 0.04, 0},
                             {"0.3 %, every tenth 3 % slower", 0.003, 0, 0.03}};

double process(const Noise& noise, Random& random) {
  double logarithm = noise.spread * random.normal();
  if (noise.second_level > 0 && random.chance(0.5)) logarithm += noise.second_level;
  if (noise.spikes > 0 && random.chance(0.1))
    logarithm -= noise.spikes * statistics::portable_log(random.uniform());
  return statistics::portable_exp(logarithm);
}

ChangeVerdict verdict(const Noise& noise, double effect, Random& random) {
  std::vector<double> left(kRounds);
  std::vector<double> right(kRounds);
  for (std::size_t i = 0; i < kRounds; ++i) {
    left[i] = (1 + effect) * process(noise, random);
    right[i] = process(noise, random);
  }
  return statistics::verdict_of(*statistics::paired_ratio(left, right).interval, kTheta, false);
}

bool alarm(ChangeVerdict verdict) {
  return verdict == ChangeVerdict::better || verdict == ChangeVerdict::worse;
}

template <class Trial>
double share(std::size_t count, const Trial& trial) {
  double total = 0;
  for (const char hit : trials<char>(count, [&](std::size_t i) { return static_cast<char>(trial(i)); }))
    total += hit;
  return total / static_cast<double>(count);
}

}  // namespace

Section between_processes() {
  constexpr std::size_t kProcesses[] = {3, 5, 10};
  Section section;
  std::vector<std::vector<std::string>> rows;
  for (const Noise& noise : {kNoises[0], kNoises[2]}) {
    for (const std::size_t k : kProcesses) {
      const double covered = share(kTrials, [&](std::size_t i) {
        Random random(kSeed, i);
        std::vector<double> estimates(k);
        for (double& estimate : estimates) estimate = process(noise, random);
        return statistics::between_process_interval(estimates)->contains(1);
      });
      rows.push_back({noise.name, std::to_string(k), percent(covered)});
      if (k == 3 && noise.spread > 0.01) {
        section.targets.push_back(
            {"coverage between 3 processes", "at least 93 %", percent(covered), covered >= 0.93});
      }
    }
  }
  section.text = fmt::format(R"(## Between processes

How often the interval from k processes holds the truth, in {} trials each.

)",
                             kTrials) +
                 table({"processes differ by", "k", "coverage"}, rows);
  return section;
}

Section comparisons() {
  Section section;
  std::vector<std::vector<std::string>> rows;
  double worst = 0;
  for (const Noise& noise : kNoises) {
    const double suites = share(kSuites, [&](std::size_t suite) {
      Random random(kSeed, suite);
      bool any = false;
      for (std::size_t i = 0; i < kCases; ++i) any = alarm(verdict(noise, 0, random)) || any;
      return any;
    });
    const auto found = [&](double effect, ChangeVerdict wanted) {
      return share(kTrials, [&](std::size_t i) {
        Random random(kSeed + 2, i);
        return verdict(noise, effect, random) == wanted;
      });
    };
    const double same = found(0, ChangeVerdict::same);
    const double four = found(0.04, ChangeVerdict::worse);
    const double six = found(0.06, ChangeVerdict::worse);
    rows.push_back({noise.name, percent(suites), percent(same), percent(four), percent(six)});
    worst = std::max(worst, suites);
    if (noise.spread == 0.01) {
      section.targets.push_back({"+ 4 % is found at 1 % between processes, 10 rounds", "at least 95 %",
                                 percent(four), four >= 0.95});
    }
  }
  section.targets.push_back({"false alarms in a suite of 50 cases, A against A (worst noise)", "at most 1 %",
                             percent(worst), worst <= 0.01});
  section.text = fmt::format(R"(## Comparisons

A against A, and against A made slower, {} rounds, theta 2 %. A false alarm is a suite of {} A-against-A cases with any `better` or `worse`, in
{} suites; the other columns are shares of {} cases.

)",
                             kRounds, kCases, kSuites, kTrials) +
                 table({"processes differ by", "suites with a false alarm", "A against A found `same`",
                        "+ 4 % found `worse`", "+ 6 % found `worse`"},
                       rows);
  return section;
}

}  // namespace assay::proof
