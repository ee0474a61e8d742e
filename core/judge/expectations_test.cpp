// SPDX-License-Identifier: Apache-2.0
#include "judge/expectations.hpp"

#include "judge/judge_test_world.hpp"
#include "result/reasons.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace assay::judge {
namespace {

// One case at 50 GB/s ± 0.1 %, whose verdict interval is about ± 1 %.
Json expectation_of(const std::string& text, const std::function<void(World&, result::Visit&)>& change = {}) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {text}), {{"kernel", "triad"}});
  result::Visit& visit = world.visit(id, World::around(0.02));
  visit.telemetry = {
      {1, "host:0", "temperature", 60}, {2, "host:0", "temperature", 84}, {1, "host:0", "clock", 1.9e9}};
  visit.ranks[0].facts = {{"threads", "2"}, {"algorithm", "ring"}};
  if (change) change(world, visit);
  return world.judged().at("expectations").at(0);
}

std::string status(const std::string& text, const std::function<void(World&, result::Visit&)>& change = {}) {
  return expectation_of(text, change).at("status");
}

TEST(Expectations, PassFailOrStayUndecidedByTheWholeInterval) {
  EXPECT_EQ(status("bandwidth >= 49 GB/s"), "passed");
  EXPECT_EQ(status("bandwidth >= 49.8 GB/s"), "undecided");
  EXPECT_EQ(status("bandwidth >= 50.2 GB/s"), "undecided");
  EXPECT_EQ(status("bandwidth >= 51 GB/s"), "failed");
  EXPECT_EQ(status("bandwidth < 51 GB/s"), "passed");
  EXPECT_EQ(status("time <= 25 ms"), "passed");
  EXPECT_EQ(status("time <= 15 ms"), "failed");
}

TEST(Expectations, KeepValueLimitUnitAndOperatorForReports) {
  const Json each = expectation_of("60 GB/s <= bandwidth");
  EXPECT_EQ(each.at("operator"), ">=");
  EXPECT_EQ(each.at("limit"), 6e10);
  EXPECT_EQ(each.at("unit"), "B/s");
  EXPECT_NEAR(double(each.at("value")), 5e10, 1e8);
  EXPECT_EQ(each.at("position").at("line"), 11);
  // Also where there is nothing to judge.
  const Json without = expectation_of(
      "60 GB/s <= bandwidth", [](World&, result::Visit& visit) { visit.outcome = result::Outcome::crashed; });
  EXPECT_EQ(without.at("status"), "not_judged");
  EXPECT_EQ(without.at("operator"), ">=");
  EXPECT_EQ(without.at("value"), nullptr);
  EXPECT_EQ(without.at("limit"), nullptr);
}

TEST(Expectations, SayInTheReasonWhyAPercentileStaysOpen) {
  World world;
  const std::string id =
      world.planned(world.suite_case("membw", {"p999(time) <= 25 ms"}), {{"kernel", "triad"}});
  world.options.strict = true;
  world.visit(id, World::around(0.02));
  EXPECT_THAT(world.judged().at("reason").at("text").get<std::string>(),
              testing::HasSubstr("n too small: 50 iterations"));
}

TEST(Expectations, SayOfALimitThatIsMissedByMeetingItThatItWasNotToBe) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"temperature != 84 C"}), {});
  world.visit(id, World::around(0.02)).telemetry = {{1, "host:0", "temperature", 84}};
  EXPECT_EQ(world.judged().at("reason").at("text"), "temperature 84 °C, limit ≠ 84 °C");
}

