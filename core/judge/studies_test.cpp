// SPDX-License-Identifier: Apache-2.0
//
// The guards of docs/reference/guards.md, fed with the numbers of the studies that each would have stopped
// (docs/studies.md).
#include "judge/judge_test_world.hpp"
#include "model/field_json.hpp"
#include "suite/rule.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace assay::judge {
namespace {

using ::testing::HasSubstr;

// A case whose headline is a rate of its own unit and of its own peak, or of none.
struct StudyOf {
  World world;
  std::size_t written;
  explicit StudyOf(const std::string& benchmark, const std::string& unit, double peak = 0) {
    catalog::Benchmark& one = world.manifest.benchmarks[0];
    one.name = benchmark;
    one.metrics[0].name = "rate";
    one.metrics[0].unit = unit;
    one.metrics[0].peak = "limit";
    written = world.suite_case("step");
    for (system::Device& device : world.inventory.backends[0].devices) {
      device.facts = Json::object();
      if (peak <= 0) continue;
      Json& limit = device.facts["peaks"]["limit"];
      limit["value"] = peak;
      limit["source"] = "NVIDIA H100 datasheet";
    }
  }
  std::string row(const World::Axes& axes, const std::vector<double>& rates, std::size_t ranks = 1) {
    const std::string id = world.planned(written, axes, static_cast<int>(rates.size()));
    plan::PlannedCase& planned = world.case_of(id);
    while (planned.placement.ranks.size() < ranks)
      planned.placement.ranks.push_back(
          {static_cast<int>(planned.placement.ranks.size()), {"host:0"}, {}, {}});
    for (std::size_t i = 0; i < rates.size(); ++i) {
      // The same work in each round, in the time that makes this rate of it.
      result::Visit& visit = world.visit(id, World::around(rates.front() / rates[i], 50, 0.0005, i + 1),
                                         static_cast<int>(i) + 1);
      visit.work = {{"rate", rates.front() / static_cast<double>(ranks)}};
      while (visit.ranks.size() < ranks) {
        visit.ranks.push_back(visit.ranks.front());
        visit.ranks.back().rank = static_cast<int>(visit.ranks.size()) - 1;
      }
    }
    return id;
  }
  Json finding(const std::string& claim, const std::vector<std::pair<std::string, std::string>>& let) {
    suite::SuiteFinding finding;
    finding.id.value = "f";
    finding.claim_text = claim;
    finding.claim = World::parse(claim);
    for (const auto& [name, text] : let) finding.let.push_back({{name, {}}, World::parse(text)});
    world.suite.findings = {finding};
    return world.document().at("findings").at(0);
  }
};

// The rules that come with Assay, as a journal has them.
Json shipped_rules(const std::string& name) {
  std::ifstream file(source_folder() / "suites/rules" / name);
  std::stringstream text;
  text << file.rdbuf();
  Diagnostics diagnostics;
  Json rules = Json::array();
  for (const suite::Rule& rule : suite::parse_rules(name, text.str(), diagnostics))
    rules.push_back(model::to_json(rule));
  EXPECT_FALSE(diagnostics.has_errors());
  return rules;
}

std::vector<std::string> told(const Json& document) {
  std::vector<std::string> rules;
  if (document.contains("diagnoses"))
    for (const Json& each : document.at("diagnoses")) rules.push_back(each.at("rule"));
  return rules;
}

TEST(Studies, G1AStepIsNotFasterThanItsMatrixUnits) {
  // 41,480 tokens/s of a GPU beside a model of 7.6e9 parameters: 6 and, of LoRA, 4 operations for each of them.
  for (const double flop_of_a_token : {6 * 7.6e9, 4 * 7.6e9}) {
    StudyOf study("train_step", "FLOP/s", 989.4e12);
    study.row({}, {41480 * flop_of_a_token});
    const Json judged = study.world.judged();
    EXPECT_EQ(judged.at("outcome"), "invalid");
    EXPECT_EQ(judged.at("reason").at("code"), "guard.rate-above-peak");
  }
}

TEST(Studies, G4ASecondNodeDoesNotDoLessUnnoticed) {
  StudyOf study("train_step", "items/s");
  study.row({{"ranks", "8"}}, {331842, 331800, 331900}, 8);
  const std::string id = study.row({{"ranks", "16"}}, {136970, 136900, 137000}, 16);
  const Json flags = study.world.judged(id).at("flags");
  const auto found = std::find_if(flags.begin(), flags.end(),
                                  [](const Json& flag) { return flag.at("code") == "slower_together"; });
  ASSERT_NE(found, flags.end()) << flags;
  EXPECT_THAT(found->at("text").get<std::string>(), HasSubstr("16 make"));
}

TEST(Studies, RowsOfMoreDevicesMayHaveARankForEach) {
  const auto on_devices_of_their_own = [](StudyOf& study, const std::string& id) {
    int number = 0;
    for (auto& rank : study.world.case_of(id).placement.ranks)
      rank.devices = {"host:" + std::to_string(number++)};
  };
  StudyOf study("pipeline", "items/s");
  on_devices_of_their_own(study, study.row({{"devices", "2"}}, {748.5, 748.1, 748.9}, 2));
  const std::string four = study.row({{"devices", "4"}}, {1403.8, 1403.1, 1404.2}, 4);
  EXPECT_EQ(
      study.finding("four >= 1.85 * two", {{"two", "step[devices=2].rate"}, {"four", "step[devices=4].rate"}})
          .at("verdict"),
      "not_comparable")
      << "four ranks on one device";
  on_devices_of_their_own(study, four);
  const Json found = study.finding("four >= 1.85 * two",
                                   {{"two", "step[devices=2].rate"}, {"four", "step[devices=4].rate"}});
  EXPECT_EQ(found.at("verdict"), "confirmed") << found;
}

TEST(Studies, G4MoreThatDoMoreAreNotFlagged) {
  StudyOf study("train_step", "items/s");
  study.row({{"ranks", "4"}}, {37510, 37500, 37520}, 4);
  const std::string id = study.row({{"ranks", "8"}}, {64596, 64500, 64600}, 8);
  EXPECT_THAT(study.world.judged(id).at("flags").dump(), ::testing::Not(HasSubstr("slower_together")));
}

TEST(Studies, G5AnEfficiencyIsOfRowsThatDifferInNothingElse) {
  StudyOf study("train_step", "items/s");
  const std::string one = study.row({}, {2640, 2598, 2620});
  study.written = study.world.suite_case("four");
  const std::string four = study.row({}, {37510, 36926, 37200}, 4);
  Json& alone = study.world.case_of(one).parameters;
  alone["dtype"] = "fp32";
  alone["workers"] = 0;
  alone["batch"] = 32;
  Json& together = study.world.case_of(four).parameters;
  together["dtype"] = "fp16";
  together["workers"] = 8;
  together["batch"] = 1024;
  const Json judged =
      study.finding("four / (4 * one) >= 89%", {{"four", "four[].rate"}, {"one", "step[].rate"}});
  EXPECT_EQ(judged.at("verdict"), "not_comparable");
  EXPECT_THAT(judged.at("why").get<std::string>(),
              HasSubstr("batch, devices, dtype, ranks, workers: more than one thing"));
}

TEST(Studies, G6AnAnswerAboutSeveralChangesSaysSo) {
  StudyOf study("train_step", "items/s");
  study.row({{"batch", "32"}, {"dtype", "bf16"}, {"workers", "32"}}, {17511, 17400, 17600});
  study.row({{"batch", "256"}, {"dtype", "fp16"}, {"workers", "8"}}, {37510, 37300, 37700});
  const Json judged =
      study.finding("ddp >= 2 * independent", {{"ddp", "step[batch=256,dtype=fp16,workers=8].rate"},
                                               {"independent", "step[batch=32,dtype=bf16,workers=32].rate"}});
  EXPECT_EQ(judged.at("verdict"), "confirmed");
  EXPECT_THAT(judged.at("notes").dump(), HasSubstr("differ in batch, dtype, workers"));
}

TEST(Studies, G6AnAnswerAboutManyChangesNamesFiveOfThem) {
  StudyOf study("train_step", "items/s");
  World::Axes before, after;
  std::string left, right;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    before.emplace_back(name, "1");
    after.emplace_back(name, "2");
    left += (left.empty() ? "" : ",") + std::string(name) + "=1";
    right += (right.empty() ? "" : ",") + std::string(name) + "=2";
  }
  study.row(before, {100, 101, 102});
  study.row(after, {300, 301, 302});
  const Json judged = study.finding(
      "fast >= 2 * slow", {{"fast", "step[" + right + "].rate"}, {"slow", "step[" + left + "].rate"}});
  EXPECT_THAT(judged.at("notes").dump(), HasSubstr("differ in a, b, c, d, e and 2 more."));
}

