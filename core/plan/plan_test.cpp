// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "plan/plan_test_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Measure, HasDefaultsThatFitTogether) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@host}\n"
      "  - {id: b, uses: gemm@host, processes: 1, measure: {max_time: 30min, warmup: 0}}\n"
      "  - {id: c, uses: gemm@host, timeout: 4s}\n");

  EXPECT_EQ(planned.plan.cases[0].measure.precision, 0.005);
  EXPECT_DOUBLE_EQ(planned.plan.cases[0].measure.max_time_s, 10.0 / 3) << "10 s, shared by three rounds";
  EXPECT_EQ(planned.plan.cases[0].measure.warmup, -1);
  EXPECT_EQ(planned.plan.cases[0].timeout_s, 600);
  EXPECT_GT(planned.plan.cases[1].timeout_s, 1800);
  EXPECT_EQ(planned.plan.cases[1].measure.warmup, 0);
  EXPECT_EQ(planned.plan.cases[2].measure.max_time_s, 2);
}

TEST(Measure, IsThreeRoundsThatShareTheTime) {
  const system::Inventory inventory = example_inventory(0);
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@host, measure: {max_time: 6s}}\n"
      "  - {id: b, uses: gemm@host, processes: 5, measure: {max_time: 10s}}\n"
      "  - {id: c, uses: gemm@host, measure: {samples: 7}}\n"
      "  - {id: d, uses: gemm@host, measure: {for: 1min}}\n"
      "  - {id: e, uses: gemm@host, processes: 30}\n",
      &inventory);

  const auto rounds = [&](std::size_t i) { return planned.plan.cases.at(i).rounds; };
  const auto time_s = [&](std::size_t i) { return planned.plan.cases.at(i).measure.max_time_s; };
  EXPECT_EQ(rounds(0), 3);
  EXPECT_DOUBLE_EQ(time_s(0), 2);
  EXPECT_EQ(rounds(1), 5);
  EXPECT_DOUBLE_EQ(time_s(1), 2);
  EXPECT_EQ(rounds(2), 1) << "exactly so many samples";
  EXPECT_EQ(rounds(3), 1) << "held once";
  EXPECT_EQ(rounds(4), 30);
  EXPECT_DOUBLE_EQ(time_s(4), 10.0 / 3) << "no less than of three rounds";
}

TEST(Measure, IsFiveRoundsInTheSameTimeOfWhatIsToldApart) {
  const system::Inventory inventory = example_inventory(0);
  const std::string body =
      "cases:\n"
      "  - {id: a, uses: gemm@host}\n"
      "  - {id: b, uses: gemm@host, measure: {max_time: 10s}}\n"
      "  - {id: c, uses: gemm@host, matrix: {dtype: [fp32, fp64]}, reference: {dtype: fp64}, expect: [throughput >= 90% of reference]}\n"
      "  - {id: d, uses: gemm@host, expect: [throughput >= 1 FLOP/s]}\n"
      "  - {id: e, uses: gemm@host, processes: 3}\n"
      "  - {id: f, uses: gemm@host, measure: {samples: 7}}\n"
      "findings:\n"
      "  - {id: q, question: \"Is it?\", let: {l: \"a[].throughput\", r: \"b[].throughput\"}, claim: l > r}\n"
      "  - {id: r, question: \"Is it?\", let: {l: \"e[].throughput\", r: \"f[].throughput\"}, claim: l > r}\n";
  const Planned planned = plan_suite(body, &inventory);
  const auto row = [&](const std::string& id) {
    for (const PlannedCase& each : planned.plan.cases)
      if (each.id == id) return each;
    throw std::runtime_error("no case " + id);
  };
  const auto rounds = [&](const std::string& id) { return row(id).rounds; };
  const auto time_s = [&](const std::string& id) { return row(id).measure.max_time_s; };
  EXPECT_EQ(rounds("a"), 5);
  EXPECT_DOUBLE_EQ(time_s("a"), 2) << "10 s, shared by five rounds";
  EXPECT_EQ(rounds("b"), 5);
  EXPECT_DOUBLE_EQ(time_s("b"), 2);
  EXPECT_EQ(rounds("c[dtype=fp32]"), 5);
  EXPECT_EQ(rounds("c[dtype=fp64]"), 5) << "the reference, too";
  EXPECT_EQ(rounds("d"), 3) << "compared with a number";
  EXPECT_EQ(rounds("e"), 3) << "as the suite says";
  EXPECT_EQ(rounds("f"), 1) << "exactly so many samples";

  PlanOptions quick;
  quick.quick = true;
  EXPECT_EQ(plan_suite(body, &inventory, quick).plan.rounds, 1);
}

