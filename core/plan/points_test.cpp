// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_test_support.hpp"
#include "plan/value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace assay::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Points, AreAllCombinationsInDeclarationOrder) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@host, matrix: {dtype: [fp64, fp32], m: [512, 1024]}}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(), ElementsAre("a[dtype=fp64,m=512]", "a[dtype=fp64,m=1024]", "a[dtype=fp32,m=512]",
                                         "a[dtype=fp32,m=1024]"));
  EXPECT_EQ(planned.plan.cases[1].parameters, Json({{"m", 1024}, {"dtype", "fp64"}}));
  EXPECT_EQ(planned.plan.cases[1].axes[1].value, 1024);
}

TEST(Points, ShowQuantitiesAsTheyAreWritten) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: hostcopy, matrix: {bytes: {from: 1KiB, to: 1GiB, factor: 1024}}}\n"
      "  - {id: b, uses: hostcopy, matrix: {bytes: [65536 kB, 4096], pause: [1500us, 2.50µs]}}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(), ElementsAre("a[bytes=1KiB]", "a[bytes=1MiB]", "a[bytes=1GiB]",
                                         "b[bytes=65536kB,pause=1500us]", "b[bytes=65536kB,pause=2.5us]",
                                         "b[bytes=4KiB,pause=1500us]", "b[bytes=4KiB,pause=2.5us]"));
  EXPECT_EQ(planned.plan.cases[3].comparison_key, "b[bytes=62.5MiB,pause=1.5ms]")
      << "rows of two suites meet";
  EXPECT_EQ(planned.plan.cases[3].written.at("bytes"), "65536 kB");
  EXPECT_FALSE(planned.plan.cases[5].written.contains("bytes")) << "no unit was written";
  EXPECT_EQ(planned.plan.cases[2].parameters["bytes"], 1073741824);
  EXPECT_EQ(planned.plan.cases[3].parameters["pause"], 0.0015);
}

TEST(Points, OfTwoWaysToWriteAValueHaveTheFirst) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: hostcopy, with: {bytes: 2000kB}, matrix: {pause: [1500us]}}\n"
      "  - {id: b, uses: hostcopy, with: {bytes: 2MB}, matrix: {pause: [1.5ms]}}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(), ElementsAre("a[pause=1500us]", "b[pause=1500us]"))
      << "so that rows of both meet";
  EXPECT_EQ(planned.plan.cases[0].written.at("bytes"), "2000kB");
  EXPECT_EQ(planned.plan.cases[1].written.at("bytes"), "2MB");
}

TEST(Points, LeaveOutWhatIsExcludedAndAppendWhatIsIncluded) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - id: a\n"
      "    uses: collective\n"
      "    with: {op: all_reduce}\n"
      "    devices: all\n"
      "    matrix:\n"
      "      env.NCCL_ALGO: [~, Ring, Tree]\n"
      "      env.NCCL_PROTO: [~, LL]\n"
      "      exclude:\n"
      "        - {env.NCCL_ALGO: ~, env.NCCL_PROTO: [LL]}\n"
      "        - {env.NCCL_PROTO: ~, env.NCCL_ALGO: [Ring, Tree]}\n"
      "      include:\n"
      "        - {env.NCCL_ALGO: NVLS, env.NCCL_PROTO: Simple}\n"
      "    reference: {env.NCCL_ALGO: ~, env.NCCL_PROTO: ~}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(
      planned.ids(),
      ElementsAre("a[env.NCCL_ALGO=~,env.NCCL_PROTO=~]", "a[env.NCCL_ALGO=Ring,env.NCCL_PROTO=LL]",
                  "a[env.NCCL_ALGO=Tree,env.NCCL_PROTO=LL]", "a[env.NCCL_ALGO=NVLS,env.NCCL_PROTO=Simple]"));
  EXPECT_EQ(planned.plan.cases[0].environment[0],
            std::make_pair(std::string("NCCL_ALGO"), std::optional<std::string>()));
  EXPECT_EQ(planned.plan.cases[1].environment[1].second, "LL");
  EXPECT_EQ(planned.plan.cases[3].reference, "a[env.NCCL_ALGO=~,env.NCCL_PROTO=~]");
}

TEST(Points, OfABundleSetSeveralParameters) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {shape: [{m: 64, n: 128}, {m: 1, n: 2}], exclude: [{m: 1}], "
      "include: [{m: 7, n: 8}]}}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(), ElementsAre("a[shape=m:64/n:128]", "a[shape=m:7/n:8]"));
  EXPECT_EQ(planned.plan.cases[0].parameters["n"], 128);
}

TEST(Points, OfTextThatWouldBreakAnIdAreEscaped) {
  EXPECT_EQ(id_text("a b,c[d]=e%"), "a%20b%2Cc%5Bd%5D=e%25");
  EXPECT_EQ(id_text("µ"), "µ");
  const Planned planned =
      plan_suite("cases:\n  - {id: a, uses: gemm@host, matrix: {env.X: [\"a, b\", \"\"]}}\n");
  EXPECT_THAT(planned.ids(), ElementsAre("a[env.X=a%2C%20b]", "a[env.X=]"));
}

