// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_test_support.hpp"
#include "plan/required_libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace assay::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

TEST(Requirements, OfADriverAreComparedNumberByNumber) {
  system::Inventory inventory = example_inventory(2);
  const auto lacking = [&](const std::string& driver) {
    return unmet_of(
        plan_suite("requires: {backend: cuda, driver: \"" + driver + "\"}\ncases:\n  - {id: a, uses: gemm}\n",
                   &inventory));
  };
  const auto cuda = std::find_if(inventory.backends.begin(), inventory.backends.end(),
                                 [](const auto& backend) { return backend.name == "cuda"; });
  cuda->facts["driver"] = "580.65.06";
  for (const char* met : {">=580", ">=580.65.6", ">= 9.100", "580", "580.65"})
    EXPECT_EQ(lacking(met), "") << met;
  for (const char* unmet : {">=580.65.07", ">=581", "580.6", "58"})
    EXPECT_THAT(lacking(unmet), HasSubstr("is required; cuda has 580.65.06")) << unmet;
  cuda->facts["driver"] = "open 1.0";
  EXPECT_THAT(lacking("2.0"), HasSubstr("is required; cuda has open 1.0")) << "a name is not a version";
  EXPECT_THAT(lacking(">=0"), HasSubstr("is required; cuda has open 1.0"));
  cuda->facts.erase("driver");
  EXPECT_THAT(lacking(">=1"), HasSubstr("does not say which it has"));
}

TEST(Requirements, OfLibrariesAreThoseThatPluginsNeed) {
  catalog::Catalog catalog = example_catalog();
  catalog::Manifest needing;
  needing.id = "org.assay.needing";
  needing.needs = {{"libcublasLt.so.13", "apt-get install cuda-libraries"}};
  catalog.add(std::move(needing));
  std::vector<std::string> missing;
  const auto lacking = [&](const std::string& name, Diagnostics& diagnostics) {
    return lacking_library(
        {name, {"t.yaml", 3, 1}}, catalog,
        [&](const catalog::Manifest& manifest) {
          return manifest.needs.empty() ? std::vector<std::string>() : missing;
        },
        diagnostics);
  };
  Diagnostics none, problems;
  EXPECT_EQ(lacking("cublasLt", none), "");
  missing = {"needs libcublasLt.so.13 (searched: nowhere)"};
  EXPECT_EQ(lacking("cublasLt", none), "org.assay.needing needs libcublasLt.so.13 (searched: nowhere)");
  EXPECT_FALSE(none.has_errors());
  EXPECT_EQ(lacking("cublaslt", problems), "");
  EXPECT_THAT(to_text(problems.sorted().at(0)), HasSubstr("did you mean 'cublasLt'?"));
}

TEST(Requirements, OfABackendThatIsNotThereLeaveTheCaseNotRun) {
  const Planned planned = on_gpus(
      0, "cases:\n  - {id: a, uses: gemm, devices: each, expect: [spread(throughput over device) <= 5%]}\n");

  EXPECT_EQ(planned.problems, "");
  EXPECT_EQ(unmet_of(planned),
            "'a' cannot run: no cuda device is there: no NVIDIA driver is loaded; on the host it is 'uses: "
            "gemm@host'\n");
  ASSERT_EQ(planned.plan.cases.size(), 1U);
  EXPECT_EQ(planned.plan.cases[0].predetermined, result::Outcome::not_run);
  EXPECT_EQ(planned.plan.cases[0].predetermined_reason.code, "requires.unmet");
  EXPECT_THAT(planned.plan.order, IsEmpty());
}

