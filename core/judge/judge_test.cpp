// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.hpp"

#include "judge/judge_test_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace assay::judge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using World = assay::judge::World;

TEST(Judge, PublishesWorkOverTimeAsTheRate) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  // Twenty fast samples and one slow: the rate is of the totals, 21 GB in 3 s, not the mean or median of
  // rates.
  std::vector<double> seconds;
  for (int i = 0; i < 20; ++i) seconds.push_back(i % 2 ? 0.09 : 0.11);
  seconds.push_back(1.0);
  world.visit(id, seconds);
  const Json judged = world.judged();
  const Json bandwidth = metric_of(judged, "bandwidth");
  EXPECT_NEAR(bandwidth.at("value"), 7e9, 1);
  EXPECT_EQ(bandwidth.at("statistic"), "work over time");
  EXPECT_EQ(bandwidth.at("n"), 21);
  EXPECT_EQ(metric_of(judged, "time").at("value"), 0.11);
  EXPECT_EQ(judged.at("outcome"), "passed");
  EXPECT_EQ(judged.at("reason"), nullptr);
}

TEST(Judge, SumsWorkOverRanksAndTakesTheSlowestRankOfEachSample) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  result::Visit& visit = world.visit(id, {1, 3, 1, 3, 1, 3, 1, 3});
  visit.ranks.push_back(visit.ranks.front());
  visit.ranks[1].rank = 1;
  visit.ranks[1].series.host_s = {2, 2, 2, 2, 2, 2, 2, 2};
  const Json judged = world.judged();
  EXPECT_DOUBLE_EQ(metric_of(judged, "bandwidth").at("value"), 2e9 * 8 / 20);  // maxima 2 3 2 3 …
  EXPECT_EQ(judged.at("ranks").at(0).at("share_slowest"), 0.5);
  EXPECT_EQ(judged.at("ranks").at(1).at("median_s"), 2.0);
  EXPECT_DOUBLE_EQ(judged.at("team").at("mean_over_ranks_s"), 2.0);
}

TEST(Judge, TellsHowFarApartRanksBegan) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  result::Visit& visit = world.visit(id, {1, 1, 1, 1});
  EXPECT_FALSE(world.judged().contains("team"));
  visit.ranks.push_back(visit.ranks.front());
  visit.ranks[1].rank = 1;
  visit.ranks[0].series.begin_s = {0, 2, 4, 6};
  visit.ranks[1].series.begin_s = {0.5, 1.9, 4.2, 6};
  const Json skew = world.judged().at("team").at("start_skew_s");
  EXPECT_NEAR(skew.at("median"), 0.15, 1e-12);
  EXPECT_NEAR(skew.at("maximum"), 0.5, 1e-12);
  const auto is_skew = [](const Json& flag) { return flag.at("code") == "start_skew"; };
  const Json flags = world.judged().at("flags");
  EXPECT_TRUE(std::any_of(flags.begin(), flags.end(), is_skew)) << flags;
  visit.ranks[1].series.begin_s.clear();
  EXPECT_EQ(world.judged().at("team").at("start_skew_s"), nullptr);
}

TEST(Judge, KeepsAShareOfManySamplesAndTheEndOfALongLog) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  result::Visit& visit = world.visit(id, World::around(0.02, 201));
  EXPECT_EQ(world.judged().at("samples").at("time_s").size(), 200u);
  EXPECT_EQ(world.judged().at("samples").at("thinned"), true);
  visit.outcome = result::Outcome::error;
  visit.reason.code = "plugin.error";
  visit.ranks[0].log = std::string(5000, 'x') + "end\n";
  const std::string log = world.judged().at("log");
  EXPECT_LE(log.size(), 4040u) << "and what says how much is missing";
  EXPECT_TRUE(log.ends_with("xend\n"));
}