// Executions that share a visit share what is slower than it, and a visit has no interval by itself.
TEST(Measure, EveryExecutionOfACommandIsARound) {
  const system::Inventory inventory = example_inventory(0);
  const std::string body =
      "cases:\n"
      "  - {id: a, uses: external@cuda, command: [run], measure: {samples: 20}}\n"
      "  - {id: b, uses: external@cuda, command: [run], processes: 3, measure: {samples: 5, warmup: 2}}\n"
      "  - {id: c, uses: external@cuda, command: [run]}\n"
      "  - {id: d, uses: external@cuda, command: [run, \"{v}\"], variants: {x: {with: {v: 1}}, y: {with: {v: 2}}}, "
      "measure: {samples: 2}}\n";
  const Planned planned = plan_suite(body, &inventory);
  ASSERT_EQ(planned.problems, "");
  const auto executions = [&](std::size_t i) {
    const PlannedCase& one = planned.plan.cases.at(i);
    return std::pair(one.rounds, one.measure.samples);
  };
  EXPECT_EQ(executions(0), std::pair(20, std::uint64_t{1}));
  EXPECT_EQ(executions(1), std::pair(15, std::uint64_t{1}));
  EXPECT_EQ(planned.plan.cases[1].measure.warmup, 2) << "in every round";
  EXPECT_EQ(executions(2), std::pair(1, std::uint64_t{1}));
  EXPECT_EQ(executions(3), std::pair(12, std::uint64_t{1})) << "as often as six rounds of two samples";

  PlanOptions quick;
  quick.quick = true;
  const Planned brief = plan_suite(body, &inventory, quick);
  EXPECT_EQ(brief.plan.cases[0].rounds, 1);
  EXPECT_EQ(brief.plan.cases[0].measure.samples, 20U);
}

TEST(Measure, ExecutionsAreNoMoreThanRoundsMayBe) {
  const system::Inventory inventory = example_inventory(0);
  const auto problems = [&](const std::string& keys) {
    return plan_suite("cases:\n  - {id: a, uses: external@cuda, command: [run], " + keys + "}\n", &inventory)
        .problems;
  };
  EXPECT_EQ(problems("measure: {samples: 1000}"), "");
  EXPECT_THAT(problems("measure: {samples: 1001}"), HasSubstr("'a' would be executed more than 1000 times"));
  EXPECT_THAT(
      problems("measure: {samples: 9, max_time: 1s}"),
      HasSubstr(
          "warning: 'max_time' ends no executions of a command: each is a round, and all 9 of 'a' are run"));
  EXPECT_THAT(problems("processes: 3, measure: {samples: 1000000000}"),
              HasSubstr("write 'samples: 333' or fewer"));
}

TEST(Measure, QuickIsOneRoundTwentySamplesOneSecond) {
  PlanOptions options;
  options.quick = true;
  const system::Inventory inventory = example_inventory(0);
  const Planned planned = plan_suite(
      "defaults: {processes: 5}\ncases:\n  - {id: a, uses: gemm@host}\n  - {id: b, uses: gemm@host, measure: "
      "{samples: 3}}\n",
      &inventory, options);

  EXPECT_EQ(planned.plan.rounds, 1);
  EXPECT_EQ(planned.plan.cases[0].measure.samples, 20U);
  EXPECT_EQ(planned.plan.cases[0].measure.max_time_s, 1);
  EXPECT_EQ(planned.plan.cases[1].measure.samples, 3U);
}