TEST(Requirements, ThatNameAMisspeltBackendAreErrorsAtThatName) {
  EXPECT_EQ(
      on_gpus(4, "requires: {backend: cdua}\ncases:\n  - {id: a, uses: gemm}\n  - {id: b, uses: gemm}\n")
          .problems,
      "t.yaml:3:21: error: unknown backend 'cdua' (did you mean 'cuda'?)\n");
  EXPECT_EQ(on_gpus(4, "cases:\n  - {id: a, uses: gemm, backend: [cdua, hosst]}\n").problems,
            "t.yaml:4:35: error: unknown backend 'cdua' (did you mean 'cuda'?)\n"
            "t.yaml:4:41: error: unknown backend 'hosst' (did you mean 'host'?)\n");
  EXPECT_EQ(on_gpus(4, "cases:\n  - {id: a, uses: gemm@cdua}\n").problems,
            "t.yaml:4:19: error: unknown backend 'cdua' (did you mean 'cuda'?)\n");
}

TEST(Requirements, OfACaseThatNamesNoBackendSayWhatTheHostOffers) {
  EXPECT_THAT(unmet_of(on_gpus(0, "cases:\n  - {id: a, uses: gemm}\n")),
              HasSubstr("; on the host it is 'uses: gemm@host'"));
  EXPECT_THAT(unmet_of(on_gpus(0, "cases:\n  - {id: a, uses: collective, with: {op: broadcast}}\n")),
              Not(HasSubstr("on the host")));
}

TEST(Requirements, FallBackToTheHostOnlyIfItIsListed) {
  const std::string listed = "requires: {backend: [cuda, host]}\ncases:\n  - {id: a, uses: gemm}\n";
  EXPECT_EQ(on_gpus(0, listed).plan.cases.at(0).manifest->backend, "host");
  EXPECT_EQ(on_gpus(1, listed).plan.cases.at(0).manifest->backend, "cuda");
  EXPECT_EQ(on_gpus(0, "cases:\n  - {id: a, uses: gemm}\n").plan.cases.at(0).manifest->backend, "cuda");
}

TEST(Requirements, OfACaseAreThoseOfTheRun) {
  const Planned planned = on_gpus(
      1,
      "cases:\n  - {id: a, uses: gemm@cuda, requires: {devices: \">=2\"}}\n  - {id: b, uses: gemm@cuda}\n");

  EXPECT_EQ(planned.plan.cases[0].predetermined, result::Outcome::not_run);
  EXPECT_EQ(planned.plan.cases[0].predetermined_reason.code, "requires.unmet");
  EXPECT_EQ(unmet_of(planned), "'a' cannot run: at least 2 cuda devices are required; 1 found\n");
}

TEST(Requirements, UnderWhenSkipTheCase) {
  const Planned planned = on_gpus(
      1, "cases:\n  - {id: a, uses: gemm@cuda, when: {devices: \">=2\"}}\n  - {id: b, uses: gemm@cuda}\n");

  EXPECT_EQ(planned.plan.cases[0].predetermined, result::Outcome::skipped);
  EXPECT_EQ(planned.plan.cases[0].predetermined_reason.code, "when.unmet");
  EXPECT_EQ(planned.plan.cases[0].predetermined_reason.text, "at least 2 cuda devices are required; 1 found");
  EXPECT_FALSE(planned.plan.cases[1].predetermined);
  EXPECT_EQ(planned.plan.order.size(), 3U) << "the rounds of the other";
  EXPECT_EQ(unmet_of(planned), "");
}

TEST(Requirements, UnderWhenLetACaseGoWithoutItsBackend) {
  const Planned planned = on_gpus(
      0, "cases:\n  - {id: a, uses: gemm@cuda, when: {backend: cuda}}\n  - {id: b, uses: gemm@host}\n");

  EXPECT_EQ(planned.plan.cases[0].predetermined, result::Outcome::skipped);
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
  EXPECT_EQ(planned.plan.cases[0].predetermined_reason.text, "pairs need two devices; 1 found");
  EXPECT_THAT(planned.plan.cases[1].predetermined_reason.text, HasSubstr("not on 1 cuda device"));
  EXPECT_THAT(planned.plan.cases[2].predetermined_reason.text, HasSubstr("needs 2 cuda devices; 1 found"));
  EXPECT_EQ(unmet_of(planned), "");
}

