// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "plan/order.hpp"
#include "plan/plan_test_support.hpp"
#include "plan/value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace assay::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// ---- Points
// -----------------------------------------------------------------------------------------------------------

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

TEST(Points, ShowQuantitiesInTheirCanonicalForm) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: hostcopy, matrix: {bytes: {from: 1KiB, to: 1GiB, factor: 1024}}}\n"
      "  - {id: b, uses: hostcopy, matrix: {bytes: [65536 kB, 4096], pause: [1500us]}}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(), ElementsAre("a[bytes=1KiB]", "a[bytes=1MiB]", "a[bytes=1GiB]",
                                         "b[bytes=62.5MiB,pause=1.5ms]", "b[bytes=4KiB,pause=1.5ms]"));
  EXPECT_EQ(planned.plan.cases[2].parameters["bytes"], 1073741824);
  EXPECT_EQ(planned.plan.cases[3].parameters["pause"], 0.0015);
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

TEST(Points, TooManyAreRefused) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {m: {from: 1, to: 1000, step: 1}, n: {from: 1, to: 1000, step: "
      "1}}}\n");
  EXPECT_THAT(planned.problems, HasSubstr("case 'a' has 1e+06 points; the limit is 100000"));
}

// ---- Values
// -----------------------------------------------------------------------------------------------------------

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

TEST(Values, KeepTheirPositionsForWhatThePluginSays) {
  const Planned planned =
      plan_suite("cases:\n  - {id: a, uses: gemm@cuda, with: {n: 5}, matrix: {m: [1, 2]}}\n");

  EXPECT_EQ(planned.plan.cases[1].parameter_positions.at("n").column, 40);
  EXPECT_EQ(planned.plan.cases[1].parameter_positions.at("m").column, 60);
}

// ---- Devices
// ----------------------------------------------------------------------------------------------------------

using Ranks = std::vector<std::vector<std::string>>;

Ranks ranks_of(const Case& planned) {
  Ranks ranks;
  for (const RankPlacement& rank : planned.placement.ranks) ranks.push_back(rank.devices);
  return ranks;
}

// Planned on four GPUs.
Planned placed(const std::string& keys) { return plan_suite("cases:\n  - {id: a, " + keys + "}\n"); }

TEST(Devices, UnsetAreTheFewestThatTheBenchmarkTakes) {
  EXPECT_EQ(ranks_of(placed("uses: gemm@cuda").plan.cases.at(0)), (Ranks{{"cuda:0"}}));
  EXPECT_EQ(ranks_of(placed("uses: p2p").plan.cases.at(0)), (Ranks{{"cuda:0", "cuda:1"}}));
  EXPECT_EQ(ranks_of(placed("uses: collective, with: {op: broadcast}").plan.cases.at(0)),
            (Ranks{{"cuda:0"}, {"cuda:1"}}));
  EXPECT_THAT(placed("uses: gemm@cuda").ids(), ElementsAre("a"));
}

TEST(Devices, EachIsACaseOfItsOwn) {
  const Planned planned = placed("uses: gemm@cuda, devices: each, matrix: {dtype: [bf16]}");

  EXPECT_THAT(planned.ids(), ElementsAre("a[dtype=bf16,device=cuda:0]", "a[dtype=bf16,device=cuda:1]",
                                         "a[dtype=bf16,device=cuda:2]", "a[dtype=bf16,device=cuda:3]"));
  EXPECT_EQ(planned.plan.cases[2].comparison_key, "a[dtype=bf16]");
  EXPECT_EQ(ranks_of(planned.plan.cases[2]), (Ranks{{"cuda:2"}}));
}

TEST(Devices, UnderLoadTogetherAreRanksOfOneCase) {
  const Planned planned = placed("uses: gemm@cuda, devices: each, matrix: {load: [alone, together]}");

  EXPECT_EQ(planned.problems, "");
  ASSERT_EQ(planned.plan.cases.size(), 5U);
  EXPECT_EQ(planned.plan.cases[0].id, "a[load=alone,device=cuda:0]");
  EXPECT_EQ(planned.plan.cases[4].id, "a[load=together]");
  EXPECT_EQ(ranks_of(planned.plan.cases[4]), (Ranks{{"cuda:0"}, {"cuda:1"}, {"cuda:2"}, {"cuda:3"}}));
  EXPECT_EQ(planned.plan.cases[4].placement.load, "together");
}

