// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "comparison/compare.hpp"
#include "comparison/confirm.hpp"
#include "comparison/variants.hpp"
#include "statistics/testing/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace assay::comparison {
namespace {

using ::testing::HasSubstr;

// A case of a rate, in a variant with these settings if it has a name.
model::Case case_of(const std::string& name, std::vector<double> rounds, const std::string& variant = "",
                    const Json& settings = Json::object()) {
  model::Case one;
  one.id = one.comparison_key = variant.empty() ? name : name + "[variant=" + variant + "]";
  one.benchmark = "membw";
  one.backend = "cuda";
  one.outcome = Outcome::passed;
  if (!variant.empty()) one.axes.push_back({"variant", variant, settings});
  model::Metric metric;
  metric.name = "bandwidth";
  metric.unit = UnitText("B/s");
  metric.direction = "higher";
  metric.headline = true;
  metric.statistic = "work over time";
  metric.value = rounds.front();
  metric.rounds = std::move(rounds);
  one.metrics.push_back(std::move(metric));
  return one;
}

LoadedResult pairs_of_rows(const std::vector<double>& before, const std::vector<double>& after) {
  LoadedResult reading;
  reading.source = "run";
  reading.cases = {case_of("w", before, "before", {{"env.X", "1"}}),
                   case_of("w", after, "after", {{"env.X", "2"}})};
  return reading;
}

// Rounds that drift together by far more than the variants differ.
const std::vector<double> kDrifting = {100, 110, 90, 105, 95, 120};

std::vector<double> times(std::vector<double> rounds, double factor) {
  for (std::size_t i = 0; i < rounds.size(); ++i) rounds[i] *= factor * (1 + (i % 2 == 0 ? 1e-3 : -1e-3));
  return rounds;
}

TEST(CompareInTurn, WhatTheRoundsShareCancelsOut) {
  const model::Comparison found =
      compare_variants(pairs_of_rows(kDrifting, times(kDrifting, 0.95)), "before", "after", {});

  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].id, "w");
  EXPECT_EQ(to_text(found.rows[0].verdict), "slower");
  EXPECT_NEAR(*found.rows[0].ratio, 0.95, 1e-3);
  EXPECT_LT(found.rows[0].high - found.rows[0].low, 0.01);
  EXPECT_EQ(found.verdict.exit_code, 1);
  EXPECT_EQ(to_text(found.spreads.at(0).source), "rounds");
  EXPECT_EQ(found.before.at(0).variant, "before");
  // The same rounds in another order are not pairs of anything.
  std::vector<double> turned = times(kDrifting, 0.95);
  std::swap(turned[1], turned[2]);
  const model::Comparison apart = compare_variants(pairs_of_rows(kDrifting, turned), "before", "after", {});
  EXPECT_EQ(to_text(apart.rows[0].verdict), "undecided");
  EXPECT_THAT(apart.rows[0].why, HasSubstr("more rounds should decide it"));
  EXPECT_GT(apart.rows[0].more_rounds.value_or(0), 1U);
}

TEST(CompareInTurn, TheVariantsSettingsAreWhatDiffers) {
  const model::Comparison found =
      compare_variants(pairs_of_rows(kDrifting, times(kDrifting, 1)), "before", "after", {});

  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(found.differences[0].what, "env.X");
  EXPECT_EQ(found.differences[0].before, "1");
  EXPECT_EQ(found.differences[0].after, "2");
  EXPECT_EQ(to_text(found.verdict.attribution), "one_difference");
  EXPECT_EQ(to_text(found.rows[0].verdict), "same");
  EXPECT_EQ(found.verdict.exit_code, 0);
}

TEST(CompareInTurn, OtherParametersAreTheChangeUnderTest) {
  LoadedResult reading = pairs_of_rows(kDrifting, times(kDrifting, 1.1));
  reading.cases[1].parameters["n"] = 2;

  EXPECT_EQ(to_text(compare_variants(reading, "before", "after", {}).rows[0].verdict), "faster");
}