TEST(Requirements, OfDevicesByNumberOrNameAreUnmetIfTheyAreNotThere) {
  EXPECT_EQ(
      unmet_of(on_gpus(2, "cases:\n  - {id: a, uses: collective, with: {op: broadcast}, devices: 4}\n")),
      "'a' cannot run: 'devices: 4' needs 4 cuda devices; 2 found\n");
  EXPECT_EQ(unmet_of(on_gpus(2, "cases:\n  - {id: a, uses: gemm@cuda, devices: [cuda:5]}\n")),
            "'a' cannot run: 'cuda:5' is not there; cuda:0, cuda:1 are\n");
}

TEST(Requirements, OfCasesThatAreFilteredOutDoNotCount) {
  const system::Inventory inventory = example_inventory(0);
  PlanOptions options;
  options.filters = {"^host$"};

  const Planned planned = plan_suite(
      "cases:\n  - {id: gpu, uses: gemm@cuda}\n  - {id: host, uses: gemm@host}\n", &inventory, options);

  EXPECT_EQ(unmet_of(planned), "");
  EXPECT_EQ(planned.plan.cases.size(), 1U);
}

TEST(Requirements, AMissingLibrarySkipsTheCasesOfItsPlugin) {
  const system::Inventory inventory = example_inventory(1);
  PlanOptions options;
  options.missing_libraries.emplace();
  (*options.missing_libraries)["org.assay.cuda-work"] = {"needs libx.so.1 (searched: …)"};

  const Planned planned =
      plan_suite("cases:\n  - {id: a, uses: gemm@cuda}\n  - {id: b, uses: gemm@host}\n", &inventory, options);

  EXPECT_EQ(planned.plan.cases[0].predetermined_reason.code, "needs.library");
  EXPECT_EQ(planned.plan.cases[0].predetermined_reason.text, "needs libx.so.1 (searched: …)");
  EXPECT_FALSE(planned.plan.cases[1].predetermined);
  EXPECT_EQ(planned.plan.missing_libraries, *options.missing_libraries);
}

TEST(Requirements, OfAnIncludedFileHoldBesideThoseOfItsCases) {
  const system::Inventory four = example_inventory(4);
  const std::string cases = "cases:\n  - {id: a, uses: gemm@cuda, requires: {devices: \">=1\"}}\n";
  const std::string eight = "requires: {devices: 8}\n";
  const auto unmet = [&](const std::map<std::string, std::string>& files) {
    return unmet_of(plan_suite("include: one.yaml\n", &four, {}, files));
  };
  const std::string expected = "'a' cannot run: 8 cuda devices are required; 4 found\n";
  EXPECT_EQ(unmet({{"one.yaml", eight + cases}}), expected);
  EXPECT_EQ(unmet({{"one.yaml", eight + "include: two.yaml\n"}, {"two.yaml", cases}}), expected);
  EXPECT_EQ(unmet({{"one.yaml", cases}}), "");
}

TEST(Conditions, ThatThePluginDoesNotSupportSkipTheCase) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {cache: [hot, rotating]}, measure: {thermal: sustained}}\n"
      "  - {id: b, uses: gemm@host, measure: {cache: cold}}\n");

  EXPECT_FALSE(planned.plan.cases[0].predetermined);
  EXPECT_EQ(planned.plan.cases[0].measure.thermal, model::Thermal::sustained);
  EXPECT_EQ(planned.plan.cases[1].predetermined_reason.code, "condition.unsupported");
  EXPECT_EQ(planned.plan.cases[1].predetermined_reason.text, "gemm@cuda cannot measure cache: rotating");
  EXPECT_EQ(planned.plan.cases[2].predetermined_reason.text, "gemm@host cannot measure cache: cold");
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

  EXPECT_EQ(planned.plan.cases.at(0).predetermined_reason.text,
            "bind: local is not possible: 'host:0' does not say which NUMA node it is at");
}

}  // namespace
}  // namespace assay::plan