TEST(Devices, AllAreOneRankEach) {
  const Planned planned = placed("uses: collective, with: {op: broadcast}, devices: all");

  EXPECT_THAT(planned.ids(), ElementsAre("a"));
  EXPECT_EQ(planned.plan.cases[0].placement.ranks.size(), 4U);
}

TEST(Devices, InPairsAreOrderedPairs) {
  const Planned planned = placed("uses: p2p, devices: pairs");

  EXPECT_EQ(planned.plan.cases.size(), 12U);
  EXPECT_EQ(planned.plan.cases[0].id, "a[device=cuda:0-cuda:1]");
  EXPECT_EQ(ranks_of(planned.plan.cases[11]), (Ranks{{"cuda:3", "cuda:2"}}));
}

TEST(Devices, CountedOrNamedAreOneCaseIfTheBenchmarkSpansThem) {
  EXPECT_EQ(
      placed("uses: collective, with: {op: broadcast}, devices: 3").plan.cases.at(0).placement.ranks.size(),
      3U);
  EXPECT_EQ(
      ranks_of(placed("uses: collective, with: {op: broadcast}, devices: [cuda:3, cuda:1]").plan.cases.at(0)),
      (Ranks{{"cuda:3"}, {"cuda:1"}}));
  EXPECT_THAT(placed("uses: gemm@cuda, devices: [cuda:3, cuda:1]").ids(),
              ElementsAre("a[device=cuda:3]", "a[device=cuda:1]"));
}

TEST(Devices, CountedAlongAnAxisChangeTheRanks) {
  const Planned planned = placed("uses: collective, with: {op: broadcast}, matrix: {devices: [2, 4]}");

  EXPECT_THAT(planned.ids(), ElementsAre("a[devices=2]", "a[devices=4]"));
  EXPECT_EQ(planned.plan.cases[1].placement.ranks.size(), 4U);
}

TEST(Devices, OfTheHostAreSharedByRanks) {
  const Planned planned = placed("uses: team, ranks: 4");

  EXPECT_EQ(planned.problems, "");
  EXPECT_EQ(ranks_of(planned.plan.cases.at(0)), (Ranks{{"host:0"}, {"host:0"}, {"host:0"}, {"host:0"}}));
}

TEST(Devices, ThatTheBenchmarkCannotUseAreAnError) {
  EXPECT_THAT(
      placed("uses: gemm@cuda, devices: all").problems,
      StartsWith("t.yaml:4:39: error: 'gemm' runs on one device, not on all at once (write 'devices: each'"));
  EXPECT_THAT(placed("uses: gemm@cuda, ranks: 2").problems, HasSubstr("'gemm' takes 1 rank, not 2"));
  EXPECT_THAT(placed("uses: team, ranks: 9").problems, HasSubstr("'team' takes 1 to 8 ranks, not 9"));
  EXPECT_THAT(placed("uses: p2p, devices: each").problems, HasSubstr("needs more than one device"));
  EXPECT_THAT(placed("uses: p2p, devices: 3").problems, HasSubstr("not on 3 cuda devices"));
  EXPECT_THAT(placed("uses: gemm@cuda, devices: pairs").problems, HasSubstr("write 'devices: each'"));
  EXPECT_THAT(placed("uses: gemm@cuda, devices: [host:0]").problems, HasSubstr("'host:0' is no cuda device"));
  EXPECT_THAT(placed("uses: collective, with: {op: broadcast}, devices: 4, ranks: 3").problems,
              HasSubstr("4 cuda devices can't be shared evenly by 3 ranks"));
}

