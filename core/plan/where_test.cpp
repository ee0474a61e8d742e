// SPDX-License-Identifier: Apache-2.0
//
// Expectations that no row would face, and findings that could never be decided.
#include "plan/plan_test_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::plan {
namespace {

using ::testing::HasSubstr;

TEST(Where, ThatExcludeTookOutIsAnError) {
  const std::string body =
      "cases:\n"
      "  - id: a\n"
      "    uses: gemm@host\n"
      "    matrix: {dtype: [fp32, fp64], exclude: [{dtype: fp64}]}\n"
      "    expect: [{that: throughput >= 1 FLOP/s, where: {dtype: fp64}}]\n";
  EXPECT_THAT(plan_suite(body, nullptr).problems, HasSubstr("t.yaml:7:53: error: no row of 'a' is left"));
  const system::Inventory inventory = example_inventory(4);
  EXPECT_THAT(plan_suite(body, &inventory).problems, HasSubstr("no row of 'a' is left"));
}

TEST(Where, OfADeviceThatIsNotHereIsPlannedAsUnmatched) {
  const std::string body =
      "cases:\n"
      "  - id: a\n"
      "    uses: gemm@cuda\n"
      "    devices: each\n"
      "    expect: [{that: throughput >= 1 FLOP/s, where: {device: cuda:3}}]\n";
  const system::Inventory four = example_inventory(4), three = example_inventory(3);
  EXPECT_TRUE(plan_suite(body, &four).plan.unmatched.empty());
  const Planned planned = plan_suite(body, &three);
  EXPECT_EQ(planned.problems, "");
  ASSERT_EQ(planned.plan.unmatched.size(), 1U);
  EXPECT_EQ(planned.plan.unmatched[0].expectation, 0U);
  EXPECT_EQ(plan_suite(body, nullptr).problems, "") << "nobody knows yet";
}

TEST(Where, ADeviceThatIsNotHereIsMissedBesideSkippedRows) {
  const std::string body =
      "cases:\n"
      "  - id: a\n"
      "    uses: gemm@cuda\n"
      "    devices: each\n"
      "    matrix: {cache: [hot, rotating]}\n"
      "    expect: [{that: throughput >= 1 FLOP/s, where: {device: cuda:3}}]\n";
  const system::Inventory three = example_inventory(3);
  const Planned planned = plan_suite(body, &three);
  EXPECT_EQ(planned.problems, "");
  EXPECT_TRUE(planned.plan.cases.back().predetermined);
  EXPECT_FALSE(planned.plan.cases.front().predetermined);
  EXPECT_EQ(planned.plan.unmatched.size(), 1U);
}

TEST(Where, OfARowThatAFilterLeftOutIsNoGap) {
  const system::Inventory four = example_inventory(4);
  PlanOptions options;
  options.filters = {"cuda:0"};
  const Planned planned = plan_suite(
      "cases:\n  - {id: a, uses: gemm@cuda, devices: each, expect: [{that: throughput >= 1 FLOP/s, where: "
      "{device: cuda:3}}]}\n",
      &four, options);
  EXPECT_TRUE(planned.plan.unmatched.empty());
  options.filters = {"nothing"};
  const Planned none = plan_suite(
      "cases:\n  - {id: a, uses: gemm@cuda, devices: each, expect: [{that: throughput >= 1 FLOP/s, where: "
      "{device: cuda:9}}]}\n",
      &four, options);
  EXPECT_TRUE(none.plan.unmatched.empty()) << "of a case that is left out as a whole";
}

std::string finding(int rounds, const std::string& left) {
  return "cases:\n  - {id: a, uses: gemm@host, processes: " + std::to_string(rounds) +
         ", matrix: {dtype: [fp32, fp64]}}\n"
         "findings:\n  - {id: f, question: \"Is it?\", let: {l: \"" +
         left + "\", r: \"a[dtype=fp64].throughput\"}, claim: l > r}\n";
}

TEST(Findings, ThatCannotBeDecidedAreToldBeforeTheRun) {
  EXPECT_THAT(
      plan_suite(finding(3, "best(a[dtype=*].throughput)")).problems,
      HasSubstr("error: best() picks on the odd rounds and is judged on the even ones, and 'a' has 3"));
  EXPECT_THAT(plan_suite(finding(2, "a[dtype=fp32].throughput")).problems,
              HasSubstr("warning: the claim of 'f' will be undecided: 'a' has 2 rounds"));
  EXPECT_EQ(plan_suite(finding(6, "best(a[dtype=*].throughput)")).problems, "");
  PlanOptions chosen_later;
  chosen_later.rounds_follow = true;
  EXPECT_EQ(plan_suite(finding(1, "a[dtype=fp32].throughput"), nullptr, chosen_later).problems, "");
  // Another function is refused for what it is, and not as best().
  EXPECT_THAT(plan_suite(finding(1, "mean(a[dtype=*].throughput)")).problems,
              testing::Not(HasSubstr("best() picks on the odd rounds")));
  EXPECT_EQ(plan_suite(finding(3, "a[dtype=fp32].throughput")).problems, "");
}

TEST(Expressions, OfABaselineNeedNoneToBePlanned) {
  const auto problems = [](const std::string& that) {
    return plan_suite("cases:\n  - {id: a, uses: gemm@cuda, expect: ['" + that + "']}\n").problems;
  };
  EXPECT_EQ(problems("throughput >= 90% of baseline"), "");
  EXPECT_EQ(problems("throughput within band"), "");
  for (const char* other : {"2 * throughput within band", "workspace within band", "1 GFLOP/s within band"})
    EXPECT_THAT(problems(other), HasSubstr("a band is of one metric")) << other;
}

}  // namespace
}  // namespace assay::plan