TEST(Judge, ShortensTheLargestCasesOfAResultThatIsTooLarge) {
  World world;
  const std::string small = world.planned(world.suite_case("membw"), {});
  world.visit(small, World::around(0.02, 6));
  const std::string large = world.planned(world.suite_case("other"), {});
  result::Visit& visit = world.visit(large, World::around(0.02, 201));
  for (int i = 0; i < 300; ++i)
    visit.ranks[0].checks.push_back({"ecc", std::to_string(i), i != 299, std::string(50, 'x')});
  const Json whole = world.document();
  world.options.most_bytes = 25000;
  const Json document = world.document();
  EXPECT_LE(document.dump(1).size(), world.options.most_bytes);
  EXPECT_EQ(document.at("verdict").at("outcome"), whole.at("verdict").at("outcome"));
  EXPECT_EQ(document.at("verdict").at("reasons").back().at("code"), "run.shortened");
  EXPECT_EQ(document.at("cases")[0], whole.at("cases")[0]) << "it takes less than its share";
  const Json& one = document.at("cases")[1];
  EXPECT_EQ(one.at("outcome"), whole.at("cases")[1].at("outcome"));
  EXPECT_EQ(one.at("flags").back().at("code"), "shortened");
  EXPECT_THAT(one.at("flags").back().at("text").get<std::string>(),
              AllOf(HasSubstr("200 of 200 samples"), HasSubstr("280 of 300 checks")));
  EXPECT_EQ(one.at("checks")[0].at("subject"), "299") << "the one that failed";
}

TEST(Judge, AShortenedResultIsNotLargerThanItMayBe) {
  World world;
  for (const char* name : {"membw", "other"}) {
    const std::string id = world.planned(world.suite_case(name), {});
    result::Visit& visit = world.visit(id, World::around(0.02, 201));
    for (int i = 0; i < 300; ++i) visit.ranks[0].checks.push_back({"ecc", std::to_string(i), true, "x"});
  }
  const std::size_t whole = world.document().dump(1).size();
  int shortened = 0;
  for (std::size_t bytes = 20000; bytes < whole; bytes += 499) {
    world.options.most_bytes = bytes;
    const std::size_t size = world.document().dump(1).size();
    ASSERT_LE(size, bytes);
    ++shortened;
  }
  EXPECT_GT(shortened, 100);
}

TEST(Judge, KeepsTheEndOfEveryRanksLogAndTheGuiltyOnesLast) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  result::Visit& visit = world.visit(id, World::around(0.02));
  visit.outcome = result::Outcome::error;
  visit.reason.code = "plugin.error";
  visit.reason.rank = 0;
  visit.ranks[0].log = std::string(9000, '0') + "the cause\n";
  for (int rank = 1; rank < 4; ++rank) {
    visit.ranks.push_back(visit.ranks.front());
    visit.ranks.back().rank = rank;
    visit.ranks.back().log = rank == 3 ? "short\n" : std::string(9000, '1') + "waits\n";
  }
  const std::string log = world.judged().at("log");
  EXPECT_LE(log.size(), 4150u) << "and what says how much is missing, three times";
  EXPECT_GE(log.size(), 4000u);
  EXPECT_TRUE(log.ends_with("0the cause\n"));
  for (const char* part : {"rank 0:\n[…", "rank 1:\n[…", "rank 3:\nshort\n", "1waits\n"})
    EXPECT_NE(log.find(part), std::string::npos) << part;
}

TEST(Judge, DoesWithAThrottledCaseWhatTheSuiteSays) {
  const auto judged = [](plan::Throttle throttle, const char* reason) {
    World world;
    const std::string id = world.planned(world.suite_case("membw"), {});
    world.plan.cases[0].measure.throttle = throttle;
    world.visit(id, World::around(0.02)).throttle = {{1, "host:0", reason}};
    return world.judged();
  };
  EXPECT_EQ(judged(plan::Throttle::flag, "hw_thermal").at("outcome"), "passed");
  EXPECT_EQ(judged(plan::Throttle::cooldown, "hw_thermal").at("outcome"), "passed");
  EXPECT_EQ(judged(plan::Throttle::fail, "power_cap").at("outcome"), "passed") << "that is not heat";
  const Json failed = judged(plan::Throttle::fail, "hw_thermal");
  EXPECT_EQ(failed.at("outcome"), "failed");
  EXPECT_EQ(failed.at("reason").at("code"), "device.throttled");
  EXPECT_NE(metric_of(failed, "bandwidth").at("value"), nullptr);
}

