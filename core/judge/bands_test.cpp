// SPDX-License-Identifier: Apache-2.0
#include "judge/bands.hpp"

#include "judge/judge_test_world.hpp"
#include "model/measure_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::judge {
namespace {

using testing::HasSubstr;

// One device that does 50 GB/s, less this many percent, against a baseline of 50 GB/s and 1 %.
struct Held {
  World world;
  baseline::Baseline baseline;
  explicit Held(double slower_percent, const std::string& limit = "bandwidth within band") {
    const std::size_t written = world.suite_case("membw", {limit});
    const std::string id = world.planned(written, {{"device", "host:0"}});
    world.visit(id, World::around(0.02 / (1 - slower_percent / 100), 50, 1e-5));
    const plan::PlannedCase& planned = world.plan.cases[0];
    baseline::BandRow row{"membw", "bandwidth", 50e9, "B/s", 1, 8, ""};
    row.work =
        baseline::work_of("membw", "host", 1, planned.parameters, model::conditions_to_json(planned.measure),
                          {}, 1, planned.placement.load, planned.placement.bind);
    baseline::Band band;
    band.model = "Example CPU";
    band.rows = {row};
    baseline.bands = {band};
  }
  Json judged() {
    world.header.options.baseline = result::NamedText{"b.yaml", baseline::to_yaml(baseline)};
    return world.judged().at("expectations").at(0);
  }
  std::string status() { return judged().at("status"); }
  std::string why() { return judged().at("why"); }
};

TEST(Bands, OfAnotherEnvironmentAreNoReference) {
  Held held(0);
  held.world.plan.cases[0].environment = {{"MODE", "slow"}};
  EXPECT_EQ(held.status(), "no_reference");
  EXPECT_THAT(held.why(), HasSubstr("its parameters, conditions, environment or ranks differ"));
}

// A row without devices has no power limit, so that both bands are of it.
TEST(Bands, TwoThatAreOfOneRowJudgeNothing) {
  Held held(0);
  held.world.plan.cases[0].placement.ranks[0].devices.clear();
  held.baseline.bands[0].model = "";  // of no device
  held.baseline.bands[0].power_limit_w = 700;
  held.baseline.bands.push_back(held.baseline.bands[0]);
  held.baseline.bands[1].power_limit_w = 600;
  held.baseline.bands[1].rows[0].mean = 5e9;
  EXPECT_EQ(held.status(), "not_judged");
  EXPECT_THAT(held.why(), HasSubstr("in two bands that are of such devices"));
}

// t of 7 degrees of freedom at 0.99 is 2.998, times the root of 1 + 1/8: 3.2 % below.
TEST(Bands, HoldWhatLiesAsFarOutAsHealthyOnesDo) {
  EXPECT_EQ(Held(0).status(), "passed");
  EXPECT_EQ(Held(3).status(), "passed");
  EXPECT_EQ(Held(-20).status(), "passed");
  Held slow(4.8);
  EXPECT_EQ(slow.status(), "failed");
  EXPECT_THAT(
      slow.why(),
      HasSubstr(
          "host:0: bandwidth 4.8 % below the mean of 8 that were healthy (47.6 GB/s against 50 GB/s), band 3.1 % below"));
  EXPECT_EQ(slow.world.document().at("verdict").at("exit_code"), 1);
}

TEST(Bands, WhatIsLessIsBetterHasItsEndAbove) {
  Held held(5, "time within band");
  held.baseline.bands[0].rows[0].metric = "time";
  held.baseline.bands[0].rows[0].unit = "s";
  held.baseline.bands[0].rows[0].mean = 0.02;
  EXPECT_EQ(held.status(), "failed");
  held.baseline.bands[0].rows[0].mean = 0.03;
  EXPECT_EQ(held.status(), "passed");
}

TEST(Bands, AShareOfABaselineIsOfItsMean) {
  EXPECT_EQ(Held(1, "bandwidth >= 97% of baseline").status(), "passed");
  Held slow(6, "bandwidth >= 97% of baseline");
  EXPECT_EQ(slow.status(), "failed");
  EXPECT_THAT(slow.why(), HasSubstr("97 % of 50 GB/s, baseline of 8"));
}

TEST(Bands, ThatDoNotFitAreNoReferenceAndSayWhy) {
  const auto why = [](const auto& change, const std::string& limit = "bandwidth within band") {
    Held held(0, limit);
    change(held);
    EXPECT_EQ(held.status(), "no_reference");
    return held.why();
  };
  const auto band = [](Held& held) -> baseline::Band& { return held.baseline.bands[0]; };
  EXPECT_THAT(why([&](Held& h) { band(h).model = "Other"; }),
              HasSubstr("the baseline is of Other, and this is Example CPU"));
  EXPECT_THAT(why([&](Held& h) { band(h).power_limit_w = 700; }),
              HasSubstr("of a power limit of 700 W, and host:0 has none that is known"));
  EXPECT_THAT(why([&](Held& h) {
                band(h).oldest_driver = band(h).newest_driver = "580.1";
                h.world.inventory.backends[0].facts["driver"] = "590.2";
              }),
              HasSubstr("of drivers from 580.1 to 580.1, and this is 590.2"));
  EXPECT_THAT(why([&](Held& h) { band(h).device = "n7 host:0"; }),
              HasSubstr("of runs on 'n7 host:0' alone, and this is 'n042 host:0'"));
  EXPECT_THAT(why([&](Held& h) { band(h).rows[0].work = "0"; }), HasSubstr("was measured otherwise"));
  EXPECT_THAT(why([&](Held& h) { band(h).rows[0].row = "other"; }),
              HasSubstr("has no row 'membw' with 'bandwidth'"));
  EXPECT_THAT(why([&](Held& h) { band(h).rows[0].row = "other"; }, "bandwidth >= 1% of baseline"),
              HasSubstr("has no row"));
}

TEST(Bands, WithoutABaselineThereIsNoReference) {
  for (const char* limit : {"bandwidth within band", "bandwidth >= 1% of baseline"}) {
    Held held(0, limit);
    const Json judged = held.world.judged().at("expectations").at(0);
    EXPECT_EQ(judged.at("status"), "no_reference");
    EXPECT_THAT(judged.at("why").get<std::string>(), HasSubstr("--baseline FILE"));
  }
}

TEST(Bands, AreTakenByTheDeviceThatTheyAreOf) {
  Held held(0);
  held.baseline.bands[0].device = "n042 host:0";
  EXPECT_EQ(held.status(), "passed");
}

}  // namespace
}  // namespace assay::judge
