// SPDX-License-Identifier: Apache-2.0
#include "judge/findings_test_world.hpp"
#include "judge/judge.hpp"
#include "judge/judge_test_world.hpp"
#include "result/reasons.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace assay::judge {
namespace {

std::string flag_text(const Json& judged, const std::string& code) {
  for (const Json& flag : judged.at("flags"))
    if (flag.at("code") == code) return flag.at("text");
  return {};
}

TEST(Flags, TellALevelThatMovesFromNoise) {
  World noisy;
  noisy.visit(noisy.planned(noisy.suite_case("membw"), {}), World::around(0.02, 200, 0.05))
      .measurement.flags = {"warmup_capped"};
  EXPECT_EQ(flag_text(noisy.judged(), "unsteady"), "");
  EXPECT_EQ(flag_text(noisy.judged(), "warmup_capped"), "");

  World late;
  std::vector<double> samples = World::around(0.02, 200);
  for (std::size_t i = 0; i < 100; ++i) samples[i] *= 1.1;
  late.visit(late.planned(late.suite_case("membw"), {}), samples);
  EXPECT_THAT(flag_text(late.judged(), "unsteady"),
              testing::MatchesRegex("the second half of its visit is (9|9.0|9.1) % faster than the first"));
}

TEST(Flags, SayThatTheIntervalIsWiderThanTheSuiteAskedFor) {
  for (const auto& [asked, between] :
       {std::pair{true, 0.05}, std::pair{false, 0.05}, std::pair{true, 1e-4}}) {
    World world;
    const std::size_t written = world.suite_case("membw");
    const std::string id = world.planned(written, {}, 3);
    if (asked)
      world.suite.cases[written].measure.stated.push_back(
          {&model::MeasureOptions::precision, {"unit.yaml", 1, 1}});
    world.case_of(id).measure.precision = 0.01;
    for (int r = 1; r <= 3; ++r)
      world.visit(id, World::around(0.02 * (1 + between * r), 30, 1e-4, static_cast<std::uint64_t>(r)), r);
    EXPECT_EQ(flag_text(world.judged(), "wide").empty(), !asked || between < 0.01) << asked << between;
  }
}

TEST(Flags, SayThatTheIntervalLeavesALimitOpen) {
  for (const char* limit : {"bandwidth >= 48 GB/s", "bandwidth >= 1 GB/s"}) {
    World world;
    const std::string id = world.planned(world.suite_case("membw", {limit}), {}, 3);
    for (int r = 1; r <= 3; ++r)
      world.visit(id, World::around(0.02 * (1 + 0.05 * r), 30, 1e-4, static_cast<std::uint64_t>(r)), r);
    const bool is_open = limit[13] == '4';
    EXPECT_EQ(flag_text(world.judged(), "wide"),
              is_open ? "the interval leaves " + std::string(limit) + " open" : "");
  }
}

// Of the rows of a finding those alone that are open, and of an answered finding none.
TEST(Flags, SayThatTheIntervalLeavesAClaimOpen) {
  for (const auto& [claim, is_open] :
       {std::pair{"nt > 1.24 * plain", true}, std::pair{"nt > 1.1 * plain", false}}) {
    Study study(3);
    study.world.suite.findings = {
        finding(claim, {{"nt", "membw[kernel=nt].bandwidth"}, {"plain", "membw[kernel=plain].bandwidth"}})};
    const Json document = study.world.document();
    const Json& found = document["findings"][0];
    ASSERT_EQ(found["verdict"] == "undecided", is_open) << found.dump(1);
    std::set<std::string> open;
    for (const Json& row : found["rows"])
      if (row["verdict"] == "undecided")
        for (const char* side : {"left", "right"}) open.insert(row[side]["id"].get<std::string>());
    EXPECT_EQ(open.empty(), !is_open);
    for (const Json& one : document["cases"])
      EXPECT_EQ(flag_text(one, "wide"),
                open.contains(one["id"]) ? "the interval leaves nt > 1.24 * plain open" : "")
          << one["id"];
  }
}

TEST(Flags, SayHowFarAWideIntervalReachesToEachSide) {
  World world;
  const std::size_t written = world.suite_case("membw");
  const std::string id = world.planned(written, {}, 3);
  world.suite.cases[written].measure.stated.push_back(
      {&model::MeasureOptions::precision, {"unit.yaml", 1, 1}});
  world.case_of(id).measure.precision = 0.01;
  for (int r = 1; r <= 3; ++r)
    world.visit(id, World::around(r == 1 ? 0.02 : 0.02 / (8 * r), 30, 1e-4, static_cast<std::uint64_t>(r)),
                r);
  const std::string text = flag_text(world.judged(), "wide");
  EXPECT_EQ(text.find("either way"), std::string::npos) << text;
  EXPECT_NE(text.find("the interval reaches from 0."), std::string::npos) << text;
  EXPECT_NE(text.find(" times the value, 1 % was asked for"), std::string::npos) << text;
}

TEST(Flags, SayThatFewerThanThreeRoundsKnowNothingOfTheNext) {
  for (const int rounds : {1, 2, 3}) {
    World world;
    const std::string id = world.planned(world.suite_case("membw"), {}, rounds);
    for (int r = 1; r <= rounds; ++r) world.visit(id, World::around(0.02, 30), r);
    EXPECT_EQ(flag_text(world.judged(), "one_run"),
              rounds == 3   ? ""
              : rounds == 2 ? "2 rounds say nothing of what the next run would give"
                            : "one round says nothing of what the next run would give");
  }
}

TEST(Flags, SayWhatOthersHadOfTheProcessors) {
  const auto text = [](const model::ProcessorUse& use) {
    World world;
    const std::string id = world.planned(world.suite_case("membw"), {}, 2);
    world.visit(id, World::around(0.02, 30), 1).processors = use;
    world.visit(id, World::around(0.02, 30), 2).processors = use;
    return flag_text(world.judged(), "disturbed");
  };
  EXPECT_EQ(text({2, 1, 0}), "other programs had 50 % of the processors meanwhile");
  EXPECT_EQ(text({2, 0.08, 0}), "");
  EXPECT_EQ(text({2, 0, 0.1}), "the hypervisor gave 5 % of the processors to other machines meanwhile");
  EXPECT_EQ(text({0.1, 0.1, 0}), "") << "too short to tell";
  EXPECT_EQ(text({}), "") << "not known";
}

TEST(Flags, SayWhatRaisedThemElseWhatTheyMean) {
  World world;
  result::Visit& visit = world.visit(world.planned(world.suite_case("membw"), {}), World::around(0.02, 30));
  visit.notes = {"the plugin did not free what another flag is about"};
  visit.raise("state.changed", "it left a locale behind");
  visit.raise("state.changed", "and processes");
  visit.measurement.flags.emplace_back("memory.leaked");
  const Json judged = world.judged();
  EXPECT_EQ(flag_text(judged, "state.changed"), "it left a locale behind");
  EXPECT_EQ(flag_text(judged, "memory.leaked"), result::find_reason("memory.leaked")->meaning);
  EXPECT_EQ(visit.notes.back(), "and processes");
}

TEST(Flags, KnowNoStragglersAmongUnlikeRanks) {
  const auto flag_of = [](const std::vector<std::string>& told) {
    World world;
    result::Visit& visit = world.visit(world.planned(world.suite_case("membw"), {}), World::around(0.02, 60));
    visit.measurement.flags = told;
    visit.ranks.push_back(visit.ranks.front());
    visit.ranks.push_back(visit.ranks.front());
    visit.ranks[1].rank = 1;
    visit.ranks[2].rank = 2;
    for (double& seconds : visit.ranks[2].series.host_s) seconds *= 1.5;
    for (double& seconds : visit.ranks[2].series.device_s) seconds *= 1.5;
    return flag_text(world.judged(), "straggler");
  };
  EXPECT_THAT(flag_of({}), testing::HasSubstr("rank 2"));
  EXPECT_EQ(flag_of({"unlike_ranks"}), "");
}

TEST(Flags, LeaveOutWhatAnIntervalBetweenProcessesAnswers) {
  const auto judged = [](int rounds, double between, double precision) {
    World world;
    const std::string id = world.planned(world.suite_case("membw"), {}, rounds);
    world.case_of(id).measure.precision = precision;
    for (int r = 1; r <= rounds; ++r)
      world.visit(id, World::around(0.02 * (1 + between * r), 3, 1e-4, static_cast<std::uint64_t>(r)), r)
          .measurement.flags = {"max_time"};
    return world.judged();
  };
  EXPECT_NE(flag_text(judged(1, 0, 0.01), "max_time"), "");
  EXPECT_EQ(flag_text(judged(3, 1e-4, 0.01), "max_time"), "") << "as precise as was asked for";
  // The end of the samples does not matter if the precision that was asked for was reached, nor in a single process.
  World precise;
  const std::string id = precise.planned(precise.suite_case("membw"), {});
  precise.case_of(id).measure.precision = 0.01;
  precise.visit(id, World::around(0.02, 33, 1e-4)).measurement.flags = {"max_time"};
  EXPECT_EQ(flag_text(precise.judged(), "max_time"), "");
  EXPECT_NE(flag_text(judged(3, 0.05, 0.01), "max_time"), "");
}

TEST(Flags, NameTheRunsThatMeasuredOnTheSameProcessors) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {}, 2);
  world.visit(id, World::around(0.02, 30), 1);
  world.visit(id, World::around(0.02, 30), 2).beside = {{4711, "quick", 1795249812}};
  EXPECT_EQ(
      flag_text(world.judged(), "shared_processors"),
      "another run of assay might use the same processors meanwhile: process 4711 with suite 'quick' since "
      "2026-11-21T08:30:12Z");

  World alone;
  alone.visit(alone.planned(alone.suite_case("membw"), {}), World::around(0.02, 30));
  EXPECT_EQ(flag_text(alone.judged(), "shared_processors"), "");
}