TEST(Devices, StaySymbolicWithoutAnInventory) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, devices: each}\n"
      "  - {id: b, uses: p2p, devices: pairs}\n"
      "  - {id: c, uses: collective, with: {op: broadcast}, devices: 8, matrix: {bind: [local]}}\n"
      "  - {id: d, uses: gemm@cuda, devices: 8}\n",
      nullptr);

  EXPECT_EQ(planned.problems, "");
  EXPECT_THAT(planned.ids(), ElementsAre("a[device=cuda:*]", "b[device=cuda:*-cuda:*]", "c[bind=local]",
                                         "d[device=cuda:*]"));
  EXPECT_EQ(planned.plan.cases[2].placement.ranks.size(), 8U);
  EXPECT_FALSE(planned.plan.cases[2].settled);
  EXPECT_THAT(planned.plan.unmet, IsEmpty());
}

// ---- What this machine lacks
// --------------------------------------------------------------------------------------------

Planned on_gpus(int gpus, const std::string& body) {
  const system::Inventory inventory = example_inventory(gpus);
  return plan_suite(body, &inventory);
}

std::string unmet_of(const Planned& planned) {
  std::string text;
  for (const Unmet& entry : planned.plan.unmet) text += entry.text + "\n";
  return text;
}

TEST(Requirements, OfTheSuiteThatAreUnmetAreNamed) {
  EXPECT_EQ(unmet_of(on_gpus(4, "requires: {backend: cuda, devices: 8}\ncases:\n  - {id: a, uses: gemm}\n")),
            "8 cuda devices are required; 4 found\n");
  EXPECT_EQ(
      unmet_of(on_gpus(
          4,
          "requires: {backend: cuda, devices: \">=2\", memory: 200GB}\ncases:\n  - {id: a, uses: gemm}\n")),
      "200GB of memory is required on each device; cuda:0 has 150GB\n");
  EXPECT_EQ(unmet_of(on_gpus(8, "requires: {backend: cuda, devices: 8}\ncases:\n  - {id: a, uses: gemm}\n")),
            "");
  EXPECT_EQ(unmet_of(on_gpus(0, "requires: {backend: [cuda, host]}\ncases:\n  - {id: a, uses: gemm}\n")), "");
}

