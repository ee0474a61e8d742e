// SPDX-License-Identifier: Apache-2.0
//
// What was observed is judged value by value, what was measured by its interval.
#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

using catalog::Direction;
using catalog::MetricKind;
using RankValues = std::vector<result::Value>;

// A case whose benchmark records or reports `v`, and what is expected of it.
struct Observed {
  explicit Observed(const std::vector<std::string>& expectations, int rounds = 1) {
    catalog::MetricDeclaration v = World::metric("v", "1", Direction::none, MetricKind::value);
    world.manifest.benchmarks.front().metrics.push_back(v);
    id = world.planned(world.suite_case("membw", expectations), {}, rounds);
  }
  // The metric is a command's, and every value a sample.
  Observed& reported(bool measured, const std::string& unit = "1", MetricKind kind = MetricKind::value) {
    catalog::MetricDeclaration& v = metric();
    v.reported = true;
    v.measured = measured;
    v.unit = unit;
    v.kind = kind;
    return *this;
  }
  catalog::MetricDeclaration& metric() { return world.manifest.benchmarks.front().metrics.back(); }

  // One round, of as many samples as there are values a rank.
  Observed& round(const std::vector<RankValues>& by_rank, std::size_t samples = 50) {
    result::Visit& visit = world.visit(id, World::around(0.2, samples), ++done_);
    const result::RankRecord first = visit.ranks.front();
    visit.ranks.clear();
    for (const RankValues& values : by_rank) {
      result::RankRecord rank = first;
      rank.rank = static_cast<int>(visit.ranks.size());
      rank.values = values;
      visit.ranks.push_back(rank);
    }
    return *this;
  }
  Observed& round_of(double value) { return round({{{"v", {}, value}}}); }
  Observed& samples(const std::vector<double>& values) {
    RankValues list;
    for (const double value : values) list.push_back({"v", {}, value});
    return round({list}, values.size());
  }

  [[nodiscard]] std::string status(std::size_t i = 0) const {
    return world.judged().at("expectations").at(i).at("status");
  }
  [[nodiscard]] std::string reason() const { return world.judged().at("reason").at("text"); }
  [[nodiscard]] std::string code() const { return world.judged().at("reason").at("code"); }

  World world;
  std::string id;

 private:
  int done_ = 0;
};

RankValues entries(const std::vector<double>& values) {
  RankValues list;
  for (std::size_t i = 0; i < values.size(); ++i)
    list.push_back({"v", {static_cast<std::uint32_t>(i)}, values[i]});
  return list;
}

TEST(Observations, EveryIndexCountsForEveryRelation) {
  const auto status = [](const std::string& text, const std::vector<double>& values) {
    return Observed({text}).round({entries(values)}).status();
  };
  EXPECT_EQ(status("v == 0", {0, 0, 13, 0}), "failed");
  EXPECT_EQ(status("v == 0", {0, 0, 0, 0}), "passed");
  EXPECT_EQ(status("0 == v", {0, 0, 13, 0}), "failed");
  EXPECT_EQ(status("v != 3", {1, 2, 3}), "failed");
  EXPECT_EQ(status("v != 3", {1, 2, 4}), "passed");
  EXPECT_EQ(status("v <= 12", {0, 13, 0}), "failed");
  EXPECT_EQ(status("v >= 1", {1, 0, 2}), "failed");
  EXPECT_EQ(status("v * -1 <= 0", {1, -2, 3}), "failed") << "whichever way the arithmetic turns it";
  EXPECT_EQ(status("1 / v <= 0.5", {2, 4, 1}), "failed");
  EXPECT_EQ(status("v == v", {1, 2, 3}), "passed") << "index by index";
}

TEST(Observations, TheTextNamesTheOneThatFailed) {
  Observed one({"v == 0"});
  one.round({entries({0, 0, 13, 0})});
  EXPECT_EQ(one.reason(), "v 13 (index 2), limit 0");
}

TEST(Observations, EveryReadingCounts) {
  Observed one({"temperature == 41 C"});
  one.round_of(1);
  for (const double value : {41.0, 41.0, 43.0})
    one.world.visits.back().telemetry.push_back(
        {one.world.visits.back().started_at_s, "host:0", "temperature", value});
  EXPECT_EQ(one.status(), "failed");
}