TEST(Points, HaveDifferentIdsWhateverTheSuiteSays) {
  const std::string good =
      "requires: {backend: [cuda, host]}\n"
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, devices: each, matrix: {dtype: [fp32, bf16], m: {from: 1, to: 4, factor: "
      "2}}, reference: {m: 1}}\n"
      "  - {id: b, uses: p2p, devices: pairs, matrix: {bind: [none, local, {cpu: node:0, memory: node:1}]}, "
      "expect: [bandwidth >= 1 GB/s]}\n"
      "  - {id: c, uses: collective, with: {op: broadcast}, matrix: {devices: [2, 4], shape: [{bytes: 1KiB, "
      "dtype: x}], env.A: [~, 1]}}\n";
  const system::Inventory inventory = example_inventory(4);
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    std::string body = good;
    for (std::size_t i = random() % 3; i-- > 0;) {
      const std::size_t from = random() % body.size();
      const std::size_t to = random() % body.size();
      body.replace(to, random() % 4, body.substr(from, random() % 6));
    }
    (void)plan_suite(body, nullptr);
    const Planned planned = plan_suite(body, &inventory);
    const auto ids = planned.ids();
    if (planned.problems.empty()) {
      ASSERT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size()) << body;
    }
    for (const std::string& id : ids) ASSERT_EQ(id.find_first_of(" \t\n"), std::string::npos) << id;
  }
}

TEST(Points, TooManyAreRefused) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {m: {from: 1, to: 1000, step: 1}, n: {from: 1, to: 1000, step: "
      "1}}}\n");
  EXPECT_THAT(planned.problems, HasSubstr("case 'a' has 1e+06 points; the limit is 20000"));
}

TEST(Points, MoreSamplesThanARecordHoldsAreRefused) {
  const auto problems = [](const std::string& ranks, const std::string& samples) {
    return plan_suite("cases:\n  - {id: a, uses: team@host, ranks: " + ranks +
                      ", measure: {samples: " + samples + "}}\n")
        .problems;
  };
  EXPECT_EQ(problems("1", "3500000"), "");
  EXPECT_THAT(problems("1", "3500001"),
              HasSubstr("3500001 samples on 1 rank, and the record of a visit holds 3500000"));
  EXPECT_EQ(problems("4", "875000"), "");
  EXPECT_THAT(problems("4", "875001"), HasSubstr("875001 samples on 4 ranks"));
}

TEST(Values, ThatAreWrongAreReportedTogetherAtTheirPlaces) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - id: a\n"
      "    uses: gemm@cuda\n"
      "    with: {dtpye: bf16, m: 0, n: 1.5, alpha: fast, pad: 1}\n"
      "    matrix:\n"
      "      dtype: [bf16, bf61]\n"
      "  - {id: b, uses: hostcopy, with: {bytes: 5s, pause: 3}}\n"
      "  - {id: c, uses: collective, devices: all, with: {op: all_reduse}}\n"
      "  - {id: d, uses: collective, devices: all}\n"
      "  - {id: e, uses: gemn}\n");

  EXPECT_EQ(
      planned.problems,
      "t.yaml:6:12: error: 'gemm' has no parameter 'dtpye' (did you mean 'dtype'?)\n"
      "t.yaml:6:28: error: parameter 'm' is at least 1, not '0'\n"
      "t.yaml:6:34: error: parameter 'n' is a whole number, not '1.5'\n"
      "t.yaml:6:46: error: parameter 'alpha' is a plain number, not 'fast'\n"
      "t.yaml:6:57: error: parameter 'pad' is true or false, not '1'\n"
      "t.yaml:8:21: error: parameter 'dtype' has no value 'bf61' (did you mean 'bf16'?)\n"
      "t.yaml:9:43: error: parameter 'bytes' is a data size, like 64MiB, not '5s'\n"
      "t.yaml:9:54: error: parameter 'pause' is a time, like 5ms, not '3' (write its unit, for example 3s)\n"
      "t.yaml:10:56: error: parameter 'op' has no value 'all_reduse' (did you mean 'all_reduce'?)\n"
      "t.yaml:11:19: error: 'collective' needs a value for parameter 'op' (write it under 'with' or "
      "'matrix')\n"
      "t.yaml:12:19: error: unknown benchmark 'gemn' (did you mean 'gemm'?)\n");
}

TEST(Values, ThatAreTheSameForTheParameterAreOneAxisValue) {
  EXPECT_THAT(plan_suite("cases:\n  - {id: a, uses: hostcopy, matrix: {bytes: [1024, 1KiB]}}\n").problems,
              HasSubstr("axis 'bytes' has '1KiB' twice"));
}

TEST(Values, OfWithAndMatrixKeepTheirColumnsInTheSuite) {
  const Planned planned =
      plan_suite("cases:\n  - {id: a, uses: gemm@cuda, with: {n: 5}, matrix: {m: [1, 2]}}\n");

  EXPECT_EQ(planned.plan.cases[1].parameter_positions.at("n").column, 40);
  EXPECT_EQ(planned.plan.cases[1].parameter_positions.at("m").column, 60);
}

}  // namespace
}  // namespace assay::plan