TEST(Requirements, OfABackendThatIsNotThereLeaveTheCaseNotRun) {
  const Planned planned = on_gpus(
      0, "cases:\n  - {id: a, uses: gemm, devices: each, expect: [spread(throughput over device) <= 5%]}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_EQ(unmet_of(planned), "'a' cannot run: no cuda device is there: no NVIDIA driver is loaded\n");
  ASSERT_EQ(planned.plan.cases.size(), 1U);
  EXPECT_EQ(planned.plan.cases[0].settled, result::Outcome::not_run);
  EXPECT_EQ(planned.plan.cases[0].settled_reason.code, "requires.unmet");
  EXPECT_THAT(planned.plan.order, IsEmpty());
}

TEST(Requirements, FallBackToTheHostOnlyIfItIsListed) {
  const std::string listed = "requires: {backend: [cuda, host]}\ncases:\n  - {id: a, uses: gemm}\n";
  EXPECT_EQ(on_gpus(0, listed).plan.cases.at(0).manifest->backend, "host");
  EXPECT_EQ(on_gpus(1, listed).plan.cases.at(0).manifest->backend, "cuda");
  EXPECT_EQ(on_gpus(0, "cases:\n  - {id: a, uses: gemm}\n").plan.cases.at(0).manifest->backend, "cuda");
}

TEST(Requirements, OfACaseSkipIt) {
  const Planned planned = on_gpus(
      1,
      "cases:\n  - {id: a, uses: gemm@cuda, requires: {devices: \">=2\"}}\n  - {id: b, uses: gemm@cuda}\n");

  EXPECT_EQ(planned.plan.cases[0].settled, result::Outcome::skipped);
  EXPECT_EQ(planned.plan.cases[0].settled_reason.text, "at least 2 cuda devices are required; 1 found");
  EXPECT_FALSE(planned.plan.cases[1].settled);
  EXPECT_EQ(planned.plan.order.size(), 1U);
  EXPECT_EQ(unmet_of(planned), "");
}

TEST(Requirements, OfTheBenchmarkItselfSkipTheCase) {
  const Planned planned =
      on_gpus(1,
              "cases:\n"
              "  - {id: a, uses: p2p, devices: pairs, expect: [spread(bandwidth over device) <= 5%]}\n"
              "  - {id: b, uses: collective, with: {op: broadcast}, devices: all}\n"
              "  - {id: c, uses: p2p}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_EQ(planned.plan.cases[0].settled_reason.text, "pairs need two devices; 1 found");
  EXPECT_THAT(planned.plan.cases[1].settled_reason.text, HasSubstr("not on 1 cuda device"));
  EXPECT_THAT(planned.plan.cases[2].settled_reason.text, HasSubstr("needs 2 cuda devices; 1 found"));
  EXPECT_EQ(unmet_of(planned), "");
}

TEST(Requirements, OfDevicesByNumberOrNameAreUnmetIfTheyAreNotThere) {
  EXPECT_EQ(
      unmet_of(on_gpus(2, "cases:\n  - {id: a, uses: collective, with: {op: broadcast}, devices: 4}\n")),
      "'devices: 4' needs 4 cuda devices; 2 found\n");
  EXPECT_EQ(unmet_of(on_gpus(2, "cases:\n  - {id: a, uses: gemm@cuda, devices: [cuda:5]}\n")),
            "'cuda:5' is not there; cuda:0, cuda:1 are\n");
}

TEST(Requirements, OfLibrariesSkipTheCasesOfThePlugin) {
  const system::Inventory inventory = example_inventory(1);
  Options options;
  options.missing_libraries.emplace();
  (*options.missing_libraries)["org.assay.cuda-work"] = {"needs libx.so.1 (searched: …)"};

  const Planned planned =
      plan_suite("cases:\n  - {id: a, uses: gemm@cuda}\n  - {id: b, uses: gemm@host}\n", &inventory, options);

  EXPECT_EQ(planned.plan.cases[0].settled_reason.code, "needs.library");
  EXPECT_EQ(planned.plan.cases[0].settled_reason.text, "needs libx.so.1 (searched: …)");
  EXPECT_FALSE(planned.plan.cases[1].settled);
  EXPECT_EQ(planned.plan.missing_libraries, *options.missing_libraries);
}

TEST(Conditions, ThatThePluginDoesNotHonourSkipTheCase) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {cache: [hot, rotating]}, measure: {thermal: sustained}}\n"
      "  - {id: b, uses: gemm@host, measure: {cache: cold}}\n");

  EXPECT_FALSE(planned.plan.cases[0].settled);
  EXPECT_EQ(planned.plan.cases[0].conditions.thermal, "sustained");
  EXPECT_EQ(planned.plan.cases[1].settled_reason.code, "condition.unsupported");
  EXPECT_EQ(planned.plan.cases[1].settled_reason.text, "gemm@cuda cannot measure cache: rotating");
  EXPECT_EQ(planned.plan.cases[2].settled_reason.text, "gemm@host cannot measure cache: cold");
}

