// SPDX-License-Identifier: Apache-2.0
#include "plan/order.hpp"

#include "model/measure_keys.hpp"
#include "plan/plan_hash.hpp"
#include "plan/plan_test_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace assay::plan {
namespace {

std::vector<PlannedCase> cases_with_keys(const std::vector<std::string>& keys, int rounds) {
  std::vector<PlannedCase> cases(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    cases[i].worker_key = keys[i];
    cases[i].rounds = rounds;
  }
  return cases;
}

TEST(Order, KeepsAKeyTogetherAndRunsEverythingOnceARound) {
  const auto cases = cases_with_keys({"a", "b", "a", "c", "b", "a"}, 3);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto order = visit_order(cases, 3, seed);
    ASSERT_EQ(order.size(), 18U);
    for (int round = 1; round <= 3; ++round) {
      std::set<std::size_t> seen;
      std::set<std::string> closed;
      std::string current;
      for (std::size_t i = 0; i < 6; ++i) {
        const PlannedVisit& visit = order[static_cast<std::size_t>(round - 1) * 6 + i];
        ASSERT_EQ(visit.round, round);
        ASSERT_TRUE(seen.insert(visit.case_index).second);
        const std::string& key = cases[visit.case_index].worker_key;
        if (key == current) continue;
        ASSERT_TRUE(closed.insert(key).second);
        current = key;
      }
    }
  }
}

TEST(Order, HasEveryCaseInTheFirstHalfAsOftenAsInTheLast) {
  for (const bool one_key : {false, true}) {
    std::vector<std::string> keys;
    for (int i = 0; i < 8; ++i) keys.push_back(one_key ? "a" : std::to_string(i));
    const auto cases = cases_with_keys(keys, 4);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto order = visit_order(cases, 4, seed);
      std::vector<int> first(8);
      for (std::size_t i = 0; i < order.size(); ++i) first[order[i].case_index] += i % 8 < 4;
      for (const int rounds : first) ASSERT_EQ(rounds, 2) << seed;
    }
  }
}

// A round that was the one before it backwards would have the same two beside each other in both.
TEST(Order, PutsOthersBesideEachOtherInEveryRound) {
  const auto cases = cases_with_keys({"a", "b", "c", "d", "e", "f", "g", "h"}, 2);
  int alike = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto order = visit_order(cases, 2, seed);
    bool backwards = true;
    for (std::size_t i = 0; i < 8; ++i)
      backwards = backwards && order[i].case_index == order[15 - i].case_index;
    alike += backwards;
  }
  EXPECT_LE(alike, 2);
}

TEST(Order, DependsOnTheSeedAndNothingElse) {
  const auto cases = cases_with_keys({"a", "a", "a", "a"}, 1);
  const auto sequence = [&](std::uint64_t seed) {
    std::vector<std::size_t> list;
    for (const PlannedVisit& visit : visit_order(cases, 1, seed)) list.push_back(visit.case_index);
    return list;
  };

  EXPECT_EQ(sequence(1), (std::vector<std::size_t>{3, 2, 0, 1}));  // the same on every platform
  EXPECT_EQ(sequence(1), sequence(1));
  std::set<std::vector<std::size_t>> different;
  for (std::uint64_t seed = 0; seed < 200; ++seed) different.insert(sequence(seed));
  EXPECT_EQ(different.size(), 24U);  // all orders come up
}

TEST(Order, GivesEveryCaseItsOwnRounds) {
  auto cases = cases_with_keys({"a", "a"}, 3);
  cases[1].rounds = 1;
  cases.push_back(cases[0]);
  cases[2].predetermined = result::Outcome::skipped;

  EXPECT_EQ(visit_order(cases, 3, 1).size(), 4U);
}

TEST(Plan, HasAHashThatFollowsWhatCanChangeAResult) {
  const auto hash = [](const std::string& body, std::uint64_t seed) {
    const system::Inventory inventory = example_inventory(2);
    PlanOptions options;
    options.seed = seed;
    return plan_suite(body, &inventory, options).plan.hash;
  };
  const std::string body = "cases:\n  - {id: a, uses: gemm@cuda, with: {m: 5}}\n";

  EXPECT_EQ(hash(body, 1), hash(body, 1));
  EXPECT_NE(hash(body, 1), hash(body, 2));
  EXPECT_NE(hash(body, 1), hash("cases:\n  - {id: a, uses: gemm@cuda, with: {m: 6}}\n", 1));
  EXPECT_EQ(hash(body, 1).size(), 64U);
}