TEST(Studies, G6AnAnswerAboutOneChangeNeedsNoNote) {
  StudyOf study("train_step", "items/s");
  study.row({{"ranks", "1"}}, {9400, 9390, 9410});
  study.row({{"ranks", "4"}}, {37510, 37300, 37700}, 4);
  const Json judged =
      study.finding("four >= 3 * one", {{"four", "step[ranks=4].rate"}, {"one", "step[ranks=1].rate"}});
  EXPECT_EQ(judged.at("verdict"), "confirmed");
  EXPECT_FALSE(judged.contains("notes")) << judged;
}

TEST(Studies, G7ADifferenceWithinTheScatterOfRunsIsNotShown) {
  StudyOf study("train_step", "items/s");
  // Two runs of the same FP16 settings differ by 5.6 %, and a third may lie between; BF16 is said to be 2.5 % slower.
  study.row({{"dtype", "fp16"}}, {37510, 35408, 36459});
  study.row({{"dtype", "bf16"}}, {34545, 34545, 34545});
  const std::vector<std::pair<std::string, std::string>> let = {{"fp16", "step[dtype=fp16].rate"},
                                                                {"bf16", "step[dtype=bf16].rate"}};
  EXPECT_EQ(study.finding("fp16 > bf16", let).at("verdict"), "undecided");
}