// As limits on them are judged, of iterations that are timed one by one alone.
TEST(Percentiles, StandBesideTheTimesOfManyIterations) {
  const auto times = [](std::size_t n, std::uint64_t iterations) {
    World world;
    const std::string id = world.planned(world.suite_case("membw", {}), {{"kernel", "triad"}}, 3);
    for (int r = 1; r <= 3; ++r)
      world.visit(id, World::around(0.02, n, 0.01, static_cast<std::uint64_t>(r)), r)
          .ranks[0]
          .series.iterations = iterations;
    return world.judged().at("time");
  };
  const Json many = times(20000, 1);
  ASSERT_EQ(many.at("tail").size(), 2U) << many;
  for (const Json& each : many.at("tail")) {
    EXPECT_LE(each.at("low"), each.at("value"));
    EXPECT_GE(each.at("high"), each.at("value"));
  }
  EXPECT_EQ(many.at("tail")[1].at("share"), 0.999);
  EXPECT_GT(many.at("tail")[1].at("value"), many.at("p99"));

  const Json fewer = times(2000, 1);
  EXPECT_NE(fewer.at("tail")[0].at("high"), nullptr);
  EXPECT_EQ(fewer.at("tail")[1].at("high"), nullptr) << "6000 are too few for p99.9";
  EXPECT_FALSE(times(100, 1).contains("tail"));
  EXPECT_FALSE(times(2000, 4).contains("tail"));
}

TEST(Expectations, KeepTheUnitInWhichTheLimitWasWritten) {
  EXPECT_EQ(expectation_of("bandwidth >= 600 MB/s").at("written"), Json({{"unit", "MB/s"}, {"scale", 1e6}}));
  EXPECT_EQ(expectation_of("25000 us >= time").at("written"), Json({{"unit", "us"}, {"scale", 1e-6}}));
  EXPECT_FALSE(expectation_of("bandwidth >= 60% of peak").contains("written"));
  EXPECT_FALSE(expectation_of("bandwidth >= 2 * 600 MB/s").contains("written"));
}

TEST(Expectations, AShareOfThePeakNeedsAPeak) {
  EXPECT_EQ(status("bandwidth >= 60% of peak"), "passed");
  EXPECT_EQ(status("bandwidth >= 70% of peak"), "failed");
  const Json unknown = expectation_of("bandwidth >= 60% of peak", [](World& world, result::Visit&) {
    world.inventory.backends[0].devices[0].facts = Json::object();
  });
  EXPECT_EQ(unknown.at("status"), "no_reference");
  EXPECT_NE(unknown.at("why").get<std::string>().find("host:0"), std::string::npos);
  EXPECT_EQ(status("memory <= 60% of peak"), "not_judged");
}

TEST(Expectations, WithoutReferenceOrBaselineFailAndSayWhy) {
  EXPECT_EQ(expectation_of("bandwidth >= 95% of baseline").at("why"),
            "no baseline was given: run, or judge, with --baseline FILE");
  EXPECT_EQ(status("bandwidth >= 95% of baseline"), "no_reference");
  EXPECT_EQ(status("bandwidth >= 95% of reference"), "no_reference");
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 95% of reference"}), {});
  world.visit(id, World::around(0.02));
  const Json whole = world.document();
  EXPECT_EQ(whole.at("cases").at(0).at("outcome"), "failed");
  EXPECT_EQ(whole.at("verdict").at("reasons").at(0).at("code"), "expectation.no-reference");
}

TEST(Expectations, UseTheReferenceRow) {
  World world;
  const std::size_t written = world.suite_case("membw", {"bandwidth >= 95% of reference"});
  const std::string reference = world.planned(written, {{"kernel", "copy"}});
  const std::string slow = world.planned(written, {{"kernel", "triad"}});
  for (plan::PlannedCase& each : world.plan.cases) {
    each.reference = reference;
    each.has_reference_key = true;
  }
  world.visit(reference, World::around(0.020));
  world.visit(slow, World::around(0.022));
  EXPECT_EQ(world.judged(reference).at("expectations").at(0).at("status"), "passed");
  EXPECT_EQ(world.judged(slow).at("expectations").at(0).at("status"), "failed");
  // What repeats a row repeats the one that it was compared with.
  const auto repeats = [&](const std::string& id, const char* kernel) {
    return world.judged(id).at("reproduce").get<std::string>().find(kernel) != std::string::npos;
  };
  EXPECT_TRUE(repeats(slow, "triad") && repeats(slow, "copy"));
  EXPECT_FALSE(repeats(reference, "triad"));
  world.visits[0].outcome = result::Outcome::crashed;
  EXPECT_EQ(world.judged(slow).at("expectations").at(0).at("status"), "no_reference");
}