TEST(Judge, CountsTheVisitThatWasMeasuredAgainAndSaysSo) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.04)).throttle = {{1, "host:0", "hw_thermal"}};
  world.visit(id, World::around(0.02)).attempt = 2;
  const Json judged = world.judged();
  EXPECT_NEAR(double(metric_of(judged, "time").at("value")), 0.02, 1e-3);
  ASSERT_EQ(judged.at("flags").size(), 2u) << judged.at("flags");
  EXPECT_EQ(judged.at("flags").at(0).at("code"), "retried");
  EXPECT_EQ(judged.at("flags").at(1).at("code"), "one_run");
  EXPECT_EQ(judged.at("flags").at(0).at("text"), "attempt 1 of round 1 was throttled");
}

TEST(Judge, GivesNoIntervalBelowSixSamples) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, {0.1, 0.1, 0.1, 0.1, 0.1});
  const Json judged = world.judged();
  EXPECT_EQ(metric_of(judged, "bandwidth").at("interval"), nullptr);
  EXPECT_EQ(judged.at("flags").at(0).at("code"), "one_run");
}

TEST(Judge, WidensTheVerdictIntervalOfFewRoundsAndNotThePrintedOne) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.02));
  const Json bandwidth = metric_of(world.judged(), "bandwidth");
  const double value = bandwidth.at("value");
  EXPECT_EQ(bandwidth.at("interval").at("kind"), "within_process");
  EXPECT_NEAR(double(bandwidth.at("interval").at("low")) - double(bandwidth.at("verdict_interval").at("low")),
              0.01 * value, 1);
}

TEST(Judge, WidensTheVerdictIntervalByWhatTheDoctorMeasuredOfTheBackend) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.02));
  const auto widened_by = [&] {
    const Json bandwidth = metric_of(world.judged(), "bandwidth");
    const double low = bandwidth.at("interval").at("low"), wider = bandwidth.at("verdict_interval").at("low");
    return (low - wider) / double(bandwidth.at("value"));
  };
  const std::string backend = plan::backend_of(world.plan.cases.front());
  world.header.options.run_to_run = {{"run", "r"}, {"shares", {{backend, 0.003}, {"other", 0.5}}}};
  EXPECT_NEAR(widened_by(), 0.003, 1e-9);
  // Of its own kind of work: a rate of bytes is memory's.
  world.header.options.run_to_run["shares"][backend + "/compute"] = 0.001;
  EXPECT_NEAR(widened_by(), 0.003, 1e-9);
  world.header.options.run_to_run["shares"][backend + "/memory"] = 0.002;
  EXPECT_NEAR(widened_by(), 0.002, 1e-9);
  world.header.options.run_to_run["shares"].erase(backend + "/memory");
  world.header.options.run_to_run["shares"].erase(backend);
  EXPECT_NEAR(widened_by(), 0.01, 1e-9) << "it measured another backend only";
}

TEST(Judge, GivesABetweenProcessIntervalFromThreeRoundsOn) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {}, 3);
  world.visit(id, World::around(0.0200), 1);
  world.visit(id, World::around(0.0201), 2);
  world.visit(id, World::around(0.0202), 3);
  const Json bandwidth = metric_of(world.judged(), "bandwidth");
  EXPECT_EQ(bandwidth.at("interval").at("kind"), "between_process");
  EXPECT_EQ(bandwidth.at("interval").at("low"), bandwidth.at("verdict_interval").at("low"));
  EXPECT_EQ(bandwidth.at("rounds").size(), 3u);
  // t with two degrees of freedom on logarithms that are 0.5 % apart: ± 4.303 · 0.005 / √3.
  EXPECT_NEAR(double(bandwidth.at("interval").at("high")) / double(bandwidth.at("value")), 1.0125, 0.0005);
}