TEST(Bind, IsResolvedToCpusAndNodesOfEachRank) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: hostcopy, devices: [cuda:3], matrix: {bind: [none, inherit, local, remote, {cpu: "
      "node:0, memory: node:1}]}}\n");

  ASSERT_EQ(planned.plan.cases.size(), 5U) << planned.problems;
  const auto rank = [&](std::size_t i) { return planned.plan.cases[i].placement.ranks.at(0); };
  EXPECT_EQ(rank(0).cpus, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(rank(1).cpus.empty());
  EXPECT_EQ(rank(2).cpus, (std::vector<int>{2, 3}));
  EXPECT_EQ(rank(2).memory_nodes, std::vector<int>{1});
  EXPECT_EQ(rank(3).memory_nodes, std::vector<int>{0});
  EXPECT_EQ(rank(4).cpus, (std::vector<int>{0, 1}));
  EXPECT_EQ(rank(4).memory_nodes, std::vector<int>{1});
  EXPECT_EQ(planned.plan.cases[4].id, "a[bind=cpu:node:0/memory:node:1,device=cuda:3]");
}

TEST(Bind, ThatIsImpossibleSkipsTheCaseAndSaysWhy) {
  const Planned planned = plan_suite("cases:\n  - {id: a, uses: membw, bind: local}\n");

  EXPECT_EQ(planned.plan.cases.at(0).settled_reason.text,
            "bind: local is not possible: 'host:0' does not say which NUMA node it is at");
}

// ---- How it is measured
// ---------------------------------------------------------------------------------------------------

TEST(Measure, HasDefaultsThatFitTogether) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@host}\n"
      "  - {id: b, uses: gemm@host, measure: {max_time: 30min, warmup: 0}}\n"
      "  - {id: c, uses: gemm@host, timeout: 4s}\n");

  EXPECT_EQ(planned.plan.cases[0].measure.precision, 0.005);
  EXPECT_EQ(planned.plan.cases[0].measure.max_time_s, 10);
  EXPECT_EQ(planned.plan.cases[0].measure.warmup, -1);
  EXPECT_EQ(planned.plan.cases[0].timeout_s, 600);
  EXPECT_GT(planned.plan.cases[1].timeout_s, 1800);
  EXPECT_EQ(planned.plan.cases[1].measure.warmup, 0);
  EXPECT_EQ(planned.plan.cases[2].measure.max_time_s, 2);
}

TEST(Measure, QuickIsOneRoundTwentySamplesOneSecond) {
  Options options;
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
  Options options;
  options.filters = {"dtype=fp32", "^b$"};
  const std::string body =
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16]}, reference: {dtype: bf16}}\n"
      "  - {id: b, uses: gemm@host}\n"
      "  - {id: bb, uses: gemm@host}\n";
  const Planned planned = plan_suite(body, &inventory, options);

  EXPECT_THAT(planned.ids(), ElementsAre("a[dtype=fp32]", "b"));
  EXPECT_TRUE(planned.plan.cases[0].has_reference_key);
  EXPECT_EQ(planned.plan.cases[0].reference, "");
  options.filters = {"a[dtype"};
  EXPECT_THROW((void)plan_suite(body, &inventory, options), Error);
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

// ---- Expressions
// ----------------------------------------------------------------------------------------------------------

TEST(Expressions, AreCheckedAgainstTheBenchmark) {
  const Planned planned = plan_suite(
      "derive: {efficiency: throughput / power, odd: bandwith / power}\n"
      "cases:\n"
      "  - id: a\n"
      "    uses: gemm@cuda\n"
      "    matrix: {dtype: [fp32, bf16]}\n"
      "    expect:\n"
      "      - troughput >= 1 TFLOP/s\n"
      "      - throughput >= 1 GB/s\n"
      "      - throughput >= 60% of peak\n"
      "      - latency <= 60% of peak\n"
      "      - throughput >= 60% of reference\n"
      "      - temperature <= 85 C\n"
      "      - efficiency >= 1 FLOP/J\n"
      "      - algorithm == \"tree\"\n"
      "      - algorithm >= 3\n"
      "      - dtype == \"bf16\"\n"
      "      - latency == \"bf16\"\n"
      "      - spread(throughput over device) <= 5%\n"
      "      - spread(throughput over dtyp) <= 5%\n"
      "      - p99(latency) <= 1ms\n"
      "      - p99(workspace) <= 1MiB\n"
      "      - time <= 1ms\n");

  EXPECT_EQ(
      planned.problems,
      "t.yaml:3:47: error: 'gemm' has no metric 'bandwith' (it has throughput, latency, workspace, time)\n"
      "t.yaml:9:9: error: 'gemm' has no metric 'troughput' (did you mean 'throughput'?)\n"
      "t.yaml:10:20: error: this compares an operation rate (throughput) with a data rate (1GB/s) (both "
      "sides must be "
      "of one kind)\n"
      "t.yaml:12:20: error: no peak is defined for 'latency' of 'gemm' (write the limit as a quantity, in "
      "s)\n"
      "t.yaml:13:23: error: the case has no reference row (name one with 'reference: {axis: value}')\n"
      "t.yaml:17:9: error: 'algorithm' is text and no number (compare it with text: algorithm == \"…\")\n"
      "t.yaml:19:9: error: 'latency' is a number and can't be compared with text (write a quantity)\n"
      "t.yaml:20:9: error: 'device' is no axis of this case (rows tell devices apart with 'devices: each' or "
      "'pairs')\n"
      "t.yaml:21:9: error: 'dtyp' is no axis of this case (did you mean 'dtype'?)\n"
      "t.yaml:23:9: error: p99() looks at single iterations, and 'workspace' is recorded once (compare the "
      "metric "
      "itself)\n");
}

