// SPDX-License-Identifier: Apache-2.0
#include "engine/effort.hpp"

#include "base/error.hpp"
#include "model/measure_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace assay::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A case of a backend whose rounds may take 2 s; a second is what is around them.
plan::PlannedCase planned_case(const std::string& id, const std::string& backend) {
  plan::PlannedCase planned;
  planned.id = id;
  planned.backend = backend;
  planned.parameters = Json::object();
  planned.rounds = 3;
  planned.measure.max_time_s = 2;
  return planned;
}

suite::Suite one_case_suite() {
  suite::Suite suite;
  suite.cases.emplace_back();
  return suite;
}

plan::Plan two_cases() {
  plan::Plan plan;
  plan.cases = {planned_case("slow", "host"), planned_case("fast", "cuda")};
  return plan;
}

// A run in which both cases had these rounds, each 0.5 s long, and 1 s was spent in between.
model::Document earlier_run(const plan::Plan& plan, const std::vector<double>& slow,
                            const std::vector<double>& fast) {
  model::Document document;
  document.run.duration_s = 0.5 * static_cast<double>(slow.size() + fast.size()) + 1;
  document.run.resolved_suite["cases"] = Json::array();
  for (const plan::PlannedCase& planned : plan.cases) {
    model::Case& one = document.cases.emplace_back();
    one.id = planned.id;
    one.outcome = Outcome::passed;
    one.conditions = model::conditions_to_json(planned.measure);
    model::Metric& metric = one.metrics.emplace_back();
    metric.headline = true;
    metric.value = 1;
    metric.statistic = "mean";
    metric.rounds = planned.id == "slow" ? slow : fast;
    for (std::size_t i = 0; i < metric.rounds.size(); ++i)
      one.visits.push_back({static_cast<int>(i + 1), 1, Outcome::passed, 0.5, 1.0});
    Json resolved = Json::object();
    resolved["id"] = planned.id;
    resolved["measure"] = model::to_plan_json(planned.measure);
    document.run.resolved_suite["cases"].push_back(std::move(resolved));
  }
  return document;
}

std::vector<int> rounds_in(const Effort& effort) {
  std::vector<int> rounds;
  for (const CaseEffort& one : effort.cases) rounds.push_back(one.rounds.value_or(-1));
  return rounds;
}

TEST(Effort, WhatNoResultTellsIsAssumedByTheBackend) {
  const Effort effort = effort_of(one_case_suite(), two_cases(), {});
  ASSERT_EQ(effort.cases.size(), 2u);
  EXPECT_DOUBLE_EQ(effort.cases[0].varies.of_a_round, 0.03);
  EXPECT_DOUBLE_EQ(effort.cases[1].varies.of_a_round, 0.003);
  EXPECT_DOUBLE_EQ(effort.cases[0].round_s, 3);
  EXPECT_DOUBLE_EQ(effort.total_s(), 18);
  EXPECT_TRUE(effort.assumes());
}

TEST(Effort, EarlierResultsTellHowRoundsAndRunsVaryAndHowLongARoundTakes) {
  const plan::Plan plan = two_cases();
  const double step = std::exp(0.01);
  const std::vector<model::Document> runs = {earlier_run(plan, {1 / step, 1, step}, {1, 1, 1}),
                                             earlier_run(plan, {4 / step, 4, 4 * step}, {1, 1, 1})};
  const Effort effort = effort_of(one_case_suite(), plan, runs);
  const CaseEffort& slow = effort.cases[0];
  EXPECT_NEAR(slow.varies.of_a_round, 0.01, 1e-9);
  EXPECT_NEAR(*slow.varies.of_runs, std::sqrt(std::pow(std::log(4), 2) / 2 - 1e-4 / 3), 1e-9);
  EXPECT_TRUE(slow.rounds_known && slow.runs_known && slow.time_known);
  EXPECT_NEAR(slow.round_s, 0.5 + 1.0 / 6, 1e-9);
  EXPECT_FALSE(effort.assumes());
}