TEST(Judge, FailsAWrongResultAndPublishesNothingOfIt) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 1 GB/s"}), {});
  world.visit(id, World::around(0.02)).ranks[0].verifications[0].wrong = 3;
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "failed");
  EXPECT_EQ(judged.at("reason").at("code"), "verify.wrong");
  EXPECT_TRUE(judged.at("metrics").empty());
  EXPECT_EQ(judged.at("diagnostics").at("metrics").at(0).at("name"), "bandwidth");
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "not_judged");
}

TEST(Judge, PublishesNoRateThatWasNotVerified) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 1 GB/s"}), {});
  world.visit(id, World::around(0.02)).ranks[0].verifications.clear();
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "failed");
  EXPECT_EQ(judged.at("reason").at("code"), "verify.missing");
  EXPECT_TRUE(judged.at("metrics").empty());
  EXPECT_EQ(judged.at("diagnostics").at("metrics").at(0).at("name"), "bandwidth");
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "not_judged");
}

TEST(Judge, TellsTheErrorThatCameNearestToItsOwnTolerance) {
  World world;
  result::Visit& visit = world.visit(world.planned(world.suite_case("membw"), {}), World::around(0.02));
  visit.ranks[0].verifications = {{"before", "updates", false, 10, 0, 1e-9, 5e-9},
                                  {"last", "slopes", false, 10, 0, 0.01, 0.02},
                                  {"after", "bits", true, 10, 0, 0, 0}};
  const Json seen = world.judged().at("verification");
  EXPECT_EQ(seen.at("largest_error"), 0.01);
  EXPECT_EQ(seen.at("tolerance"), 0.02);
  EXPECT_EQ(seen.at("checked"), 30);
}

TEST(Judge, ListsAGuardThatTheLoopRaised) {
  World world;
  result::Visit& visit = world.visit(world.planned(world.suite_case("membw"), {}), World::around(0.02));
  visit.outcome = result::Outcome::invalid;
  visit.reason.code = "guard.time-not-proportional";
  visit.reason.text = "2 iterations took 1.02 times as long as 1";
  const Json whole = world.document();
  EXPECT_EQ(whole.at("guards").at(0).at("code"), "guard.time-not-proportional");
  EXPECT_EQ(whole.at("guards").at(0).at("text"), "2 iterations took 1.02 times as long as 1");
}

TEST(Judge, RefusesTimesThatCannotBe) {
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    World world;
    const std::string id = world.planned(world.suite_case("membw"), {});
    world.visit(id, {0.1, 0.1, bad, 0.1, 0.1, 0.1, 0.1});
    const Json whole = world.document();
    EXPECT_EQ(whole.at("cases").at(0).at("outcome"), "error") << bad;
    EXPECT_EQ(whole.at("verdict").at("exit_code"), 5);
    EXPECT_EQ(whole.dump().find("nan"), std::string::npos);
  }
}

TEST(Judge, RefusesARateWithoutWork) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.02)).work.clear();
  EXPECT_EQ(world.judged().at("reason").at("code"), "result.missing");
  world.visits[0].work = {{"bandwidth", 0.0}};
  EXPECT_EQ(world.judged().at("reason").at("code"), "result.zero");
}

TEST(Judge, TakesAZeroCounterAsAValue) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"memory <= 0 B"}), {});
  world.visit(id, World::around(0.02)).ranks[0].values = {{"memory", {}, 0.0}};
  const Json judged = world.judged();
  EXPECT_EQ(metric_of(judged, "memory").at("value"), 0.0);
  EXPECT_EQ(judged.at("outcome"), "passed");
}