TEST(Studies, G7ADifferenceBelowWhatCountsIsRefuted) {
  StudyOf study("train_step", "items/s");
  study.row({{"bind", "local"}}, {31600, 31610, 31590});
  study.row({{"bind", "none"}}, {31500, 31510, 31490});
  const Json judged =
      study.finding("bound > free", {{"bound", "step[bind=local].rate"}, {"free", "step[bind=none].rate"}});
  EXPECT_EQ(judged.at("verdict"), "refuted") << "0.3 %";
}

// Accuracy of the same settings, 0.468 and 0.507, is said to differ by what was changed.
TEST(Studies, G7OneRunEachShowsNothing) {
  StudyOf study("train_step", "items/s");
  study.row({{"bind", "none"}}, {0.468});
  study.row({{"bind", "local"}}, {0.507});
  const Json judged =
      study.finding("bound > free", {{"bound", "step[bind=local].rate"}, {"free", "step[bind=none].rate"}});
  EXPECT_EQ(judged.at("verdict"), "undecided");
  EXPECT_THAT(judged.at("why").get<std::string>(), HasSubstr("a verdict needs at least three"));
}

TEST(Studies, G8ARingIsNotFasterThanItsLinks) {
  StudyOf study("collective", "B/s", 400e9);
  study.world.manifest.benchmarks[0].metrics[0].name = "bus_bandwidth";
  study.world.header.rules = shipped_rules("environment.yaml");
  const std::string id = study.world.planned(study.written, {});
  study.world.visit(id, World::around(1)).work = {{"bus_bandwidth", 435.91e9}};
  EXPECT_THAT(told(study.world.document()), ::testing::IsEmpty()) << "no algorithm was forced";
  study.world.header.environment["NCCL_ALGO"] = "Ring";
  const Json document = study.world.document();
  EXPECT_THAT(told(document), ::testing::ElementsAre("algorithm-forced", "ring-above-its-links"));
  EXPECT_THAT(document.at("diagnoses").at(1).at("cases").at(0).at("evidence").dump(),
              HasSubstr("bus_bandwidth > 102% of peak: 436 GB/s, limit 408 GB/s"));
  study.world.visits.back().work["bus_bandwidth"] = 331e9;
  EXPECT_THAT(told(study.world.document()), ::testing::ElementsAre("algorithm-forced"));
}

TEST(Studies, ARuleWithTwoLimitsOnAValueSaysItOnce) {
  StudyOf study("p2p", "B/s");
  study.row({}, {10e9, 10e9, 11e9});
  suite::Rule rule;
  rule.id = "between";
  rule.evidence = {"rate >= 1 GB/s", "rate <= 100 GB/s"};
  study.world.header.rules = Json::array({model::to_json(rule)});
  const std::string seen =
      study.world.document().at("diagnoses").at(0).at("cases").at(0).at("evidence").dump();
  EXPECT_THAT(seen, HasSubstr("[\"rate >= 1 GB/s, rate <= 100 GB/s: "));
}

TEST(Studies, G9ACopyIsNotAsFastAsALinksRawRate) {
  StudyOf study("p2p", "B/s", 450e9);
  study.row({}, {26.5625e9 * 18});
  EXPECT_EQ(study.world.judged().at("outcome"), "passed") << "106 % of a computed peak may be real";
  study.world.manifest.benchmarks[0].metrics[0].flow = "one way";
  EXPECT_EQ(study.world.judged().at("reason").at("code"), "guard.rate-above-peak");
}