TEST(CompareInTurn, WhatIsNoPairsIsNotComparable) {
  const auto why = [](const std::vector<double>& before, const std::vector<double>& after) {
    const model::Comparison found = compare_variants(pairs_of_rows(before, after), "before", "after", {});
    EXPECT_EQ(to_text(found.rows[0].verdict), "not_comparable");
    EXPECT_EQ(found.verdict.exit_code, 6);
    return found.rows[0].why;
  };
  EXPECT_THAT(why({1, 2, 3}, {1, 2, 3, 4}), HasSubstr("3 rounds, and the other 4"));
  EXPECT_THAT(why({1, 2}, {1, 2}), HasSubstr("three rounds"));
  EXPECT_THAT(why({1, 2, 0}, {1, 2, 3}), HasSubstr("not positive"));
  try {
    static_cast<void>(compare_variants(pairs_of_rows({1}, {1}), "before", "later", {}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "result.no-variants");
  }
}

// ---- The second look

model::Comparison slower_row() {
  model::Comparison found =
      compare_variants(pairs_of_rows(kDrifting, times(kDrifting, 0.9)), "before", "after", {});
  EXPECT_EQ(to_text(found.rows[0].verdict), "slower");
  return found;
}

model::Comparison second_look(double factor) {
  return compare_variants(pairs_of_rows(kDrifting, times(kDrifting, factor)), "before", "after", {});
}

TEST(Confirm, ARowThatIsSlowerAgainStaysSo) {
  model::Comparison found = slower_row();
  confirm(found, second_look(0.92), {model::SecondRun::in_turn, "", "again", 0, 0});

  EXPECT_EQ(to_text(found.rows[0].verdict), "slower");
  EXPECT_NEAR(*found.rows[0].ratio, 0.9, 1e-3);
  ASSERT_TRUE(found.rows[0].second_look);
  EXPECT_NEAR(*found.rows[0].second_look->ratio, 0.92, 1e-3);
  EXPECT_EQ(found.confirmation->confirmed, 1U);
  EXPECT_EQ(found.verdict.exit_code, 1);
  EXPECT_THAT(found.verdict.text, HasSubstr("of 1 row taken once more (both sides in turn), 1 slower again"));
}

TEST(Confirm, ARowThatIsNotSlowerAgainFailsNothing) {
  for (const auto& [factor, verdict] : {std::pair{1.0, "same"}, {0.981, "small"}, {1.1, "undecided"}}) {
    model::Comparison found = slower_row();
    confirm(found, second_look(factor), {model::SecondRun::in_turn, "", "again", 0, 0});
    EXPECT_EQ(to_text(found.rows[0].verdict), verdict);
    EXPECT_THAT(found.rows[0].why, HasSubstr("slower at first, and not when it was taken once more"));
    EXPECT_EQ(found.verdict.exit_code, 0);
    EXPECT_EQ(found.verdict.counts.slower, 0U);
  }
}

// The program was changed between the two results, so that both sides in turn are the new one.
TEST(Confirm, ARowStaysSlowerWhenItsOldSideMeasuresSlowerNow) {
  const auto held = [](double ratio, double low, double high) {
    model::Comparison found = slower_row(), old_again = found;
    old_again.rows[0].ratio = ratio;
    old_again.rows[0].low = low;
    old_again.rows[0].high = high;
    confirm(found, second_look(1), {model::SecondRun::in_turn, "", "again", 0, 0}, &old_again);
    return found;
  };
  const model::Comparison found = held(0.9, 0.88, 0.92);
  EXPECT_EQ(to_text(found.rows[0].verdict), "slower");
  EXPECT_THAT(found.rows[0].why, HasSubstr("the old side itself has become slower: 0.900 [0.880, 0.920]"));
  EXPECT_EQ(found.verdict.exit_code, 1);
  EXPECT_EQ(to_text(held(0.97, 0.95, 0.99).rows[0].verdict), "same");
  EXPECT_EQ(to_text(held(0.9, 0.8, 1.0).rows[0].verdict), "same");
}

TEST(Confirm, WhatCouldNotBeTakenOnceMoreStaysSlower) {
  model::Comparison found = slower_row();
  model::Comparison second = second_look(1);
  second.rows[0].id = "another";
  confirm(found, second, {model::SecondRun::new_side, "nothing could be set back", "again", 0, 0});
  EXPECT_EQ(found.verdict.exit_code, 1);
  EXPECT_EQ(found.confirmation->taken, 0U);
  EXPECT_THAT(found.rows[0].why, HasSubstr("could not be taken once more"));

  model::Comparison other = slower_row();
  leave_unconfirmed(other, "it is another machine");
  EXPECT_EQ(other.verdict.exit_code, 1);
  EXPECT_THAT(other.verdict.text, HasSubstr("could not be taken once more: it is another machine"));
}

// Of a program that did not change: how often is it found slower, and how often again? θ is 0, where it is worst; runs differ by
// what is assumed of them.
TEST(Confirm, NothingIsSeldomSlowerTwice) {
  constexpr int kTrials = 4000;
  constexpr double kOfARun = 0.003, kOfARound = 0.004;
  statistics::Random random(21);
  const auto normal = [&](double deviation) { return deviation * random.normal(); };
  const auto run = [&](std::size_t count) {
    const double shared = normal(kOfARun);
    std::vector<double> rounds;
    for (std::size_t i = 0; i < count; ++i) rounds.push_back(std::exp(shared + normal(kOfARound)));
    LoadedResult reading;
    reading.cases = {case_of("w", rounds)};
    return reading;
  };
  const auto in_turn = [&] {
    std::vector<double> before, after;
    for (int i = 0; i < 6; ++i) {
      const double drift = normal(0.02);
      before.push_back(std::exp(drift + normal(kOfARound)));
      after.push_back(std::exp(drift + normal(kOfARound)));
    }
    return pairs_of_rows(before, after);
  };
  Question question;
  question.theta = 0;
  int once = 0, in_turn_again = 0, new_side_again = 0, kept = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const LoadedResult before = run(3);
    const model::Comparison found = compare({before}, {run(3)}, question);
    const bool is_slower = found.rows[0].verdict == model::ComparedVerdict::slower;
    once += is_slower ? 1 : 0;
    // Every time, as if it had been found slower: what comes of it is independent only in turn.
    const LoadedResult again = in_turn();
    const model::Comparison second = compare_variants(again, "before", "after", question);
    in_turn_again += second.rows[0].verdict == model::ComparedVerdict::slower ? 1 : 0;
    if (is_slower) {
      model::Comparison both = found;
      const model::Comparison old_again =
          compare({before}, {sides_of_variants(again, "before", "after").before}, question);
      confirm(both, second, {model::SecondRun::in_turn, "", "again", 0, 0}, &old_again);
      kept += both.rows[0].verdict == model::ComparedVerdict::slower ? 1 : 0;
    }
    if (is_slower && compare({before}, {run(3)}, question).rows[0].verdict == model::ComparedVerdict::slower)
      ++new_side_again;
  }
  const double share = 1.0 / kTrials;
  EXPECT_NEAR(once * share, 0.05, 0.012);
  EXPECT_NEAR(in_turn_again * share, 0.05, 0.012);
  EXPECT_LT(once * share * in_turn_again * share, 0.004);
  EXPECT_LT(kept * share, 0.008);            // with an old side that came out slower by itself, by chance
  EXPECT_GT(new_side_again * share, 0.004);  // the old side's luck is in both looks
  EXPECT_LT(new_side_again * share, 0.025);
}

}  // namespace
}  // namespace assay::comparison
