// SPDX-License-Identifier: Apache-2.0
#include "judge/findings.hpp"

#include "judge/findings_test_world.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

namespace assay::judge {
namespace {

// membw over bundles of a width and a height, with a time for each, on one kernel or two.
struct Bundles {
  struct BundleShape {
    double m, n, time_s;
  };
  World world;
  explicit Bundles(const std::vector<BundleShape>& shapes) {
    const std::size_t written = world.suite_case("membw");
    for (const auto& [m, n, time_s] : shapes)
      for (const auto& [kernel, factor] : {std::pair{"plain", 1.0}, std::pair{"nt", 0.8}}) {
        const std::string text = fmt::format("m:{}/n:{}", m, n);
        const std::string id = world.planned(written, {{"shape", text}, {"kernel", kernel}}, 6);
        plan::PlannedCase& planned = world.case_of(id);
        planned.axes.front().value = {{"m", m}, {"n", n}};
        planned.parameters.erase("shape");
        planned.parameters.update(planned.axes.front().value);
        for (int r = 1; r <= 6; ++r)
          world.visit(id, World::around(time_s * factor * (1 + 0.002 * (r % 2)), 50), r);
      }
  }
  Json judge(const std::string& claim, const std::string& a, const std::string& b) {
    world.suite.findings = {finding(claim, {{"a", a}, {"b", b}})};
    return world.document().at("findings").at(0);
  }
};

TEST(Findings, SelectABundleByAParameterThatItSets) {
  Bundles study({{1024, 1, 0.04}, {2048, 2, 0.02}});
  const Json one =
      study.judge("a > b", "membw[kernel=nt,m=2048].bandwidth", "membw[kernel=plain,m=2048].bandwidth");
  EXPECT_EQ(one.at("verdict"), "confirmed") << one;
  ASSERT_EQ(one.at("rows").size(), 1u);
  EXPECT_EQ(one.at("rows").at(0).at("left").at("id"), "membw[shape=m:2048/n:2,kernel=nt]");
  EXPECT_EQ(one.at("rows").at(0).at("right").at("id"), "membw[shape=m:2048/n:2,kernel=plain]");

  const Json none = study.judge("a > b", "membw[m=3].bandwidth", "membw[m=1024].bandwidth");
  EXPECT_NE(none.dump().find("no case of this run matches 'membw[m=3].bandwidth'"), std::string::npos)
      << none;
}

TEST(Findings, CompareBundlesThatAParameterTellsApart) {
  Bundles study({{1024, 1, 0.04}, {2048, 2, 0.02}});
  const Json found = study.judge("a > b", "membw[m=2048].bandwidth", "membw[m=1024].bandwidth");
  EXPECT_EQ(found.at("verdict"), "confirmed") << found;
  ASSERT_EQ(found.at("rows").size(), 2u) << "one for each kernel";
  EXPECT_EQ(found.at("rows").at(0).at("label"), "kernel=plain");
}

TEST(Findings, KeepBundlesApartThatAParameterDoesNot) {
  Bundles study({{1024, 1, 0.04}, {2048, 2, 0.02}, {2048, 3, 0.03}});
  const Json found =
      study.judge("a > b", "membw[kernel=nt,m=2048].bandwidth", "membw[kernel=plain,m=2048].bandwidth");
  EXPECT_EQ(found.at("verdict"), "confirmed") << found;
  ASSERT_EQ(found.at("rows").size(), 2u);
  EXPECT_EQ(found.at("rows").at(0).at("label"), "shape=m:2048/n:2");
  EXPECT_EQ(found.at("rows").at(1).at("label"), "shape=m:2048/n:3");
}

TEST(Findings, AreConfirmedOrRefutedRowByRow) {
  Study study(6);
  const Json confirmed = study.judge_one(finding(
      "nt > plain", {{"nt", "membw[kernel=nt].bandwidth"}, {"plain", "membw[kernel=plain].bandwidth"}}));
  EXPECT_EQ(confirmed.at("verdict"), "confirmed");
  ASSERT_EQ(confirmed.at("rows").size(), 2u);
  const Json& row = confirmed.at("rows").at(0);
  EXPECT_EQ(row.at("label"), "bytes=1GiB");
  EXPECT_EQ(row.at("n"), 6);
  EXPECT_NEAR(double(row.at("effect")), 0.25, 0.01);
  EXPECT_LT(double(row.at("low")), double(row.at("effect")));
  EXPECT_EQ(row.at("left").at("id"), "membw[bytes=1GiB,kernel=nt]");
  EXPECT_EQ(row.at("left").at("unit"), "B/s");
  EXPECT_EQ(confirmed.at("say"), "It is {effect}.");
  EXPECT_EQ(confirmed.at("do"), "do it");
  const Json refuted = study.judge_one(finding(
      "plain > nt", {{"nt", "membw[kernel=nt].bandwidth"}, {"plain", "membw[kernel=plain].bandwidth"}}));
  EXPECT_EQ(refuted.at("verdict"), "refuted");
  EXPECT_EQ(refuted.at("say"), "It is not.");
}

TEST(Findings, SayWhatTheClaimIsHeldAgainst) {
  Study study(3);
  const std::vector<std::pair<std::string, std::string>> let = {{"nt", "membw[kernel=nt].bandwidth"},
                                                                {"plain", "membw[kernel=plain].bandwidth"}};
  const auto asks = [&](const std::string& claim) { return study.judge_one(finding(claim, let)).at("asks"); };
  const auto is = [](const char* sign, double factor, double tolerance, const char* right,
                     const char* measured, const std::vector<double>& limits, const char* unit) {
    return Json{{"operator", sign}, {"factor", factor},     {"tolerance", tolerance}, {"left", "nt"},
                {"right", right},   {"measured", measured}, {"limits", limits},       {"unit", unit}};
  };
  EXPECT_EQ(asks("nt > plain"), is(">", 1, 0.02, "plain", "nt / plain", {1.02}, "×"));
  EXPECT_EQ(asks("nt >= 4 * plain"), is(">=", 4, 0, "plain", "nt / plain", {4}, "×"));
  EXPECT_EQ(asks("2 * nt == plain"),
            is("==", 0.5, 0.02, "plain", "nt / plain", {0.5 / 1.02, 0.5 * 1.02}, "×"));
  EXPECT_EQ(asks("nt > 1 GB/s"), is(">", 1, 0, "1GB/s", "nt", {1e9}, "B/s"));
  EXPECT_EQ(asks("1 GB/s < nt"), asks("nt > 1 GB/s")) << "the limit stands on the right";
  EXPECT_EQ(asks("nt + plain"), nullptr) << "no relation";
}

TEST(Findings, SayWhatIsHeldAgainstTheLimit) {
  Study study(6);
  const std::vector<std::pair<std::string, std::string>> let = {
      {"nt", "membw[kernel=nt,bytes=1GiB].bandwidth"}, {"plain", "membw[kernel=plain,bytes=1GiB].bandwidth"}};
  const auto judged = [&](const std::string& claim) { return study.judge_one(finding(claim, let)); };
  const auto value = [&](const std::string& claim) {
    return double(judged(claim).at("rows").at(0).at("measured").at("value"));
  };
  EXPECT_NEAR(value("nt >= 1.2 * plain"), 1.25, 0.01) << "the ratio, without the factor that is asked for";
  EXPECT_NEAR(value("nt > 1 GB/s"), 62.5e9, 1e9) << "a limit of its own leaves the side as it is";
  EXPECT_NEAR(value("nt / (4 * plain) >= 30%"), 1.25 / 4, 0.01) << "an efficiency";
  EXPECT_EQ(judged("nt / (4 * plain) >= 30%").at("asks").at("unit"), "%");
  EXPECT_EQ(judged("nt / plain >= 1.1").at("asks").at("unit"), "×") << "a speed-up";
  const Json row = judged("nt >= 5 us * plain").at("rows").at(0);
  EXPECT_FALSE(row.contains("measured")) << "of another dimension";
}

TEST(Findings, HoldADerivedQuantityInItsOwnUnit) {
  Study study(3);
  // A rate over a frequency is a size.
  const Json found = study.judge_one(finding(
      "rate >= 1 GiB * per_second",
      {{"rate", "membw[kernel=nt,bytes=1GiB].bandwidth"},
       {"per_second",
        "membw[kernel=nt,bytes=1GiB].time / membw[kernel=plain,bytes=1GiB].time / membw[kernel=plain,bytes=1GiB].time"}}));
  EXPECT_EQ(found.at("asks").at("unit"), "B") << found;
  EXPECT_EQ(found.at("asks").at("measured"), "rate / per_second");
  EXPECT_EQ(found.at("asks").at("limits"), Json::array({1073741824.0}));
  EXPECT_NEAR(double(found.at("rows").at(0).at("measured").at("value")) / (62.5e9 / (0.8 / 0.02)), 1, 0.02);
  EXPECT_EQ(found.at("verdict"), "confirmed");
}

TEST(Findings, CallASideOfOneCaseByItsName) {
  Study study(3);
  const std::vector<std::pair<std::string, std::string>> let = {
      {"nt", "membw[kernel=nt,bytes=1GiB].bandwidth"}, {"plain", "membw[kernel=plain,bytes=1GiB].bandwidth"}};
  const Json asks = study.judge_one(finding("1 / nt <= 2 * (1 / plain)", let)).at("asks");
  EXPECT_EQ(asks.at("left"), "nt") << "which is what its column shows";
  EXPECT_EQ(asks.at("right"), "plain");
}

TEST(Findings, JudgeADifferenceInItsOwnUnit) {
  Study study(6);
  const std::vector<std::pair<std::string, std::string>> let = {
      {"nt", "membw[kernel=nt,bytes=1GiB].time"}, {"plain", "membw[kernel=plain,bytes=1GiB].time"}};
  const Json saved = study.judge_one(finding("plain - nt >= 3 ms", let));
  EXPECT_EQ(saved.at("verdict"), "confirmed") << saved;
  EXPECT_EQ(saved.at("asks").at("unit"), "s");
  const Json& row = saved.at("rows").at(0);
  EXPECT_EQ(row.at("effect"), nullptr) << "of zero there is no ratio";
  EXPECT_NEAR(double(row.at("measured").at("value")), 0.004, 2e-4);
  EXPECT_LT(double(row.at("measured").at("low")), double(row.at("measured").at("value")));
  EXPECT_EQ(study.judge_one(finding("nt - plain > 0 us", let)).at("verdict"), "refuted")
      << "below zero it is judged, too";
  EXPECT_EQ(study.judge_one(finding("0 us > nt - plain", let)).at("verdict"), "confirmed");
  EXPECT_EQ(study.judge_one(finding("nt - plain != 0 us", let)).at("verdict"), "confirmed");
  EXPECT_EQ(study.judge_one(finding("nt - plain == 0 us", let)).at("verdict"), "refuted");
  const Json open = Study(3, 0.02, 0.02).judge_one(finding("plain - nt > 0 us", let));
  EXPECT_EQ(open.at("verdict"), "undecided") << open;
  EXPECT_EQ(study.judge_one(finding("nt - nt == 0 us", let)).at("verdict"), "confirmed")
      << "it is exactly that";
  EXPECT_EQ(study.judge_one(finding("nt - nt != 0 us", let)).at("verdict"), "refuted");
}

TEST(Findings, AreDecidedOnDerivedQuantities) {
  Study study(3);
  suite::Derive cost;
  cost.name.value = "cost";
  cost.expression = World::parse("time * 3");
  study.world.suite.derive = {cost};
  const Json found = study.judge_one(
      finding("nt < plain", {{"nt", "membw[kernel=nt].cost"}, {"plain", "membw[kernel=plain].time"}}));
  EXPECT_EQ(found.at("verdict"), "refuted") << found;
  const Json& row = found.at("rows").at(0);
  EXPECT_EQ(row.at("n"), 3);
  EXPECT_NEAR(double(row.at("effect")), 3 * 0.8 - 1, 0.02);
  EXPECT_EQ(row.at("left").at("metric"), "cost");
  EXPECT_EQ(row.at("right").at("metric"), "time");
}

TEST(Findings, AnEffectBelowThetaRefutesMore) {
  Study study(6, 0.02, 0.01985);  // 0.75 %: no more than theta
  EXPECT_EQ(
      study.judge_one(finding("membw[kernel=nt].bandwidth > membw[kernel=plain].bandwidth")).at("verdict"),
      "refuted");
  EXPECT_EQ(
      study.judge_one(finding("membw[kernel=nt].bandwidth >= membw[kernel=plain].bandwidth")).at("verdict"),
      "confirmed");
  EXPECT_EQ(
      study.judge_one(finding("membw[kernel=nt].bandwidth == membw[kernel=plain].bandwidth")).at("verdict"),
      "confirmed");
}

TEST(Findings, AWrittenMarginStandsInsteadOfTheta) {
  Study study(6);
  const std::vector<std::pair<std::string, std::string>> let = {{"nt", "membw[kernel=nt].bandwidth"},
                                                                {"plain", "membw[kernel=plain].bandwidth"}};
  EXPECT_EQ(study.judge_one(finding("nt >= 1.2 * plain", let)).at("verdict"), "confirmed");
  EXPECT_EQ(study.judge_one(finding("nt >= 1.3 * plain", let)).at("verdict"), "refuted");
  // The effect is of one against the other, not against 1.2 times the other.
  EXPECT_NEAR(double(study.judge_one(finding("nt >= 1.2 * plain", let)).at("rows").at(0).at("effect")), 0.25,
              0.01);
  EXPECT_EQ(study.judge_one(finding("plain <= 90% of nt", let)).at("verdict"), "confirmed");
  EXPECT_EQ(study.judge_one(finding("membw[kernel=nt, bytes=1GiB].bandwidth > 60 GB/s")).at("verdict"),
            "confirmed");
}

TEST(Findings, ShowUnderACasesNameWhatItMeasured) {
  Study study(6);
  const std::vector<std::pair<std::string, std::string>> let = {
      {"nt", "membw[kernel=nt, bytes=1GiB].bandwidth"},
      {"plain", "membw[kernel=plain, bytes=1GiB].bandwidth"}};
  const Json row = study.judge_one(finding("1 / nt <= 0.9 / plain + 0 s/B", let)).at("rows").at(0);
  EXPECT_NEAR(double(row.at("left").at("value")), 62.5e9, 0.5e9) << "not its inverse";
  EXPECT_NEAR(double(row.at("right").at("value")), 50e9, 0.5e9) << "not what the claim makes of it";
  const Json product = study.judge_one(finding("nt * nt >= plain * nt", let)).at("rows").at(0);
  EXPECT_EQ(product.at("right").at("id").get<std::string>().rfind("plain * nt of membw[", 0), 0u) << product;
}

TEST(Findings, AskForSamenessWithinAShare) {
  Study study(6, 0.02, 0.0197);  // 1.5 %
  const std::vector<std::pair<std::string, std::string>> let = {{"nt", "membw[kernel=nt].bandwidth"},
                                                                {"plain", "membw[kernel=plain].bandwidth"}};
  const Json within = study.judge_one(finding("nt within 3% of plain", let));
  EXPECT_EQ(within.at("verdict"), "confirmed") << within;
  EXPECT_EQ(within.at("asks").at("limits"), (Json{1 / 1.03, 1.03}));
  EXPECT_EQ(study.judge_one(finding("nt within 0.5% of plain", let)).at("verdict"), "refuted");
}

TEST(Findings, CarryWhatTheSuiteSaysOfThem) {
  Study study(6);
  suite::SuiteFinding one = finding("fast >= 1.2 * slow", {{"fast", "membw[kernel=nt].bandwidth"},
                                                           {"slow", "membw[kernel=plain].bandwidth"}});
  one.background = "Guides say 2 times.";
  one.expected.emplace().value.text = "2";
  one.expected->source = "a guide";
  one.notes = {{"The first row is small.", {}}};
  one.labels = {{{"fast", {}}, "non-temporal stores"}};
  one.confirmed->because = "They pass the caches.";
  const Json found = study.judge_one(one);
  EXPECT_EQ(found.at("background"), "Guides say 2 times.");
  EXPECT_EQ(found.at("expected"), (Json{{"value", "2"}, {"source", "a guide"}}));
  EXPECT_EQ(found.at("notes"), Json{"The first row is small."});
  EXPECT_EQ(found.at("because"), "They pass the caches.");
  EXPECT_EQ(found.at("asks").at("left"), "non-temporal stores");
  EXPECT_EQ(found.at("asks").at("measured"), "non-temporal stores / slow");
}

TEST(Findings, SayWhatTheSuiteSaysOfMixedRows) {
  Study study(4);
  for (result::Visit& visit : study.world.visits)
    if (visit.case_id == "membw[bytes=2GiB,kernel=nt]")
      for (result::RankRecord& rank : visit.ranks) {
        for (double& seconds : rank.series.device_s) seconds *= 1.5;
        for (double& seconds : rank.series.host_s) seconds *= 1.5;
      }
  suite::SuiteFinding one = finding(
      "nt > plain", {{"nt", "membw[kernel=nt].bandwidth"}, {"plain", "membw[kernel=plain].bandwidth"}});
  one.undecided = suite::VerdictWords{"It is open.", {}, {}, {}};
  EXPECT_EQ(study.judge_one(one).at("say"), "It is open.");
  one.mixed = suite::VerdictWords{"It depends.", {}, {}, {}};
  EXPECT_EQ(study.judge_one(one).at("say"), "It depends.");
}

TEST(Findings, FewerThanThreeRoundsAreUndecided) {
  Study study(2);
  const Json undecided =
      study.judge_one(finding("membw[kernel=nt].bandwidth > membw[kernel=plain].bandwidth"));
  EXPECT_EQ(undecided.at("verdict"), "undecided");
  EXPECT_NE(undecided.at("why").get<std::string>().find("at least three"), std::string::npos);
  EXPECT_EQ(undecided.at("rows").at(0).at("low"), nullptr);
}

TEST(Findings, WhoseRowsAreDecidedAndDifferAreMixed) {
  Study study(4);
  for (result::Visit& visit : study.world.visits)
    if (visit.case_id == "membw[bytes=2GiB,kernel=nt]")
      for (result::RankRecord& rank : visit.ranks) {
        for (double& seconds : rank.series.device_s) seconds *= 1.5;
        for (double& seconds : rank.series.host_s) seconds *= 1.5;
      }
  const Json mixed = study.judge_one(finding(
      "nt > plain", {{"nt", "membw[kernel=nt].bandwidth"}, {"plain", "membw[kernel=plain].bandwidth"}}));
  EXPECT_EQ(mixed.at("rows").at(0).at("verdict"), "confirmed");
  EXPECT_EQ(mixed.at("rows").at(1).at("verdict"), "refuted");
  EXPECT_EQ(mixed.at("verdict"), "mixed");
  EXPECT_EQ(mixed.at("why"), "confirmed in 1 of 2 rows, refuted in 1 of 2 rows");
}

TEST(Findings, ThatAreOpenSayHowManyRoundsShouldDecideThem) {
  Study near(3, 0.02, 0.02 / 1.0205);
  const std::vector<std::pair<std::string, std::string>> let = {
      {"nt", "membw[bytes=1GiB,kernel=nt].bandwidth"}, {"plain", "membw[bytes=1GiB,kernel=plain].bandwidth"}};
  const Json row = near.judge_one(finding("nt > plain", let)).at("rows").at(0);
  EXPECT_TRUE(row.at("verdict") == "small" || row.at("verdict") == "undecided") << row;
  EXPECT_GT(row.at("more_rounds"), 0);
  const Json decided = Study(3).judge_one(finding("nt > plain", let)).at("rows").at(0);
  EXPECT_FALSE(decided.contains("more_rounds"));
  const Json two = Study(2).judge_one(finding("nt > plain", let)).at("rows").at(0);
  EXPECT_EQ(two.at("more_rounds"), 1);
}

TEST(Findings, BestPicksOnOddRoundsAndIsJudgedOnEvenOnes) {
  const auto claim = finding("best(membw[kernel=*].bandwidth) > membw[kernel=plain].bandwidth");
  Study study(6);
  const Json six = study.judge_one(claim);
  EXPECT_EQ(six.at("verdict"), "confirmed");
  EXPECT_EQ(six.at("rows").size(), 2u);
  EXPECT_EQ(six.at("rows").at(0).at("n"), 3);
  EXPECT_EQ(six.at("rows").at(0).at("left").at("id"), "membw[bytes=1GiB,kernel=nt]");
  Study short_study(4);
  EXPECT_EQ(short_study.judge_one(claim).at("verdict"), "undecided");
}

TEST(Findings, BestChoosesOverAxesThatTheOtherOperandFixes) {
  World world;
  const std::size_t written = world.suite_case("allreduce");
  for (const char* bytes : {"1MiB", "1GiB"})
    for (const auto& [algo, proto, seconds] : {std::tuple{"~", "~", 0.020}, std::tuple{"Tree", "LL", 0.050},
                                               std::tuple{"Tree", "Simple", 0.028}}) {
      const std::string id =
          world.planned(written, {{"bytes", bytes}, {"env.NCCL_ALGO", algo}, {"env.NCCL_PROTO", proto}}, 6);
      for (int r = 1; r <= 6; ++r)
        world.visit(id, World::around(seconds * (1 + 0.001 * r), 50, 0.001, static_cast<std::uint64_t>(r)),
                    r);
    }
  world.suite.findings = {
      finding("tree > auto", {{"tree", "best(allreduce[env.NCCL_ALGO=Tree].bandwidth)"},
                              {"auto", "allreduce[env.NCCL_ALGO=~, env.NCCL_PROTO=~].bandwidth"}})};
  const Json judged = world.document().at("findings").at(0);
  EXPECT_EQ(judged.at("verdict"), "refuted") << judged.dump(1);
  ASSERT_EQ(judged.at("rows").size(), 2u);
  EXPECT_EQ(judged.at("rows").at(1).at("label"), "bytes=1GiB");
  EXPECT_EQ(judged.at("rows").at(0).at("left").at("id"),
            "allreduce[bytes=1MiB,env.NCCL_ALGO=Tree,env.NCCL_PROTO=Simple]");
  EXPECT_NEAR(double(judged.at("rows").at(0).at("effect")), 20.0 / 28 - 1, 0.01);
}

// What a loader delivers against what a step takes: of what each has for itself neither is the other's confounder.
TEST(Findings, ParametersOfOneBenchmarkAloneAreNoConfounders) {
  World world;
  const std::string left = world.planned(world.suite_case("a"), {}, 3);
  const std::string right = world.planned(world.suite_case("b"), {}, 3);
  for (int r = 1; r <= 3; ++r) {
    world.visit(left, World::around(0.02), r);
    world.visit(right, World::around(0.03), r);
  }
  world.suite.findings = {finding("a[].bandwidth > b[].bandwidth")};
  catalog::Benchmark loader = *world.case_of(right).benchmark;
  loader.name = "loader";
  world.case_of(right).benchmark = &loader;
  world.case_of(left).parameters["layers"] = 2;
  world.case_of(right).parameters["workers"] = 4;
  world.case_of(right).placement.ranks.front().devices = {"host:0"};
  EXPECT_EQ(world.document().at("findings").at(0).at("verdict"), "confirmed");
  world.case_of(left).parameters["batch"] = 16;
  world.case_of(right).parameters["batch"] = 32;
  EXPECT_EQ(world.document().at("findings").at(0).at("why"),
            "a and b differ in batch, benchmark: more than one thing");
  for (const char* name : {"batch2", "batch3", "batch4", "batch5", "batch6"}) {
    world.case_of(left).parameters[name] = 1;
    world.case_of(right).parameters[name] = 2;
  }
  EXPECT_EQ(world.document().at("findings").at(0).at("why"),
            "a and b differ in batch, batch2, batch3, batch4, batch5 and 2 more: more than one thing");
}

TEST(Findings, RowsThatDifferInMoreThanTheSelectorsSayAreNotComparable) {
  World world;
  const std::size_t a = world.suite_case("a");
  const std::size_t b = world.suite_case("b");
  const std::string left = world.planned(a, {}, 3);
  const std::string right = world.planned(b, {}, 3);
  for (int r = 1; r <= 3; ++r) {
    world.visit(left, World::around(0.02), r);
    world.visit(right, World::around(0.03), r);
  }
  world.suite.findings = {finding("a[].bandwidth > b[].bandwidth")};
  world.case_of(right).parameters["bytes"] = 1;
  EXPECT_NE(world.document().at("findings").at(0).at("verdict"), "not_comparable");
  world.case_of(right).measure.cache = "cold";
  const Json judged = world.document().at("findings").at(0);
  EXPECT_EQ(judged.at("verdict"), "not_comparable");
  EXPECT_EQ(judged.at("why"), "a and b differ in bytes, cache: more than one thing");
  EXPECT_EQ(judged.at("rows").at(0).at("left"),
            (Json{{"id", "a"}, {"metric", "bandwidth"}, {"value", nullptr}, {"unit", nullptr}}));
}

TEST(Findings, OfTooManyRowsAreUndecided) {
  World world;
  const std::size_t a = world.suite_case("a"), b = world.suite_case("b");
  for (int i = 0; i < 150; ++i) {
    world.planned(a, {{"x", std::to_string(i)}});
    world.planned(b, {{"y", std::to_string(i)}});
  }
  world.suite.findings = {finding("a[].bandwidth > b[].bandwidth")};
  const Json found = world.document().at("findings").at(0);
  EXPECT_EQ(found.at("verdict"), "undecided");
  EXPECT_THAT(found.at("why").get<std::string>(),
              testing::StartsWith("its operands make more than 20000 rows"));
  EXPECT_EQ(found.at("rows").size(), 0U);
}

TEST(Findings, SayWhatIsMissing) {
  Study study(6);
  for (result::Visit& visit : study.world.visits)
    if (visit.case_id == "membw[bytes=1GiB,kernel=nt]" && visit.round == 2)
      visit.outcome = result::Outcome::crashed;
  const Json judged = study.judge_one(finding("membw[kernel=nt].bandwidth > membw[kernel=plain].bandwidth"));
  EXPECT_EQ(judged.at("verdict"), "undecided");
  EXPECT_EQ(judged.at("why"), "undecided in 1 of 2 rows, confirmed in 1 of 2 rows");
  EXPECT_EQ(judged.at("rows").at(0).at("why"), "membw[bytes=1GiB,kernel=nt] has no result (crashed)");
  // What was not measured is not zero.
  EXPECT_EQ(judged.at("rows").at(0).at("left"),
            (Json{{"id", ""}, {"metric", ""}, {"value", nullptr}, {"unit", nullptr}}));
  EXPECT_GT(judged.at("rows").at(1).at("left").at("value"), 0);
  EXPECT_EQ(
      study.judge_one(finding("membw[kernel=warp].bandwidth > membw[kernel=plain].bandwidth")).at("why"),
      "no case of this run matches 'membw[kernel=warp].bandwidth'");
}

TEST(Findings, AreNotJudgedInAQuickRunAndSaySo) {
  Study study(6);
  study.world.header.options.quick = true;
  const Json judged = study.judge_one(finding("membw[kernel=nt].bandwidth > membw[kernel=plain].bandwidth"));
  EXPECT_EQ(judged.at("verdict"), "undecided");
  EXPECT_EQ(judged.at("why"), "findings are not judged in a quick run");
}

TEST(Findings, ChangeTheExitCodeOnlyWhenAsserted) {
  Study study(6);
  suite::SuiteFinding claim = finding("membw[kernel=plain].bandwidth > membw[kernel=nt].bandwidth");
  study.world.suite.findings = {claim};
  EXPECT_EQ(study.world.document().at("verdict").at("exit_code"), 0);
  study.world.suite.findings[0].assert_confirmed = true;
  const Json verdict = study.world.document().at("verdict");
  EXPECT_EQ(verdict.at("exit_code"), 1);
  EXPECT_EQ(verdict.at("outcome"), "failed");
  EXPECT_EQ(verdict.at("reasons").at(0).at("code"), "finding.not-confirmed");
}

}  // namespace
}  // namespace assay::judge