TEST(Observations, EveryRoundCountsAndNoneIsUndecided) {
  EXPECT_EQ(Observed({"v == 0"}, 3).round_of(0).round_of(4).round_of(0).status(), "failed");
  EXPECT_EQ(Observed({"v <= 10"}, 3).round_of(0).round_of(1000).round_of(0).status(), "failed");
  EXPECT_EQ(Observed({"v >= 50"}, 3).round_of(100).round_of(1).round_of(100).status(), "failed");
  EXPECT_EQ(Observed({"v >= 50"}, 3).round_of(100).round_of(60).round_of(90).status(), "passed");
}

TEST(Observations, EverySampleOfACommandCounts) {
  EXPECT_EQ(Observed({"v == 0"}).reported(false).samples({0, 0, 0, 4, 0, 0, 0, 0}).status(), "failed");
  EXPECT_EQ(Observed({"v == 0"}).reported(false).samples({0, 0, 0}).status(), "passed");
}

TEST(Observations, ThatAgreeAreExact) {
  for (const std::string text : {"v == 5", "v >= 5", "v <= 5"}) {
    EXPECT_EQ(Observed({text}, 3).reported(false).samples({5}).samples({5}).samples({5}).status(), "passed");
    EXPECT_EQ(Observed({text}, 3).reported(true).samples({5}).samples({5}).samples({5}).status(), "passed");
    EXPECT_EQ(Observed({text}, 3).round_of(5).round_of(5).round_of(5).status(), "passed");
  }
}

TEST(Observations, EveryRankCountsAndDifferencesAreTold) {
  Observed one({"v >= 16", "v == 16", "v >= 8"});
  one.round({{{"v", {}, 16}}, {{"v", {}, 16}}, {{"v", {}, 8}}});
  EXPECT_EQ(one.status(0), "failed");
  EXPECT_EQ(one.status(1), "failed");
  EXPECT_EQ(one.status(2), "passed");
  EXPECT_EQ(one.reason(), "v 8 (rank 2), limit 16");
  const std::string flags = one.world.judged().at("flags").dump();
  EXPECT_NE(flags.find("v is 16 on rank 0, 8 on rank 2"), std::string::npos) << flags;
}

TEST(Observations, EveryRanksFactCounts) {
  const auto with = [](const std::string& text) {
    Observed one({text});
    one.round({{}, {}, {}});
    for (result::RankRecord& rank : one.world.visits.back().ranks)
      rank.facts["kind"] = rank.rank == 2 ? "slow" : "fast";
    return one.status();
  };
  EXPECT_EQ(with("kind == \"fast\""), "failed");
  EXPECT_EQ(with("kind != \"slow\""), "failed");
  EXPECT_EQ(with("kind != \"none\""), "passed");
}

TEST(Observations, AFactThatARankOrRoundLacksIsMissed) {
  const auto status = [](const std::string& text, const char* of_others) {
    Observed one({text}, 2);
    one.round({{}, {}}).round({{}, {}});
    for (result::Visit& visit : one.world.visits)
      for (result::RankRecord& rank : visit.ranks)
        if (visit.round == 1 || rank.rank == 0) rank.facts["kind"] = rank.rank == 0 ? "fast" : of_others;
    return std::pair(one.status(), one.world.judged().at("expectations").at(0).at("why"));
  };
  EXPECT_EQ(status("kind == \"fast\"", "fast"),
            std::pair(std::string("not_judged"), Json("'kind' was not recorded by rank 1 in round 2")));
  EXPECT_EQ(status("kind == \"fast\"", "slow").first, "failed") << "what was seen is worse";
}

TEST(Observations, OnlyWhatEveryRankVerifiedIsVerified) {
  Observed one({});
  one.round({{}, {}});
  EXPECT_EQ(one.world.judged().at("outcome"), "passed");
  one.world.visits.back().ranks[1].verifications.clear();
  EXPECT_EQ(one.code(), "verify.missing");
}

TEST(Observations, DerivedOnesTakeTheWorst) {
  Observed one({"half >= 20", "half >= 2"});
  one.metric().direction = Direction::higher;
  suite::Derive derive;
  derive.name.value = "half";
  derive.expression = World::parse("v / 2");
  one.world.suite.derive.push_back(derive);
  one.round({entries({50, 10})});
  EXPECT_EQ(one.status(0), "failed");
  EXPECT_EQ(one.status(1), "passed");
  EXPECT_EQ(metric_of(one.world.judged(), "half").at("value"), 5);
}

TEST(Measurements, PercentilesAreNotOfWhatACommandPrints) {
  for (const auto& [unit, kind] :
       {std::pair("s", MetricKind::duration), std::pair("B/s", MetricKind::rate)}) {
    Observed one({"p50(v) >= 1 " + std::string(unit)});
    one.reported(true, unit, kind).samples(std::vector<double>(50, 7));
    EXPECT_EQ(one.status(), "not_judged");
    EXPECT_NE(one.reason().find("'v' is what the command reports"), std::string::npos) << one.reason();
  }
}