TEST(Filter, KeepsWhatAnyOfThemFinds) {
  const system::Inventory inventory = example_inventory(4);
  PlanOptions options;
  options.filters = {"dtype=fp32", "^b$"};
  const std::string body =
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16]}, reference: {dtype: bf16}}\n"
      "  - {id: b, uses: gemm@host}\n"
      "  - {id: bb, uses: gemm@host}\n";
  const Planned planned = plan_suite(body, &inventory, options);

  EXPECT_THAT(planned.ids(), ElementsAre("a[dtype=fp32]", "b"));
  ASSERT_EQ(planned.plan.left_out.size(), 2U);
  EXPECT_EQ(planned.plan.left_out[0].axes.at(0).text, "bf16");
  EXPECT_EQ(planned.plan.left_out[1].suite_case, 2U);
  EXPECT_TRUE(planned.plan.cases[0].has_reference_key);
  EXPECT_EQ(planned.plan.cases[0].reference, "");
  options.filters = {"a[dtype"};
  EXPECT_THROW((void)plan_suite(body, &inventory, options), Error);
}

TEST(Filter, FindsWhatACaseIsCalledWithoutItsVariant) {
  const system::Inventory inventory = example_inventory(1);
  PlanOptions options;
  const std::string body =
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16]}, variants: {x: {with: {m: 64}}, y: {}}}\n"
      "  - {id: b, uses: gemm@host, variants: {x: {with: {m: 64}}, y: {}}}\n";
  options.filters = {"^a\\[dtype=bf16\\]$", "^b$"};
  EXPECT_THAT(
      plan_suite(body, &inventory, options).ids(),
      ElementsAre("a[dtype=bf16,variant=x]", "a[dtype=bf16,variant=y]", "b[variant=x]", "b[variant=y]"));
  options.filters = {"^b\\[variant=y\\]$"};
  EXPECT_THAT(plan_suite(body, &inventory, options).ids(), ElementsAre("b[variant=y]"));
}

TEST(Filter, TakesACaseByItsNameInReportsThatSortItsAxes) {
  const system::Inventory inventory = example_inventory(2);
  const std::string body =
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, devices: each, matrix: {m: [64, 128], dtype: [fp32, bf16]}}\n"
      "  - {id: b, uses: gemm@host, matrix: {m: [64], env.X: [one-1, two]}}\n";
  const auto ids = [&](const std::string& filter) {
    PlanOptions options;
    options.filters = {filter};
    return plan_suite(body, &inventory, options).ids();
  };
  const std::string id = "a[m=64,dtype=bf16,device=cuda:1]";
  for (const char* filter : {"a[device=cuda:1,dtype=bf16,m=64]", "a[m=64,dtype=bf16,device=cuda:1]",
                             "^a\\[device=cuda:1,dtype=bf16,m=64\\]$",
                             "a\\[dtype=bf16,m=64,device=cuda\\:1\\]", "cuda:1,dtype=bf16,m=64"})
    EXPECT_THAT(ids(filter), ElementsAre(id)) << filter;
  EXPECT_THAT(ids("b[env.X=one-1,m=64]"), ElementsAre("b[m=64,env.X=one-1]"))
      << "as an expression it is wrong";
  EXPECT_THAT(ids("a[device=cuda:1,dtype=bf16]"), ElementsAre()) << "not all of its axes";
  EXPECT_THAT(ids("^b.*[^=]$").size(), 2U) << "an expression still";
  EXPECT_THROW((void)ids("(a[m]"), Error);
}

TEST(Filter, KeepsRowsByTheValuesOfAxesAndParameters) {
  const system::Inventory inventory = example_inventory(2);
  const std::string body =
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16], env.X: [~, 1]}}\n"
      "  - {id: b, uses: gemm@cuda, with: {dtype: bf16}, devices: each}\n";
  const auto ids = [&](const std::vector<std::string>& where) {
    PlanOptions options;
    options.where = where;
    return plan_suite(body, &inventory, options).ids();
  };
  EXPECT_THAT(ids({"dtype=bf16"}), ElementsAre("a[dtype=bf16,env.X=~]", "a[dtype=bf16,env.X=1]",
                                               "b[device=cuda:0]", "b[device=cuda:1]"));
  EXPECT_THAT(ids({"dtype=bf16,fp32", "env.X=~"}),
              ElementsAre("a[dtype=fp32,env.X=~]", "a[dtype=bf16,env.X=~]"));
  EXPECT_THAT(ids({"device=cuda:1"}), ElementsAre("b[device=cuda:1]"));
  EXPECT_THAT(ids({"dtype=fp32", "device=cuda:1"}), ElementsAre()) << "each is there, and no row has both";

  const auto refusal = [&](const std::string& term) -> std::string {
    try {
      (void)ids({term});
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal("dtyp=bf16"), "--only: no case has 'dtyp' (did you mean 'dtype'?)");
  EXPECT_EQ(refusal("dtype=bf61"), "--only: no case has dtype=bf61 (did you mean 'bf16'?)");
  EXPECT_EQ(refusal("dtype=bf16,fp23"), "--only: no case has dtype=fp23 (did you mean 'fp32'?)");
  for (const std::string term : {"dtype", "=bf16", "dtype=", "dtype=a,,b"})
    EXPECT_THAT(refusal(term), testing::HasSubstr("is not name=value of an axis or a parameter")) << term;
}