TEST(Effort, AResultOfOtherWorkSaysNothing) {
  plan::Plan plan = two_cases();
  const std::vector<model::Document> runs = {earlier_run(plan, {1, 2, 3}, {1, 2, 3})};
  plan.cases[0].parameters["bytes"] = 5;
  plan.cases[1].measure.max_time_s = 5;
  const Effort effort = effort_of(one_case_suite(), plan, runs);
  EXPECT_FALSE(effort.cases[0].rounds_known || effort.cases[0].time_known);
  EXPECT_TRUE(effort.cases[1].rounds_known);
  EXPECT_FALSE(effort.cases[1].time_known) << "a longer round was measured";
}

TEST(Effort, TheRoundsThatAreSetShowTheEffect) {
  Effort effort = effort_of(one_case_suite(), two_cases(), {});
  set_rounds_to_see(0.01, effort);
  EXPECT_THAT(rounds_in(effort), ElementsAre(74, 3));
  EXPECT_LE(shows(effort.cases[0], 74), 0.01);
  EXPECT_GT(shows(effort.cases[0], 73), 0.01);
  EXPECT_FALSE(effort.cases[0].runs_a_side && *effort.cases[0].runs_a_side < 100) << "runs differ by 3 %";
  EXPECT_LT(*effort.cases[1].runs_a_side, 10u);
}

TEST(Effort, AFindingIsPlannedBeyondWhatItToleratesAndTakesItsCasesAlong) {
  Effort effort = effort_of(one_case_suite(), two_cases(), {});
  FindingEffort finding;
  finding.id = "claim";
  finding.cases = {"fast"};
  finding.scatter = 0.01;
  finding.tolerated = 0.02;
  effort.findings = {finding};
  Effort small = effort;
  set_rounds_to_see(0.01, small);
  EXPECT_FALSE(small.findings[0].rounds);
  EXPECT_THAT(small.findings[0].why_not, HasSubstr("effects up to 2 % count as none"));
  EXPECT_EQ(small.cases[1].rounds, 3);
  set_rounds_to_see(0.03, effort);
  EXPECT_EQ(effort.findings[0].rounds, effort.cases[1].rounds);
  EXPECT_GT(*effort.findings[0].rounds, 3);
  EXPECT_NEAR(shows(effort.findings[0], *effort.findings[0].rounds), 0.03, 0.001);
}

TEST(Effort, WhatClocksCannotTellIsRefused) {
  Effort effort = effort_of(one_case_suite(), two_cases(), {});
  EXPECT_THROW(set_rounds_to_see(0.0005, effort), Error);
}

TEST(Budget, GivesRoundsToWhatShowsLeastAndKeepsWithinTheTime) {
  const plan::Plan plan = two_cases();
  Effort effort = effort_of(one_case_suite(), plan, {});
  set_rounds_within(60, one_case_suite(), plan, effort);
  EXPECT_THAT(rounds_in(effort), ElementsAre(17, 3));
  EXPECT_LE(effort.total_s(), 60);
}

TEST(Budget, CasesThatAreHeldAgainstEachOtherHaveTheSameRounds) {
  plan::Plan plan = two_cases();
  plan.cases[0].reference = "fast";
  Effort effort = effort_of(one_case_suite(), plan, {});
  set_rounds_within(60, one_case_suite(), plan, effort);
  EXPECT_THAT(rounds_in(effort), ElementsAre(10, 10));
}

TEST(Budget, BestTakesTwiceTheFewestRounds) {
  const plan::Plan plan = two_cases();
  Effort effort = effort_of(one_case_suite(), plan, {});
  FindingEffort finding;
  finding.cases = {"fast"};
  finding.rounds_a_pair = 2;
  effort.findings = {finding};
  set_rounds_within(30, one_case_suite(), plan, effort);
  EXPECT_THAT(rounds_in(effort), ElementsAre(4, 6));
}

TEST(Budget, WhatDoesNotFitIsRefusedWithWhatItTakes) {
  const plan::Plan plan = two_cases();
  Effort effort = effort_of(one_case_suite(), plan, {});
  try {
    set_rounds_within(6, one_case_suite(), plan, effort);
    FAIL() << "18 s fitted into 6 s";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("2 cases do not fit into 0.1 min: an interval needs 3 rounds, which take 0.3 min"));
  }
}

}  // namespace
}  // namespace assay::engine