TEST(Observations, DerivedOnesOfCountersAreObservationsToo) {
  const auto status = [](const std::string& text, const std::vector<double>& added, int rounds) {
    Observed one({text}, rounds);
    suite::Derive derive;
    derive.name.value = "broken";
    derive.expression = World::parse("errors + repairs");
    one.world.suite.derive.push_back(derive);
    for (int r = 0; r < rounds; ++r) {
      one.round_of(1);
      for (const char* quantity : {"errors", "repairs"})
        for (const double at : {0.0, quantity[0] == 'r' ? added[static_cast<std::size_t>(r)] : 0.0})
          one.world.visits.back().telemetry.push_back(
              {one.world.visits.back().started_at_s, "host:0", quantity, at});
    }
    return one.status();
  };
  EXPECT_EQ(status("broken == 0", {0, 0, 5}, 3), "failed");
  EXPECT_EQ(status("broken <= 4", {0, 0, 5}, 3), "failed");
  EXPECT_EQ(status("broken <= 5", {0, 0, 5}, 3), "passed");
  EXPECT_EQ(status("broken == 0", {0, 0, 0}, 3), "passed");
  EXPECT_EQ(status("broken == 0", {0, 5}, 2), "failed");
}

TEST(Measurements, ThatAreDerivedHaveTheRoundsOfTheirOwnIndexOnly) {
  Observed one({"half >= 0"}, 3);
  one.reported(true);
  suite::Derive derive;
  derive.name.value = "half";
  derive.expression = World::parse("v / 2");
  one.world.suite.derive.push_back(derive);
  for (int r = 0; r < 3; ++r)
    one.round({{{"v", {0}, 5.0 + r}, {"v", {1}, 50.0 + r}, {"v", {2}, 20.0 + r}}}, 1);
  EXPECT_EQ(metric_of(one.world.judged(), "half").at("rounds"), Json({25.0, 25.5, 26.0}));
}

