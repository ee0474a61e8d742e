// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"
#include "statistics/estimate.hpp"
#include "statistics/interval.hpp"
#include "statistics/stationarity.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"
#include "statistics/testing/simulation.hpp"

#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace assay::proof {

namespace {

using statistics::Random;
using statistics::SimulatedProcess;

constexpr std::size_t kRows = 2000;
constexpr std::size_t kSamples = 500;  // of a visit
constexpr double kNoise = 0.005;

using Visits = std::vector<std::vector<double>>;

struct Kind {
  const char* name;
  double truth;
  bool slow;  // slower than a visit, or between processes
  std::function<std::vector<double>(Random&)> visit;
};

// Autoregressive around 1, whose correlation time is this many samples.
std::vector<double> wandering(Random& random, double correlation, double deviation) {
  const double keep = 1 - 1 / correlation, fresh = std::sqrt(1 - keep * keep);
  std::vector<double> values(kSamples);
  double state = random.normal();
  for (double& value : values) {
    value = 1 + deviation * state + kNoise * random.normal();
    state = keep * state + fresh * random.normal();
  }
  return values;
}

// Level 1, and `slower` for stretches that begin with this chance a sample and last this many samples on average.
std::vector<double> stretches(Random& random, double begin, double length, double slower) {
  std::vector<double> values(kSamples);
  bool slow = random.chance(begin * length / (1 + begin * length));
  for (double& value : values) {
    value = (slow ? 1 + slower : 1) + kNoise * random.normal();
    if (random.chance(slow ? 1 / length : begin)) slow = !slow;
  }
  return values;
}

std::vector<double> around(Random& random, double level) {
  std::vector<double> values(kSamples);
  for (double& value : values) value = level * (1 + kNoise * random.normal());
  return values;
}

std::vector<double> correlated(Random& random, double keep) {
  return wandering(random, 1 / (1 - keep), 0.02);
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"independent, 0.5 %", 1, false, [](Random& random) { return around(random, 1); }},
      {"autoregressive 0.5, 2 %", 1, false, [](Random& random) { return correlated(random, 0.5); }},
      {"autoregressive 0.9, 2 %", 1, false, [](Random& random) { return correlated(random, 0.9); }},
      {"processes differ by 1 %", 1, false,
       [](Random& random) { return around(random, 1 + 0.01 * random.normal()); }},
      {"wanders by 2 %, half of a visit long", 1, true,
       [](Random& random) { return wandering(random, 250, 0.02); }},
      {"wanders by 2 %, four visits long", 1, true,
       [](Random& random) { return wandering(random, 2000, 0.02); }},
      {"3 % slower in a tenth of the time, half of a visit long", 1 + 0.03 / 10, true,
       [](Random& random) { return stretches(random, 1.0 / 2250, 250, 0.03); }},
      {"held up: 50 % slower for 50 samples, once in 1000", 1 + 0.5 * 50 / 1050, true,
       [](Random& random) { return stretches(random, 1.0 / 1000, 50, 0.5); }},
      {"every visit slows down by 3 % (heat), settled later", 1.03, true,
       [](Random& random) {
         std::vector<double> values = around(random, 1);
         for (std::size_t i = 0; i < kSamples; ++i)
           values[i] *= 1 + 0.03 * (1 - statistics::portable_exp(-static_cast<double>(i) / kSamples));
         return values;
       }},
      {"every tenth process 4 % slower", 1.004, true,
       [](Random& random) { return around(random, random.chance(0.1) ? 1.04 : 1); }},
      {"half of the processes 4 % slower", 1.02, true,
       [](Random& random) { return around(random, random.chance(0.5) ? 1.04 : 1); }},
  };
  return all;
}

struct Shown {
  bool covers = false, unsteady = false;
  double error = 0, half_width = 0;
};

Shown row_of(const Kind& kind, std::size_t rounds, std::size_t trial) {
  Random random(kSeed + rounds, trial);
  Visits visits;
  std::vector<double> values;
  for (std::size_t r = 0; r < rounds; ++r) {
    visits.push_back(kind.visit(random));
    values.push_back(statistics::mean(visits.back()));
  }
  const double value = statistics::geometric_mean(values);
  const std::optional<statistics::ConfidenceInterval> over =
      rounds < statistics::kFewestProcessesForInterval ? statistics::block_mean(visits.front()).interval
                                                       : statistics::between_process_interval(values);
  const statistics::ConfidenceInterval published = statistics::widened_to_timing_accuracy(*over, value);
  return {published.contains(kind.truth), statistics::halves(visits).unsteady,
          std::abs(value / kind.truth - 1), published.half_width() / value};
}

// How often rows are wrong that carry a mark, and that do not.
struct Held {
  double marked = 0, wrong_marked = 0, unmarked = 0, wrong_unmarked = 0;
  void add(bool mark, bool wrong) {
    (mark ? marked : unmarked) += 1;
    (mark ? wrong_marked : wrong_unmarked) += wrong;
  }
  [[nodiscard]] double with() const { return marked > 0 ? wrong_marked / marked : 0; }
  [[nodiscard]] double without() const { return unmarked > 0 ? wrong_unmarked / unmarked : 0; }
  // Right, of those without the mark and of all.
  [[nodiscard]] double unmarked_right() const { return unmarked > 0 ? 1 - without() : 1; }
  [[nodiscard]] double all_right() const { return 1 - (wrong_marked + wrong_unmarked) / (marked + unmarked); }
  [[nodiscard]] std::vector<std::string> cells() const {
    return {percent(marked / (marked + unmarked)), marked > 0 ? percent(with()) : "–",
            unmarked > 0 ? percent(without()) : "–"};
  }
};

}  // namespace

