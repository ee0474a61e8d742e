// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_test_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTwo =
    "cases:\n"
    "  - id: a\n"
    "    uses: gemm@host\n"
    "    with: {m: 1024}\n"
    "    env: {X: \"1\"}\n"
    "    matrix: {dtype: [fp32, fp64]}\n"
    "    variants:\n"
    "      before: {}\n"
    "      after: {with: {m: 2048}, env: {X: 2, Y: ~}, bind: local}\n";

TEST(Variants, AreTheLastAxisAndReplaceWhatTheCaseSays) {
  const Planned planned = plan_suite(kTwo);

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(), ElementsAre("a[dtype=fp32,variant=before]", "a[dtype=fp32,variant=after]",
                                         "a[dtype=fp64,variant=before]", "a[dtype=fp64,variant=after]"));
  const PlannedCase &before = planned.plan.cases[0], &after = planned.plan.cases[1];
  EXPECT_EQ(before.parameters["m"], 1024);
  EXPECT_EQ(after.parameters["m"], 2048);
  EXPECT_EQ(before.environment, (decltype(before.environment){{"X", "1"}}));
  EXPECT_EQ(after.environment, (decltype(after.environment){{"X", "2"}, {"Y", std::nullopt}}));
  EXPECT_EQ(before.placement.bind, "none");
  EXPECT_EQ(after.placement.bind, "local");
}

TEST(Variants, HaveAsTheirValueWhatAnyOfThemSetsAsItIsInThem) {
  const Planned planned = plan_suite(kTwo);

  ASSERT_EQ(planned.problems, "");
  EXPECT_EQ(planned.plan.cases[0].axes.back().value, Json({{"bind", "none"}, {"env.X", "1"}, {"m", "1024"}}));
  EXPECT_EQ(planned.plan.cases[1].axes.back().value,
            Json({{"bind", "local"}, {"env.X", "2"}, {"env.Y", nullptr}, {"m", "2048"}}));
}

TEST(Variants, SayATextAsItWasWritten) {
  const Planned planned = plan_suite(
      "cases:\n  - id: a\n    uses: gemm@host\n    env: {X: \"1, 2\"}\n    variants: {before: {}, after: {env: {X: a b}}}\n");

  ASSERT_EQ(planned.problems, "");
  EXPECT_EQ(planned.plan.cases[0].axes.back().value, Json({{"env.X", "1, 2"}}));
  EXPECT_EQ(planned.plan.cases[1].axes.back().value, Json({{"env.X", "a b"}}));
}

TEST(Variants, TakeADefaultThatNobodyWroteInItsUnit) {
  const Planned planned =
      plan_suite("cases: [{id: a, uses: hostcopy, variants: {small: {}, large: {with: {bytes: 64MiB}}}}]\n");

  ASSERT_EQ(planned.problems, "");
  EXPECT_EQ(planned.plan.cases[0].axes.back().value, Json({{"bytes", "1MiB"}}));
  EXPECT_EQ(planned.plan.cases[1].axes.back().value, Json({{"bytes", "64MiB"}}));
}

TEST(Variants, MayChooseOtherDevices) {
  const Planned planned = plan_suite(
      "cases: [{id: a, uses: gemm, variants: {first: {devices: [\"cuda:0\"]}, last: {devices: [\"cuda:3\"]}}}]\n");

  ASSERT_EQ(planned.problems, "");
  ASSERT_EQ(planned.plan.cases.size(), 2U);
  EXPECT_EQ(devices_of(planned.plan.cases[0]), std::vector<std::string>{"cuda:0"});
  EXPECT_EQ(devices_of(planned.plan.cases[1]), std::vector<std::string>{"cuda:3"});
}

TEST(Variants, AreMeasuredInIncludedPointsToo) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - id: a\n"
      "    uses: gemm@host\n"
      "    matrix: {m: [512], include: [{m: 700}], exclude: [{m: 512, variant: after}]}\n"
      "    variants: {before: {}, after: {env: {X: 1}}}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(),
              ElementsAre("a[m=512,variant=before]", "a[m=700,variant=before]", "a[m=700,variant=after]"));
}

TEST(Variants, HaveSixRoundsUnlessTheSuiteSaysOtherwise) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@host, variants: {x: {}, y: {env: {X: 1}}}}\n"
      "  - {id: b, uses: gemm@host, measure: {samples: 5}, variants: {x: {}, y: {env: {X: 1}}}}\n"
      "  - {id: c, uses: gemm@host, processes: 4, variants: {x: {}, y: {env: {X: 1}}}}\n");

  ASSERT_EQ(planned.problems, "");
  EXPECT_EQ(planned.plan.cases[0].rounds, 6);
  EXPECT_EQ(planned.plan.cases[2].rounds, 6);
  EXPECT_EQ(planned.plan.cases[4].rounds, 4);
}