TEST(Studies, G11BothWaysAndOneWayMakeNoRatio) {
  StudyOf study("p2p", "B/s");
  catalog::Benchmark& one = study.world.manifest.benchmarks[0];
  one.metrics[0].flow = "sum of both ways";
  catalog::MetricDeclaration one_way = one.metrics[0];
  one_way.name = "one_way_rate";
  one_way.flow = "one way";
  one_way.headline = false;
  one.metrics.push_back(one_way);
  const std::string fast = study.row({{"path", "nvlink"}}, {900e9, 900e9, 901e9});
  const std::string slow = study.row({{"path", "pcie"}}, {64e9, 64e9, 64.1e9});
  for (result::Visit& visit : study.world.visits)
    visit.work["one_way_rate"] = visit.case_id == fast ? 450e9 : visit.case_id == slow ? 64e9 : 0;
  const Json mixed = study.finding("nvlink >= 14 * pcie", {{"nvlink", "step[path=nvlink].rate"},
                                                           {"pcie", "step[path=pcie].one_way_rate"}});
  EXPECT_EQ(mixed.at("verdict"), "not_comparable");
  EXPECT_EQ(mixed.at("why"), "'rate' counts sum of both ways and 'one_way_rate' counts one way");
  const Json alike = study.finding("nvlink >= 14 * pcie", {{"nvlink", "step[path=nvlink].one_way_rate"},
                                                           {"pcie", "step[path=pcie].one_way_rate"}});
  EXPECT_EQ(alike.at("verdict"), "refuted") << "7 times";
}

TEST(Studies, G16VariablesThatTakeAChoiceAwayAreTold) {
  const auto told_with = [](const std::string& benchmark, const Json& environment) {
    StudyOf study(benchmark, "B/s");
    study.world.header.rules = shipped_rules("environment.yaml");
    study.world.header.environment = environment;
    study.row({}, {1e9});
    return told(study.world.document());
  };
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(told_with("train_step", {{"CUDA_DEVICE_MAX_CONNECTIONS", "1"}}), ElementsAre("one-connection"));
  EXPECT_THAT(told_with("train_step", {{"CUDA_DEVICE_MAX_CONNECTIONS", "8"}}), IsEmpty());
  EXPECT_THAT(told_with("collective", {{"NCCL_ALGO", "Ring"}, {"NCCL_PROTO", "Simple"}}),
              ElementsAre("algorithm-forced", "protocol-forced"));
  EXPECT_THAT(told_with("collective", {{"NCCL_ALGO", "Tree"}}), ElementsAre("algorithm-forced"));
  EXPECT_THAT(told_with("collective", {{"NCCL_IB_GID_INDEX", "3"}, {"NCCL_NET_GDR_LEVEL", "5"}}),
              ElementsAre("gid-index-set", "gdr-level-number"));
  EXPECT_THAT(told_with("collective", {{"NCCL_NET_GDR_LEVEL", "PHB"}}), IsEmpty());
  EXPECT_THAT(told_with("membw", {{"NCCL_ALGO", "Ring"}}), IsEmpty());
}

TEST(Studies, G16AnAxisIsAQuestionAndNoSymptom) {
  StudyOf study("collective", "B/s");
  study.world.header.rules = shipped_rules("environment.yaml");
  study.row({{"env.NCCL_ALGO", "Ring"}}, {1e9});
  EXPECT_THAT(told(study.world.document()), ::testing::IsEmpty());
}

// A step of 27 ms that moves 100 MB in 0.9 ms.
TEST(Studies, G17BytesThatTakeAMillisecondExplainNoStallOfTwenty) {
  StudyOf study("train_step", "items/s");
  catalog::Benchmark& one = study.world.manifest.benchmarks[0];
  for (const auto& [name, unit] : {std::pair{"step_time", "s"},
                                   {"communication_time", "s"},
                                   {"exposed_communication", "s"},
                                   {"communicated", "B"}})
    one.metrics.push_back(World::metric(name, unit, catalog::Direction::lower, catalog::MetricKind::value));
  study.world.header.rules = shipped_rules("training.yaml");
  study.row({}, {37510});
  const auto with = [&](double communication_s) {
    study.world.visits.back().ranks[0].values = {{"step_time", {}, 27e-3},
                                                 {"communication_time", {}, communication_s},
                                                 {"exposed_communication", {}, communication_s},
                                                 {"communicated", {}, 100e6}};
    return told(study.world.document());
  };
  EXPECT_THAT(with(0.9e-3), ::testing::ElementsAre("communication-is-not-it"));
  EXPECT_THAT(with(4e-3), ::testing::IsEmpty());
  EXPECT_THAT(with(9e-3), ::testing::ElementsAre("communication-exposed"));
}

}  // namespace
}  // namespace assay::judge