TEST(Expectations, AShareOfTheReferenceIsOfOneMetric) {
  for (const char* that : {"latency + time <= 150% of reference", "150% of reference >= time + latency"}) {
    World world;
    const std::size_t written = world.suite_case("membw", {that});
    const std::string reference = world.planned(written, {{"kernel", "copy"}});
    const std::string slow = world.planned(written, {{"kernel", "triad"}});
    for (const std::string& id : {reference, slow}) {
      world.case_of(id).reference = reference;
      world.case_of(id).has_reference_key = true;
      world.visit(id, World::around(0.02)).work["latency"] = 100;
    }
    const Json each = world.judged(slow).at("expectations").at(0);
    EXPECT_EQ(each.at("status"), "no_reference") << that;
    EXPECT_THAT(each.at("why").get<std::string>(), testing::HasSubstr("its share is of one metric")) << that;
  }
}

// A row and its reference, whose samples and values a test sets.
struct BesideReference {
  explicit BesideReference(const std::string& that) {
    const std::size_t written = world.suite_case("membw", {that});
    reference = world.planned(written, {{"kernel", "copy"}});
    row = world.planned(written, {{"kernel", "triad"}});
    for (const std::string& id : {reference, row}) {
      world.case_of(id).reference = reference;
      world.case_of(id).has_reference_key = true;
    }
  }
  [[nodiscard]] Json judged(const std::string& id) const { return world.judged(id).at("expectations").at(0); }
  World world;
  std::string reference, row;
};

TEST(Expectations, AShareOfTheReferenceIsOfTheSameFunction) {
  // The fast end of the row lies above the typical rate of the reference, and below its fast end.
  BesideReference fast("p99(bandwidth) >= 95% of reference");
  fast.world.visit(fast.reference, World::around(0.020, 2000, 0.1));
  fast.world.visit(fast.row, World::around(0.024, 2000, 0.1, 2));
  EXPECT_EQ(fast.judged(fast.row).at("status"), "failed");
  EXPECT_THAT(fast.judged(fast.row).at("why").get<std::string>(),
              testing::HasSubstr(", p99(bandwidth) of membw[kernel=copy]"));
  EXPECT_EQ(fast.judged(fast.reference).at("status"), "passed") << "a row is equal to itself";

  BesideReference sum("sum(memory) >= 90% of reference");
  for (const auto& [id, value] : {std::pair(sum.reference, 2.0), std::pair(sum.row, 1.0)})
    sum.world.visit(id, World::around(0.02)).ranks[0].values = {{"memory", {0}, value},
                                                                {"memory", {1}, value}};
  EXPECT_EQ(sum.judged(sum.row).at("status"), "failed") << "2 of 4, though more than each of 2 and 2";
  EXPECT_EQ(sum.judged(sum.reference).at("status"), "passed");

  BesideReference two("p99(time) - time <= 10% of reference");
  two.world.visit(two.reference, World::around(0.020, 500));
  two.world.visit(two.row, World::around(0.020, 500));
  EXPECT_EQ(two.judged(two.row).at("status"), "no_reference");
  EXPECT_THAT(two.judged(two.row).at("why").get<std::string>(), testing::HasSubstr("p99(time), time"));
}

TEST(Expectations, SumDevicesAndNotReadingsAndNeedEveryDevice) {
  EXPECT_EQ(status("sum(temperature) <= 100 C"), "not_judged") << "60 and 84 C are not added up";
  World world;
  const std::size_t written = world.suite_case("membw", {"sum(power over device) <= 1000 W"});
  for (const char* device : {"host:0", "host:1"}) {
    result::Visit& visit =
        world.visit(world.planned(written, {{"kernel", "triad"}, {"device", device}}), World::around(0.02));
    visit.telemetry = {{1, device, "power", 700}};
  }
  const auto group = [&] { return world.document().at("groups").at(0).at("status"); };
  EXPECT_EQ(group(), "failed");
  world.inventory.backends[0].devices[1].lacks = {"power"};
  world.visits[1].telemetry.clear();
  EXPECT_EQ(group(), "not_judged") << "700 W are those of one device";
}