TEST(Judge, KeepsIndicesOfRecordedValuesAndTheWorstRank) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"memory <= 10 B"}), {});
  result::Visit& visit = world.visit(id, World::around(0.2));
  visit.ranks.push_back(visit.ranks.front());
  visit.ranks[1].rank = 1;
  visit.ranks[0].values = {{"memory", {0}, 5.0}, {"memory", {1}, 6.0}};
  visit.ranks[1].values = {{"memory", {0}, 11.0}};
  const Json judged = world.judged();
  EXPECT_EQ(metric_of(judged, "memory").at("value"), 11.0);
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "failed");
}

TEST(Judge, HoldsAMeasuredPeakTighterThanACitedOne) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.0119));  // 84 GB/s, 105 % of 80
  EXPECT_EQ(world.judged().at("outcome"), "passed");
  world.inventory.backends[0].devices[0].facts["peaks"]["memory_bandwidth"]["source"] = "measured: read";
  EXPECT_EQ(world.judged().at("outcome"), "invalid");
}

TEST(Judge, TakesAPeakThatTheCaseMeasuredBesideTheWork) {
  World world;
  world.manifest.benchmarks[0].metrics.push_back(
      World::metric("memory_bandwidth", "B/s", catalog::Direction::none, catalog::MetricKind::value));
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 90% of peak"}), {});
  world.visit(id, World::around(0.02)).ranks[0].values = {{"memory_bandwidth", {}, 52e9}};
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "passed");
  EXPECT_EQ(metric_of(judged, "bandwidth").at("peak").at("value"), 52e9);
  EXPECT_EQ(metric_of(judged, "bandwidth").at("peak").at("source"), "measured: in the same process");
}

TEST(Judge, ForgetsAPeakBesideTheWorkThatTheWorkExceeded) {
  World world;
  world.manifest.benchmarks[0].metrics.push_back(
      World::metric("memory_bandwidth", "B/s", catalog::Direction::none, catalog::MetricKind::value));
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 10% of peak"}), {});
  world.visit(id, World::around(0.02)).ranks[0].values = {
      {"memory_bandwidth", {}, 30e9}};  // the work: 50 GB/s
  const Json judged = world.judged();
  EXPECT_NE(judged.at("outcome"), "invalid");
  EXPECT_EQ(metric_of(judged, "bandwidth").at("peak"), nullptr);
  EXPECT_NEAR(double(metric_of(judged, "bandwidth").at("value")), 50e9, 1e8);
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "no_reference");
}

TEST(Judge, DistrustsADeviceClockThatRunsAheadOfTheHost) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  result::Visit& visit = world.visit(id, World::around(0.02));
  visit.measurement.clock = "device";
  EXPECT_EQ(world.judged().at("outcome"), "passed");
  world.visits[0].ranks[0].series.host_s[3] = 0.01;
  EXPECT_EQ(world.judged().at("reason").at("code"), "guard.device-above-host");
  world.visits[0].ranks[0].series.host_s[3] = 0.021;
  world.visits[0].measurement.n_ratio = 1.05;
  EXPECT_EQ(world.judged().at("reason").at("code"), "guard.time-not-proportional");
}

TEST(Judge, TakesTheWorstRoundsOutcomeAndTheLastAttempt) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {}, 2);
  world.visit(id, World::around(0.02), 1).outcome = result::Outcome::crashed;
  world.visit(id, World::around(0.02), 1).attempt = 2;
  result::Visit& second = world.visit(id, World::around(0.02), 2);
  EXPECT_EQ(world.judged().at("outcome"), "passed");
  second.outcome = result::Outcome::timeout;
  second.reason.code = "visit.timeout";
  second.reason.text = "did not end within 2 s";
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "timeout");
  EXPECT_EQ(judged.at("reason").at("code"), "visit.timeout");
  EXPECT_EQ(judged.at("visits").size(), 3u);
  EXPECT_TRUE(judged.at("metrics").empty());
}