TEST(Expressions, OfFindingsAreCheckedAgainstTheirCases) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16]}}\n"
      "findings:\n"
      "  - id: f\n"
      "    question: Is it?\n"
      "    let: {x: \"a[dtype=fp32].throughput\", y: \"a[dtype=bf16].latency\"}\n"
      "    claim: x > y\n"
      "  - id: g\n"
      "    question: Is it?\n"
      "    let: {x: \"a[dtype=fp32].throughputt\", y: \"a[dtype=bf16, device=cuda:0].throughput\"}\n"
      "    claim: x > y\n");

  EXPECT_THAT(planned.problems,
              HasSubstr("t.yaml:9:14: error: this compares an operation rate (x) with a time (y)"));
  EXPECT_THAT(planned.problems,
              HasSubstr("error: 'gemm' has no metric 'throughputt' (did you mean 'throughput'?)"));
  EXPECT_THAT(planned.problems, HasSubstr("error: the rows of case 'a' don't tell devices apart"));
}

// ---- Order and hash
// ---------------------------------------------------------------------------------------------------------

std::vector<Case> cases_with_keys(const std::vector<std::string>& keys, int rounds) {
  std::vector<Case> cases(keys.size());
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
    for (std::size_t i = 0; i < 6; ++i) ASSERT_EQ(order[i].case_index, order[11 - i].case_index);
  }
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
  cases[2].settled = result::Outcome::skipped;

  EXPECT_EQ(visit_order(cases, 3, 1).size(), 4U);
}

TEST(Plan, HasAHashThatFollowsWhatCanChangeAResult) {
  const auto hash = [](const std::string& body, std::uint64_t seed) {
    const system::Inventory inventory = example_inventory(2);
    Options options;
    options.seed = seed;
    return plan_suite(body, &inventory, options).plan.hash;
  };
  const std::string body = "cases:\n  - {id: a, uses: gemm@cuda, with: {m: 5}}\n";

  EXPECT_EQ(hash(body, 1), hash(body, 1));
  EXPECT_NE(hash(body, 1), hash(body, 2));
  EXPECT_NE(hash(body, 1), hash("cases:\n  - {id: a, uses: gemm@cuda, with: {m: 6}}\n", 1));
  EXPECT_EQ(hash(body, 1).size(), 64U);
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

TEST(Plan, IsShownAsCompactJson) {
  const Planned planned =
      plan_suite("cases:\n  - {id: a, uses: hostcopy, with: {bytes: 1KiB}, env: {X: ~}, bind: local}\n");

  EXPECT_EQ(
      to_json(planned.plan)["cases"].dump(),
      R"([{"id":"a","benchmark":"hostcopy","plugin":"org.assay.cuda-work",)"
      R"("parameters":{"direction":"h2d","bytes":1024,"pause":0},"environment":{"X":null},)"
      R"("placement":{"bind":"local","load":"alone","ranks":[{"devices":["cuda:0"],"cpus":"0-1","memory_nodes":"0"}]},)"
      R"("conditions":{"cache":"default","launch":"default","data":"default","thermal":"default","seed":1},)"
      R"("measure":{"precision":0.005,"max_time_s":10.0},"timeout_s":600.0,"rounds":1}])");
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