TEST(Expectations, ABaselineHasNoPercentiles) {
  EXPECT_EQ(expectation_of("p50(bandwidth) >= 95% of baseline").at("why"),
            "a baseline has the mean of 'bandwidth', and no p50");
}

TEST(Expectations, FunctionsAreOfWhateverStandsInThem) {
  EXPECT_EQ(status("sum(bandwidth / 2) >= 24 GB/s"), "passed");
  EXPECT_EQ(status("sum(bandwidth / 2) >= 26 GB/s"), "failed");
  EXPECT_EQ(status("sum(50% of bandwidth) >= 40 GB/s"), "failed");
  EXPECT_EQ(status("max(-temperature) <= -80 C"), "failed");
}

TEST(Expectations, RefusePercentilesOfBatches) {
  EXPECT_EQ(status("p50(time) <= 25 ms"), "passed");
  EXPECT_EQ(status("p50(time) <= 15 ms"), "failed");
  EXPECT_EQ(status("p99(time) <= 25 ms"), "undecided");  // 50 laps say nothing of the upper end
  EXPECT_NE(
      expectation_of("p999(time) <= 25 ms").at("why").get<std::string>().find("n too small: 50 iterations"),
      std::string::npos);
  EXPECT_EQ(status("p99(time) <= 15 ms"), "failed");  // but its lower end is above this
  const Json refused = expectation_of("p90(time) <= 25 ms", [](World&, result::Visit& visit) {
    visit.ranks[0].series.iterations = 4;
    visit.work["bandwidth"] = 0.25e9;
  });
  EXPECT_EQ(refused.at("status"), "not_judged");
  EXPECT_NE(refused.at("why").get<std::string>().find("a sample holds several (4)"), std::string::npos);
}

TEST(Expectations, FaceTheWorstReadingOfTelemetry) {
  EXPECT_EQ(status("temperature <= 85 C"), "passed");
  EXPECT_EQ(status("temperature <= 80 C"), "failed");
  EXPECT_EQ(status("temperature >= 55 C"), "passed");
  EXPECT_EQ(status("temperature >= 65 C"), "failed");
  EXPECT_EQ(expectation_of("temperature <= 80 C").at("value"), 84.0);
  EXPECT_EQ(status("clock >= 1.8 GHz"), "passed");
  EXPECT_EQ(status("power <= 700 W"), "not_judged");
}

TEST(Expectations, CompareFactsAsTexts) {
  EXPECT_EQ(status("algorithm == \"ring\""), "passed");
  EXPECT_EQ(status("algorithm != \"ring\""), "failed");
  EXPECT_EQ(status("kernel == \"triad\""), "passed");
  EXPECT_EQ(status("protocol == \"LL\""), "not_judged");
  const auto kept = [](World& world, result::Visit&) {
    world.plan.cases.front().parameters["persistent"] = true;
  };
  EXPECT_EQ(status("persistent == \"true\"", kept), "passed");
  EXPECT_EQ(status("persistent == \"false\"", kept), "failed");
}

TEST(Expectations, DoArithmeticWithIntervals) {
  EXPECT_EQ(status("bandwidth * time >= 0.95 GB"), "passed");
  EXPECT_EQ(status("bandwidth * time <= 1 GB"), "undecided");
  EXPECT_EQ(status("bandwidth - 10 GB/s <= 45 GB/s"), "passed");
  EXPECT_EQ(status("bandwidth / bandwidth <= 1.05"), "passed");
  EXPECT_EQ(status("bandwidth + time <= 1"), "not_judged");
}