TEST(Variants, AreEachFirstAsOftenAsLast) {
  const Planned planned =
      plan_suite("cases: [{id: a, uses: gemm@host, variants: {x: {}, y: {env: {X: 1}}}}]\n");

  std::map<std::size_t, int> first;
  std::map<int, bool> begun;
  for (const PlannedVisit& visit : planned.plan.order)
    if (!std::exchange(begun[visit.round], true)) ++first[visit.case_index];

  EXPECT_EQ(first, (std::map<std::size_t, int>{{0, 3}, {1, 3}}));
}

// Each problem with its line and column.
struct Problem {
  const char* variants;
  const char* expected;
};

class ProblemsOfVariants : public ::testing::TestWithParam<Problem> {};

TEST_P(ProblemsOfVariants, AreReportedAtTheirPlace) {
  const Planned planned = plan_suite(std::string("cases:\n"
                                                 "  - id: a\n"
                                                 "    uses: gemm@host\n"
                                                 "    with: {m: 1024}\n"
                                                 "    matrix: {dtype: [fp32, fp64]}\n"
                                                 "    variants: ") +
                                     GetParam().variants + "\n");

  EXPECT_THAT(planned.problems, HasSubstr(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    All, ProblemsOfVariants,
    ::testing::Values(
        Problem{"{x: {}, y: {with: {q: 1}}}", "t.yaml:8:34: error: 'gemm' has no parameter 'q'"},
        Problem{"{x: {}, y: {with: {dtype: fp64}}}", "t.yaml:8:34: error: 'dtype' is set by two axes"},
        Problem{"{x: {}, y: {with: {m: 1024}}}", "t.yaml:8:23: error: variant 'y' is the same as 'x'"},
        Problem{"{x: {}, y: {}}", "t.yaml:8:23: error: variant 'y' is the same as 'x'"},
        Problem{"{x: {}}", "t.yaml:8:15: error: one variant has nothing to be compared with"},
        Problem{"{x: ~, y: {with: {m: 1}}}", "t.yaml:8:16: error: variant 'x' has no value"},
        Problem{"{x: {}, y: {wth: {m: 1}}}", "did you mean 'with'?"},
        Problem{"{x: {}, '1': {with: {m: 1}}}", "can't be the name of a variant"},
        Problem{"[x, y]", "t.yaml:8:15: error: 'variants' must be a map of names to maps"}));

TEST(Variants, CannotStandBesideAnAxisOfTheirName) {
  const Planned planned = plan_suite(
      "cases: [{id: a, uses: external, command: [run, \"{variant}\"], matrix: {variant: [1, 2]}, "
      "variants: {x: {}, y: {env: {X: 1}}}}]\n");

  EXPECT_THAT(planned.problems,
              HasSubstr("'variants' make the axis 'variant', and another axis has that name"));
}

TEST(Variants, NeedAValueOfWhatTheBenchmarkNeeds) {
  const Planned planned = plan_suite(
      "cases: [{id: a, uses: collective, devices: all, variants: {x: {}, y: {with: {op: all_reduce}}}}]\n");

  EXPECT_THAT(planned.problems, HasSubstr("variant 'x' has no value for 'op'"));
}

TEST(Variants, MayBeWhatFindingsAndExpectationsName) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - id: a\n"
      "    uses: gemm@host\n"
      "    variants: {before: {}, after: {env: {X: 1}}}\n"
      "    reference: {variant: before}\n"
      "    expect: [{that: throughput > 1 FLOP/s, where: {variant: after}}]\n"
      "findings:\n"
      "  - id: f\n"
      "    question: Is it?\n"
      "    let: {x: \"a[variant=after].throughput\", y: \"a[variant=before].throughput\"}\n"
      "    claim: x > y\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_EQ(planned.plan.cases[1].reference, "a[variant=before]");
  EXPECT_TRUE(planned.plan.cases[0].expectations.empty());
  EXPECT_EQ(planned.plan.cases[1].expectations.size(), 1U);

  const Planned misspelt = plan_suite(
      "cases: [{id: a, uses: gemm@host, variants: {before: {}, after: {env: {X: 1}}}, reference: {variant: befor}}]\n");
  EXPECT_THAT(misspelt.problems, HasSubstr("did you mean 'before'?"));
}

}  // namespace
}  // namespace assay::plan
