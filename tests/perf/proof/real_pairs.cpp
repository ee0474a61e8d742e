// SPDX-License-Identifier: Apache-2.0
//
// `assay compare` on recorded series, a part of each against another part of itself.
#include "comparison/compare.hpp"
#include "proof.hpp"
#include "records.hpp"
#include "statistics/summary.hpp"
#include "statistics/testing/random.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::proof {
namespace {

using statistics::Random;

constexpr std::size_t kComparisons = 400;
constexpr double kShareSeen = 0.5;  // of a record, by both sides together

enum class Way { one_after_the_other, in_turn };

// The headline of each of this many pieces of a record, one after the other, from a random place on.
std::vector<double> pieces(const std::vector<double>& series, statistics::Statistic statistic,
                           std::size_t count, Random& random) {
  const auto seen = static_cast<std::size_t>(kShareSeen * static_cast<double>(series.size()));
  const auto begin = static_cast<std::size_t>(random.uniform() * static_cast<double>(series.size() - seen));
  const std::size_t length = seen / count;
  std::vector<double> values;
  for (std::size_t piece = 0; piece < count; ++piece)
    values.push_back(
        statistics::estimate(std::span<const double>(series).subspan(begin + piece * length, length),
                             statistic, kTick_s)
            .value);
  return values;
}

model::Case case_of(const Record& record, const char* variant, std::vector<double> rounds) {
  model::Case one;
  one.comparison_key = record.name;
  one.id = std::string(record.name) + "[variant=" + variant + "]";
  one.axes = {{"variant", variant, Json::object()}};
  one.benchmark = "work";
  one.backend = "cuda";
  one.outcome = Outcome::passed;
  model::Metric metric;
  metric.name = "time";
  metric.unit = "s";
  metric.direction = "lower";
  metric.headline = true;
  metric.value = statistics::geometric_mean(rounds);
  metric.rounds = std::move(rounds);
  one.metrics.push_back(std::move(metric));
  return one;
}

struct Found {
  std::size_t slower = 0, faster = 0, same = 0, open = 0;
};

Found compared(const std::vector<std::vector<double>>& series, Way way, std::size_t rounds,
               std::uint64_t trial) {
  Random random(kSeed, trial);
  comparison::LoadedResult before, after;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Record& record = records()[i];
    const std::vector<double> values = pieces(series[i], record.headline, 2 * rounds, random);
    std::vector<double> old_side, new_side;
    for (std::size_t piece = 0; piece < values.size(); ++piece) {
      const bool is_old = way == Way::in_turn ? piece % 2 == 0 : piece < rounds;
      (is_old ? old_side : new_side).push_back(values[piece]);
    }
    before.cases.push_back(case_of(record, "before", old_side));
    after.cases.push_back(case_of(record, "after", new_side));
  }
  model::Comparison result;
  if (way == Way::in_turn) {
    for (model::Case& each : after.cases) before.cases.push_back(std::move(each));
    result = comparison::compare_variants(before, "before", "after", {});
  } else {
    for (comparison::LoadedResult* side : {&before, &after})
      for (model::Case& each : side->cases) {
        each.id = each.comparison_key;
        each.axes.clear();
      }
    result = comparison::compare({before}, {after}, {});
  }
  Found found;
  for (const model::ComparedRow& row : result.rows) {
    found.slower += row.verdict == model::ComparedVerdict::slower ? 1 : 0;
    found.faster += row.verdict == model::ComparedVerdict::faster ? 1 : 0;
    found.same += row.verdict == model::ComparedVerdict::same ? 1 : 0;
    found.open += row.verdict == model::ComparedVerdict::undecided ? 1 : 0;
  }
  return found;
}

}  // namespace

Section real_pairs() {
  std::vector<std::vector<double>> series;
  for (const Record& record : records()) series.push_back(settled(record));
  Section section;
  std::vector<std::vector<std::string>> rows;
  for (const Way way : {Way::one_after_the_other, Way::in_turn})
    for (const std::size_t rounds : {3, 5, 10}) {
      const char* const name = way == Way::in_turn ? "in turn" : "one after the other";
      double any_slower = 0, changed = 0, same = 0, open = 0;
      for (const Found& each :
           trials<Found>(kComparisons, [&](std::size_t i) { return compared(series, way, rounds, i); })) {
        any_slower += each.slower > 0;
        changed += each.slower + each.faster > 0;
        same += static_cast<double>(each.same);
        open += static_cast<double>(each.open);
      }
      const auto count = static_cast<double>(kComparisons);
      const auto all_rows = count * static_cast<double>(series.size());
      rows.push_back({name, std::to_string(rounds), percent(any_slower / count), percent(changed / count),
                      percent(same / all_rows), percent(open / all_rows)});
      section.targets.push_back(
          {fmt::format("recorded series against themselves, {}, {} rounds, false alarms", name, rounds),
           "at most 1 %", percent(any_slower / count), any_slower <= 0.01 * count});
    }
  section.text = fmt::format(R"(## Recorded series against themselves

Nothing changed within a record, so what a comparison finds between two parts of it is false. Half of each settled record, from a random place on, is cut into
pieces; each is a round, with the record's headline as its value. *One after the other*: the first half of the pieces is the old side, the second half the new one, as two runs are;
*in turn*: every second piece, as variants of one run are. {} comparisons of {} rows a line. They overlap, and all rounds of a record come from one process: what
processes and days differ by is not in them.

)",
                             kComparisons, series.size()) +
                 table({"sides", "rounds", "comparisons with a false `slower`", "with `slower` or `faster`",
                        "rows found `same`", "undecided"},
                       rows);
  return section;
}

}  // namespace assay::proof