TEST(Judge, SaysWhatWasNotRun) {
  World world;
  const std::size_t written = world.suite_case("membw");
  const std::string first = world.planned(written, {{"device", "host:0"}}, 2);
  world.planned(written, {{"device", "host:1"}}, 2);
  world.visit(first, World::around(0.02), 1);
  world.end.interrupted_by = 2;
  const Json whole = world.document();
  EXPECT_EQ(whole.at("cases").at(0).at("outcome"), "cancelled");
  EXPECT_EQ(whole.at("cases").at(1).at("outcome"), "not_run");
  EXPECT_EQ(whole.at("verdict").at("outcome"), "interrupted");
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 130);
  EXPECT_EQ(whole.at("verdict").at("reasons").size(), 1u);
  EXPECT_EQ(whole.at("verdict").at("reasons").at(0).at("code"), "run.interrupted");
}

TEST(Judge, ReportsUnmetRequirementsWithTheirPosition) {
  World world;
  world.planned(world.suite_case("membw"), {});
  world.plan.unmet.push_back({"8 devices of cuda are required, 0 are there", {"unit.yaml", 3, 1}});
  const Json verdict = world.document().at("verdict");
  EXPECT_EQ(verdict.at("outcome"), "unmet");
  EXPECT_EQ(verdict.at("exit_code"), 6);
  EXPECT_EQ(verdict.at("reasons").at(0).at("position").at("line"), 3);
  EXPECT_EQ(verdict.at("counts").at("not_run"), 1);
}

// Whatever the command line says.
TEST(Judge, IsStrictWhereTheSuiteSaysSo) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.02));
  const std::string skipped = world.planned(world.suite_case("other"), {});
  world.visit(skipped, {}).outcome = result::Outcome::skipped;
  EXPECT_EQ(world.document().at("verdict").at("exit_code"), 0);
  world.suite.policy.strict = true;
  const Json whole = world.document();
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 6);
  EXPECT_EQ(whole.at("run").at("mode").at("strict"), true);
}

TEST(Judge, SaysThatNothingRan) {
  World world;
  world.suite_case("membw");
  EXPECT_EQ(world.document().at("verdict").at("outcome"), "nothing_ran");
  EXPECT_EQ(world.document().at("verdict").at("exit_code"), 6);
}

TEST(Judge, ShowsAndNeverJudgesWrappedCases) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 900 GB/s"}), {});
  world.visit(id, World::around(0.02)).measurement.judged = false;
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "passed");
  EXPECT_TRUE(judged.at("expectations").empty());
  EXPECT_EQ(judged.at("flags").back().at("code"), "wrapped");
}

TEST(Judge, CleansTextThatComesFromOutside) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  result::Visit& visit = world.visit(id, World::around(0.02));
  visit.outcome = result::Outcome::error;
  visit.reason = {"plugin.error", "bad \xff\x1b[31m byte", "libc", 5, "prepare", 0, "host:0", ""};
  visit.ranks[0].log = "\xc3(";
  EXPECT_NO_THROW((void)world.document().dump());
  EXPECT_EQ(world.judged().at("reason").at("text").get<std::string>().find('\x1b'), std::string::npos);
}

TEST(Judge, PointsAtTheParameterThatThePluginRefused) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.case_of(id).parameter_positions["bytes"] = {"unit.yaml", 7, 20};
  result::Visit& visit = world.visit(id, {});
  visit.outcome = result::Outcome::error;
  visit.reason = {"plugin.parameter", "too large", "", 0, "probe", -1, "", "bytes"};
  const Json whole = world.document();
  EXPECT_EQ(whole.at("cases").at(0).at("reason").at("position").at("line"), 7);
  EXPECT_EQ(whole.at("verdict").at("reasons").at(0).at("position").at("column"), 20);
}

TEST(Judge, IsPure) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 60% of peak"}), {});
  world.visit(id, World::around(0.02));
  EXPECT_EQ(world.document().dump(), world.document().dump());
}

}  // namespace
}  // namespace assay::judge