TEST(Expectations, UndecidedWarnsAndFailsUnderStrict) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 50 GB/s"}), {});
  world.visit(id, World::around(0.02));
  Json whole = world.document();
  EXPECT_EQ(whole.at("cases").at(0).at("outcome"), "passed");
  EXPECT_EQ(whole.at("verdict").at("undecided"), 1);
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 0);
  EXPECT_EQ(whole.at("verdict").at("reasons").at(0).at("severity"), "warning");
  world.options.strict = true;
  whole = world.document();
  EXPECT_EQ(whole.at("cases").at(0).at("outcome"), "failed");
  EXPECT_EQ(whole.at("cases").at(0).at("reason").at("code"), "expectation.undecided");
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 1);
}

TEST(Expectations, TellTheEndsOfAnIntervalFromTheLimitInside) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 50 GB/s"}), {});
  world.visit(id, World::around(0.02, 50, 1e-5));
  const std::string text = world.document().at("verdict").at("reasons").at(0).at("text");
  EXPECT_EQ(text.find("[50 GB/s,"), std::string::npos) << text;
  EXPECT_EQ(text.find(", 50 GB/s]"), std::string::npos) << text;
  EXPECT_NE(text.find("limit 50 GB/s"), std::string::npos) << text;
}

TEST(Expectations, PutTheFailureAndTheSuitesNextStepIntoTheVerdict) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 60 GB/s"}), {});
  world.suite.cases[0].expect[0].say = "Check clocks and cooling.";
  world.visit(id, World::around(1e9 / 41.2e9));
  const Json reason = world.document().at("verdict").at("reasons").at(0);
  EXPECT_EQ(reason.at("code"), "expectation.failed");
  EXPECT_EQ(reason.at("severity"), "failure");
  EXPECT_EQ(reason.at("subject"), "membw");
  EXPECT_EQ(reason.at("text"), "bandwidth 41.2 GB/s, limit 60 GB/s");
  EXPECT_EQ(reason.at("next"), "Check clocks and cooling.");
  EXPECT_EQ(reason.at("position").at("line"), 11);
}

TEST(Expectations, TellAValueFromALimitThatReadsLikeItInThreeDigits) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"bandwidth >= 41.3 GB/s"}), {}, 3);
  for (int round = 1; round <= 3; ++round)
    world.visit(id, World::around(1e9 / 41.26e9, 50, 1e-6, static_cast<std::uint64_t>(round)), round);
  EXPECT_EQ(world.document().at("verdict").at("reasons").at(0).at("text"),
            "bandwidth 41.26 GB/s, limit 41.3 GB/s");
}

// "One GPU is slower than its neighbours." is true of what failed, and of nothing else.
TEST(Expectations, KeepTheSuitesNextStepForWhatFailed) {
  for (const char* relation : {"bandwidth >= 50 GB/s", "bandwidth >= 90% of reference"}) {
    World world;
    const std::string id = world.planned(world.suite_case("membw", {relation}), {});
    world.suite.cases[0].expect[0].say = "Check clocks and cooling.";
    world.visit(id, World::around(0.02));
    world.options.strict = true;
    const Json reason = world.document().at("verdict").at("reasons").at(0);
    EXPECT_NE(reason.at("code"), "expectation.failed") << relation;
    EXPECT_EQ(reason.at("next"), result::find_reason(reason.at("code").get<std::string>())->next) << relation;
  }
}

TEST(Expectations, DerivedQuantitiesCanBeExpected) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"cost <= 0.03 s"}), {});
  suite::Derive derive;
  derive.name.value = "cost";
  derive.text = "time * 1.2";
  derive.expression = World::parse(derive.text);
  world.suite.derive = {derive};
  world.visit(id, World::around(0.02));
  const Json judged = world.judged();
  EXPECT_NEAR(double(metric_of(judged, "cost").at("value")), 0.024, 1e-4);
  EXPECT_EQ(metric_of(judged, "cost").at("kind"), "derived");
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "passed");
}