TEST(Flags, NameADurationThatWasNotVerified) {
  World world;
  world.manifest.benchmarks.front().metrics[0].headline = false;
  world.manifest.benchmarks.front().metrics[1].headline = true;
  result::Visit& visit = world.visit(world.planned(world.suite_case("membw"), {}), World::around(0.02));
  visit.work.clear();
  visit.ranks[0].verifications.clear();
  world.manifest.benchmarks.front().metrics.erase(world.manifest.benchmarks.front().metrics.begin());
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "passed");
  EXPECT_NE(metric_of(judged, "latency"), nullptr);
  EXPECT_NE(flag_text(judged, "not_verified"), "");
}

TEST(Flags, SayFrom12TimesOnThatTheHostTookLongerThanTheDevice) {
  for (const double ratio : {1.0, 1.19, 1.21, 3.0}) {
    World world;
    result::Visit& visit = world.visit(world.planned(world.suite_case("membw"), {}), World::around(0.02, 60));
    visit.measurement.clock = "device";
    result::Series& series = visit.ranks.front().series;
    series.host_s = series.device_s;
    for (double& seconds : series.host_s) seconds *= ratio;
    EXPECT_EQ(flag_text(world.judged(), "launch_bound").empty(), ratio < 1.2) << ratio;
    visit.measurement.clock = "host";  // its samples are the host's own time
    EXPECT_EQ(flag_text(world.judged(), "launch_bound"), "") << ratio;
  }
}

}  // namespace
}  // namespace assay::judge