TEST(Plan, HasAHashThatFollowsEveryOptionOfMeasure) {
  Plan plan = plan_suite("cases:\n  - {id: a, uses: gemm@cuda, with: {m: 5}}\n").plan;
  for (const model::MeasureKey& key : model::kMeasureKeys) {
    model::MeasureOptions& options = plan.cases.at(0).measure;
    options = {};
    const std::string before = plan_hash(plan);
    model::set_value(options, key,
                     !key.words.empty() ? Json(key.words.back())
                     : key.unit.empty() ? Json(3)
                                        : Json(0.25));
    EXPECT_NE(plan_hash(plan), before) << key.name;
  }
}

TEST(Plan, SharesWorkersAmongCasesOfOnePluginEnvironmentBindingAndRanks) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, devices: [cuda:0, cuda:1]}\n"
      "  - {id: b, uses: hostcopy}\n"
      "  - {id: c, uses: hostcopy, env: {X: 1}}\n"
      "  - {id: d, uses: hostcopy, bind: local}\n"
      "  - {id: e, uses: gemm@host}\n"
      "  - {id: f, uses: collective, with: {op: broadcast}}\n");
  const auto key = [&](std::size_t i) { return planned.plan.cases.at(i).worker_key; };

  EXPECT_EQ(key(0), key(1));
  EXPECT_EQ(key(0), key(2));
  EXPECT_EQ(std::set<std::string>({key(2), key(3), key(4), key(5), key(6)}).size(), 5U);
}

TEST(Plan, GivesCasesThatAskForItWorkersOfTheirOwn) {
  const Planned planned = plan_suite(
      "cases:\n  - {id: a, uses: launch, matrix: {mode: [eager, graph]}}\n  - {id: b, uses: hostcopy}\n");
  const auto key = [&](std::size_t i) { return planned.plan.cases.at(i).worker_key; };

  EXPECT_EQ(std::set<std::string>({key(0), key(1), key(2)}).size(), 3U);
}

TEST(Plan, IsShownAsCompactJson) {
  const Planned planned =
      plan_suite("cases:\n  - {id: a, uses: hostcopy, with: {bytes: 1KiB}, env: {X: ~}, bind: local}\n");

  EXPECT_EQ(
      to_json(planned.plan)["cases"].dump(),
      R"([{"id":"a","benchmark":"hostcopy","plugin":"org.assay.cuda-work",)"
      R"("parameters":{"direction":"h2d","bytes":1024,"pause":0},"environment":{"X":null},)"
      R"("placement":{"bind":"local","load":"alone","ranks":[{"devices":["cuda:0"],"cpus":"0-1","memory_nodes":"0"}]},)"
      R"("conditions":{"cache":"default","launch":"default","data":"default","thermal":"default","seed":1},)"
      R"("measure":{"precision":0.005,"max_time_s":3.3333333333333335},"timeout_s":600.0,"rounds":3}])");
}

TEST(Plan, OfTheNcclExampleIsWhole) {
  const Planned planned = plan_suite(
      "requires: {backend: cuda, devices: \">=2\"}\n"
      "defaults:\n"
      "  processes: 6\n"
      "  measure: {precision: 1%, max_time: 2s}\n"
      "cases:\n"
      "  - id: allreduce\n"
      "    uses: collective\n"
      "    with: {op: all_reduce, dtype: bf16}\n"
      "    matrix:\n"
      "      bytes: [1MiB, 32MiB, 1GiB]\n"
      "      env.NCCL_ALGO: [~, Ring, Tree]\n"
      "    reference: {env.NCCL_ALGO: ~}\n"
      "    devices: all\n"
      "findings:\n"
      "  - id: tree\n"
      "    question: Is Tree better?\n"
      "    let:\n"
      "      tree: \"best(allreduce[env.NCCL_ALGO=Tree].busbw)\"\n"
      "      auto: \"allreduce[env.NCCL_ALGO=~].busbw\"\n"
      "    claim: tree > auto\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_EQ(planned.plan.cases.size(), 9U);
  EXPECT_EQ(planned.plan.order.size(), 54U);
  EXPECT_EQ(planned.plan.rounds, 6);
}

}  // namespace
}  // namespace assay::plan