TEST(Expectations, DerivedQuantitiesHaveTheIntervalOfTheirRounds) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {}, 3);
  suite::Derive cost, share;
  cost.name.value = "cost";
  cost.text = "time * 1.2";
  cost.expression = World::parse(cost.text);
  share.name.value = "share";
  share.text = "time / cost";
  share.expression = World::parse(share.text);
  world.suite.derive = {cost, share};
  for (int r = 1; r <= 3; ++r)
    world.visit(id, World::around(0.02 + 0.001 * r, 60, 1e-4, static_cast<std::uint64_t>(r)), r);
  const Json judged = world.judged();
  const Json& time = metric_of(judged, "time");
  const Json& derived = metric_of(judged, "cost");
  ASSERT_EQ(derived.at("rounds").size(), 3U);
  for (std::size_t r = 0; r < 3; ++r)
    EXPECT_NEAR(double(derived.at("rounds")[r]), 1.2 * double(time.at("rounds")[r]), 1e-12);
  EXPECT_NEAR(double(derived.at("value")), 1.2 * double(time.at("value")), 1e-12);
  EXPECT_EQ(derived.at("interval").at("kind"), "between_process");
  EXPECT_NEAR(double(derived.at("interval").at("low")), 1.2 * double(time.at("interval").at("low")), 1e-12);
  // Where the operands move together, their quotient does not move: no interval arithmetic over rounds.
  const Json& ratio = metric_of(judged, "share");
  EXPECT_NEAR(double(ratio.at("value")), 1 / 1.2, 1e-12);
  if (!ratio.at("interval").is_null()) {
    EXPECT_NEAR(double(ratio.at("interval").at("high")), 1 / 1.2, 1e-9);
  }
}

// Samples from 100 s to 101 s, and a reading of the power before, two among them and one after.
Json read_meanwhile(const std::string& expectation, const std::string& derived,
                    const std::vector<result::Reading>& readings) {
  World world;
  const std::string id = world.planned(world.suite_case("membw", {expectation}), {});
  suite::Derive derive;
  derive.name.value = "energy_per_iteration";
  derive.text = derived;
  derive.expression = World::parse(derive.text);
  world.suite.derive = {derive};
  result::Visit& visit = world.visit(id, World::around(0.02));
  visit.measurement.first_sample_at_s = 100;
  result::Series& series = visit.ranks[0].series;
  series.begin_s.assign(series.device_s.size(), 0);
  series.host_s = series.device_s;
  series.begin_s.back() = 1 - series.host_s.back();
  visit.telemetry = readings;
  return world.judged();
}

TEST(Expectations, LookAtWhatWasReadWhileSamplesWereTaken) {
  const Json judged = read_meanwhile("power >= 600 W", "power * time",
                                     {{99.9, "host:0", "power", 90},
                                      {100.1, "host:0", "power", 680},
                                      {100.9, "host:0", "power", 700},
                                      {101.1, "host:0", "power", 300}});
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "passed");
  const Json energy = metric_of(judged, "energy_per_iteration");
  EXPECT_NEAR(double(energy.at("value")), 690 * 0.02, 0.05);
  EXPECT_LT(double(energy.at("verdict_interval").at("low")), 681 * 0.02);
  EXPECT_GT(double(energy.at("verdict_interval").at("high")), 699 * 0.02);
  EXPECT_EQ(judged.at("telemetry").at(0).at("during"), "samples");
  EXPECT_EQ(judged.at("telemetry").at(0).at("mean"), 690);
}

TEST(Expectations, UseReadingsOfTheWholeVisitIfSamplingHasNone) {
  const Json judged = read_meanwhile("power >= 600 W", "power * time", {{99.9, "host:0", "power", 90}});
  EXPECT_EQ(judged.at("expectations").at(0).at("status"), "failed");
  EXPECT_EQ(judged.at("telemetry").at(0).at("during"), "visit");
  for (const Json& metric : judged.at("metrics")) EXPECT_NE(metric.at("name"), "energy_per_iteration");
}

}  // namespace
}  // namespace assay::judge