Section marks() {
  Section section;
  std::vector<std::vector<std::string>> coverage, unsteady;
  Held all_unsteady, worst;
  std::string worst_name = "none";
  worst.add(false, false);
  constexpr double kAsked[] = {0.005, 0.01, 0.03};
  Held wide[std::size(kAsked)];
  for (const Kind& kind : kinds()) {
    std::vector<std::string> cells{kind.name};
    Held of_kind;
    for (const std::size_t rounds : {1, 3, 5}) {
      double covers = 0, steady = 0, steady_covers = 0;
      for (const Shown& row : trials<Shown>(kRows, [&](std::size_t i) { return row_of(kind, rounds, i); })) {
        covers += row.covers;
        steady += !row.unsteady;
        steady_covers += row.covers && !row.unsteady;
        if (rounds != 3) continue;
        of_kind.add(row.unsteady, !row.covers);
        all_unsteady.add(row.unsteady, !row.covers);
        for (std::size_t i = 0; i < std::size(kAsked); ++i)
          wide[i].add(row.half_width > kAsked[i], row.error > kAsked[i]);
      }
      const double share = covers / static_cast<double>(kRows);
      cells.push_back(percent(share));
      cells.push_back(steady > 0 ? percent(steady_covers / steady) : "–");
      if (rounds == 3)
        section.targets.push_back({fmt::format("coverage of three rounds, {}", kind.name),
                                   kind.slow ? "at least 85 %" : "at least 93 %", percent(share),
                                   share >= (kind.slow ? 0.85 : 0.93)});
    }
    coverage.push_back(std::move(cells));
    if (of_kind.unmarked_right() - of_kind.all_right() < worst.unmarked_right() - worst.all_right()) {
      worst = of_kind;
      worst_name = kind.name;
    }
    std::vector<std::string> row = of_kind.cells();
    row.insert(row.begin(), kind.name);
    unsteady.push_back(std::move(row));
  }
  const auto unmarked_target = [&](const std::string& which, const Held& held) {
    section.targets.push_back({"unmarked rows of three rounds are covered no worse than all, " + which,
                               "at least " + percent(held.all_right()), percent(held.unmarked_right()),
                               held.unmarked_right() >= held.all_right()});
  };
  unmarked_target("all kinds of noise together", all_unsteady);
  unmarked_target("in the worst kind (" + worst_name + ")", worst);
  std::vector<std::vector<std::string>> marks;
  std::string short_of_it;
  const auto add = [&](const std::string& name, const std::string& wrong, const Held& held) {
    std::vector<std::string> row = held.cells();
    row.insert(row.begin(), {name, wrong});
    marks.push_back(std::move(row));
    if (held.with() < 2 * held.without())
      short_of_it += fmt::format("{}rows marked *{}* are wrong {:.1f} times as often as others",
                                 short_of_it.empty() ? "" : ", and ", name, held.with() / held.without());
    section.targets.push_back({"rows that are marked " + name + " are wrong more often than others",
                               "at least 2 times", fmt::format("{:.1f} times", held.with() / held.without()),
                               held.with() >= 2 * held.without()});
  };
  add("unsteady", "the truth is outside of the interval", all_unsteady);
  for (std::size_t i = 0; i < std::size(kAsked); ++i)
    add(fmt::format("wide, {} asked for", percent(kAsked[i])), "the value is off by more than was asked for",
        wide[i]);
  section.text =
      fmt::format(R"(## Rounds, and noise that is slower than a visit

How often the published interval holds the long-run value, in {} rows each; a visit has {} samples. One round: the interval within the
process, which reports do not print. Beside each, the same of rows that are not marked *unsteady*. Where processes have two levels, three of
them often agree by chance: no interval over three or five can know, and nothing within a visit tells.

)",
                  kRows, kSamples) +
      table({"noise", "1 round", "unmarked", "3 rounds", "unmarked", "5 rounds", "unmarked"}, coverage) +
      R"(
## Marks

A mark is worth its place if rows that carry it are wrong at least twice as often as rows that do not. Rows of three rounds of all kinds of noise
above, as many of each. *Throttled*, *disturbed* and *straggler* are planted in tests; *one run* is not an error but a lack.

)" + table({"mark", "wrong means", "rows with it", "wrong with it", "wrong without it"}, marks) +
      (short_of_it.empty() ? ""
                           : fmt::format(R"(
Not every mark is worth its place by that rule: {}.
There *wide* says that the interval is wider than was asked for, which is true, and not that the value is worse than those of other rows: rounds that agree are not
wide, and where heat sets in after each of them, or processes have two levels, their value is off all the same.
)",
                                         short_of_it)) +
      "\nBy the kind of noise, *unsteady*:\n\n" +
      table({"noise", "rows with it", "wrong with it", "wrong without it"}, unsteady);
  return section;
}

}  // namespace assay::proof