// Which took hours when each index was looked for among all values.
TEST(Observations, AHundredThousandIndicesAreJudged) {
  std::vector<double> values(100'000, 0);
  values.back() = 13;
  EXPECT_EQ(Observed({"v == 0"}).round({entries(values)}).reason(), "v 13 (index 99999), limit 0");
}

TEST(Observations, AMissingValueIsAnError) {
  EXPECT_EQ(
      Observed({}, 3).round({entries({1, 2, 3})}).round({entries({1, 2})}).round({entries({1, 2})}).reason(),
      "the case gave no 'v' for index 2 in round 2, and did in another round");
  EXPECT_EQ(Observed({}).round({{{"v", {}, 1}}, {}}).reason(), "rank 1 gave no 'v', and rank 0 did");
  Observed samples({});
  samples.reported(false).round({{{"v", {0}, 1}, {"v", {1}, 1}, {"v", {0}, 1}}}, 2);
  EXPECT_EQ(samples.code(), "result.missing");
  EXPECT_EQ(samples.world.document().at("verdict").at("exit_code"), 5);
}

TEST(Observations, ASkippedRoundHidesNothing) {
  const auto with_second_skipped = [](const std::string& text) {
    Observed one({text}, 3);
    one.round_of(5).round_of(5).round_of(5);
    result::Visit& second = one.world.visits[1];
    second.outcome = result::Outcome::skipped;
    second.reason.text = "exit status 77";
    second.ranks.clear();
    return one.world.document();
  };
  const Json failed = with_second_skipped("v >= 100");
  EXPECT_EQ(failed.at("cases").at(0).at("outcome"), "failed");
  EXPECT_EQ(failed.at("verdict").at("exit_code"), 1);
  const Json others_passed = with_second_skipped("v <= 100");
  EXPECT_EQ(others_passed.at("cases").at(0).at("outcome"), "error");
  EXPECT_EQ(others_passed.at("cases").at(0).at("reason").at("text"),
            "round 2 was skipped, and others were measured: exit status 77");
  EXPECT_EQ(others_passed.at("verdict").at("exit_code"), 5);
}

TEST(Observations, ASkippedSampleHidesNothing) {
  Observed one({});
  one.samples({5, 5});
  one.world.visits.back().outcome = result::Outcome::skipped;
  EXPECT_EQ(one.world.judged().at("outcome"), "error");
}

// What a plugin finds out before its first sample and then says that it cannot go on.
TEST(Observations, AValueOfTheSetUpIsNoSample) {
  Observed one({});
  one.round_of(5);
  result::Visit& visit = one.world.visits.back();
  visit.outcome = result::Outcome::skipped;
  for (result::RankRecord& rank : visit.ranks) rank.series.host_s = rank.series.device_s = {};
  EXPECT_EQ(one.world.judged().at("outcome"), "skipped");
}

TEST(Observations, ThrottlingThatNobodyReadIsNotJudged) {
  Observed one({});
  one.round_of(1);
  one.world.case_of(one.id).measure.throttle = plan::Throttle::fail;
  EXPECT_EQ(one.code(), "expectation.not-judged");
  EXPECT_EQ(one.world.document().at("verdict").at("exit_code"), 1);
  one.world.visits.back().telemetry = {{0, "host:0", "memory_used", 1e9}, {0, "host:0", "steal", 0}};
  EXPECT_EQ(one.code(), "expectation.not-judged") << "that says nothing of heat";
  one.world.visits.back().telemetry.push_back({0, "host:0", "temperature", 40});
  EXPECT_EQ(one.world.judged().at("outcome"), "passed");
}

TEST(Measurements, OfOneSampleDecideNothingClose) {
  const auto status = [](const std::string& text, const std::vector<double>& values) {
    return Observed({text}).reported(true).samples(values).status();
  };
  EXPECT_EQ(status("v >= 90", {100}), "undecided");
  EXPECT_EQ(status("v >= 110", {100}), "undecided");
  EXPECT_EQ(status("v >= 201", {100}), "failed") << "outside the limit widened by a factor of two";
  EXPECT_EQ(status("v >= 49", {100}), "passed");
  EXPECT_EQ(status("v >= 90", {100, 100, 100, 100, 100}), "undecided");
  EXPECT_EQ(status("v >= 90", {100, 100, 100, 100, 100, 100}), "passed");
  const Json judged = Observed({"v >= 90"}).reported(true).samples({100}).world.judged();
  EXPECT_NE(judged.at("expectations").at(0).at("why").dump().find("factor of 2"), std::string::npos);
}

TEST(Measurements, ThreeRoundsDecide) {
  EXPECT_EQ(Observed({"v >= 90"}, 3).reported(true).samples({100}).samples({101}).samples({99}).status(),
            "passed");
  EXPECT_EQ(Observed({"v >= 98"}, 3).reported(true).samples({100}).samples({90}).samples({110}).status(),
            "undecided");
}

TEST(Measurements, TheWorstOfSeveralIsDecidedByItsInterval) {
  Observed one({"v >= 45"}, 3);
  one.reported(true);
  for (const double wide : {20.0, 51.0, 100.0}) one.round({{{"v", {0}, 50}, {"v", {1}, wide}}}, 1);
  EXPECT_EQ(one.status(), "undecided");
}

TEST(Measurements, OfCommandsThatCannotBeTrueAreInvalid) {
  const auto outcome = [](double value, const std::string& unit, MetricKind kind) {
    return Observed({}).reported(true, unit, kind).samples({value}).world.judged().at("outcome");
  };
  EXPECT_EQ(outcome(-7e-6, "s", MetricKind::duration), "invalid");
  EXPECT_EQ(outcome(0, "s", MetricKind::duration), "invalid");
  EXPECT_EQ(outcome(-1, "B/s", MetricKind::rate), "invalid");
  EXPECT_EQ(outcome(0, "B/s", MetricKind::rate), "passed") << "some report none where nothing is moved";
  EXPECT_EQ(outcome(-1, "1", MetricKind::value), "passed");
}

TEST(Expectations, OfTheReferenceRowAgainstItselfHold) {
  World world;
  const std::size_t written = world.suite_case("membw", {"bandwidth >= 99% of reference"});
  const std::string id = world.planned(written, {{"kernel", "copy"}});
  world.case_of(id).has_reference_key = true;
  world.case_of(id).reference = id;
  world.visit(id, World::around(0.02, 50, 0.3));
  EXPECT_EQ(world.judged().at("expectations").at(0).at("status"), "passed");

  Observed several({"v >= 100% of reference", "v < 101% of reference"}, 2);
  several.round({{{"v", {0}, 3}, {"v", {1}, 40}}}).round({{{"v", {0}, 4}, {"v", {1}, 90}}});
  several.world.case_of(several.id).has_reference_key = true;
  several.world.case_of(several.id).reference = several.id;
  EXPECT_EQ(several.status(0), "passed") << "each value with itself";
  EXPECT_EQ(several.status(1), "passed");
}

}  // namespace
}  // namespace assay::judge