TEST(Filter, TakesAnyDeviceWhereNobodyKnowsWhichAreThere) {
  const auto ids = [](const std::string& term) {
    PlanOptions options;
    options.where = {term};
    return plan_suite(
               "cases:\n  - {id: a, uses: gemm@cuda, devices: each}\n  - {id: b, uses: p2p@cuda, devices: pairs}\n",
               nullptr, options)
        .ids();
  };
  EXPECT_THAT(ids("device=cuda:17"), ElementsAre("a[device=cuda:*]"));
  EXPECT_THAT(ids("device=cuda:0-cuda:1"), ElementsAre("b[device=cuda:*-cuda:*]"));
  for (const char* none : {"device=host:0", "device=cuda:", "device=cuda:0x", "device=cuda:0-"})
    EXPECT_THROW((void)ids(none), Error) << none;
}

TEST(Filter, KnowsAQuantityHoweverItIsWritten) {
  const system::Inventory inventory = example_inventory(1);
  PlanOptions options;
  options.where = {"bytes=1024KiB"};
  const Planned planned =
      plan_suite("cases:\n  - {id: a, uses: hostcopy, matrix: {bytes: [1MiB, 2MiB]}}\n", &inventory, options);
  EXPECT_THAT(planned.ids(), ElementsAre("a[bytes=1MiB]")) << planned.problems;
}

TEST(Filter, KeepsOnlyTheCasesThatWereChosen) {
  const system::Inventory inventory = example_inventory(4);
  PlanOptions options;
  options.only = {"a[dtype=bf16]", "c"};
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16]}}\n"
      "  - {id: b, uses: gemm@host}\n",
      &inventory, options);
  EXPECT_THAT(planned.ids(), ElementsAre("a[dtype=bf16]"));
}

TEST(Reference, IsTheRowThatIsAlikeInAllOtherAxes) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16], m: [1, 2]}, devices: [cuda:0, cuda:1], "
      "reference: {dtype: fp32}}\n"
      "  - {id: b, uses: gemm@cuda, devices: each, reference: {device: cuda:0}}\n"
      "  - {id: c, uses: gemm@cuda, matrix: {shape: [{m: 1, n: 1}, {m: 2, n: 1}]}, reference: {m: 2}}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_EQ(planned.plan.cases[7].id, "a[dtype=bf16,m=2,device=cuda:1]");
  EXPECT_EQ(planned.plan.cases[7].reference, "a[dtype=fp32,m=2,device=cuda:1]");
  EXPECT_EQ(planned.plan.cases[0].reference, planned.plan.cases[0].id);
  EXPECT_EQ(planned.plan.cases[10].reference, "b[device=cuda:0]");
  EXPECT_EQ(planned.plan.cases[12].reference, "c[shape=m:2/n:1]");
}

TEST(Expectations, BelongToThePointsThatTheyAreFor) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - id: a\n"
      "    uses: gemm@cuda\n"
      "    devices: [cuda:0, cuda:1]\n"
      "    matrix: {dtype: [fp32, bf16]}\n"
      "    expect:\n"
      "      - throughput >= 1 TFLOP/s\n"
      "      - {that: throughput >= 2 TFLOP/s, where: {dtype: [bf16, bf16], device: cuda:1}}\n");

  ASSERT_EQ(planned.plan.cases.size(), 4U) << planned.problems;
  EXPECT_THAT(planned.plan.cases[2].expectations, ElementsAre(0));
  EXPECT_THAT(planned.plan.cases[3].expectations, ElementsAre(0, 1));
}

}  // namespace
}  // namespace assay::plan
