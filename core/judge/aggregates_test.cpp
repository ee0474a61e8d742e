// SPDX-License-Identifier: Apache-2.0
//
// Functions of several values: over an array's indices, over rows and in findings.
#include "judge/case_scope.hpp"
#include "judge/findings_test_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

using ::testing::HasSubstr;

// A row for each of the values that a benchmark records as `v`, or one row with all of them as an array.
struct Recorded {
  World world;
  explicit Recorded(const std::vector<std::string>& expectations) {
    world.manifest.benchmarks.front().metrics.push_back(
        World::metric("v", "1", catalog::Direction::none, catalog::MetricKind::value));
    written = world.suite_case("membw", expectations);
  }
  Recorded& rows(const std::vector<double>& values, int rounds = 1) {
    for (const double value : values) {
      const std::string id = world.planned(written, {{"n", std::to_string(value)}}, rounds);
      for (int round = 1; round <= rounds; ++round)
        world.visit(id, World::around(0.02), round).ranks[0].values = {{"v", {}, value}};
    }
    return *this;
  }
  Recorded& array(const std::vector<double>& values) {
    auto& list = world.visit(world.planned(written, {}), World::around(0.02)).ranks[0].values;
    for (std::size_t i = 0; i < values.size(); ++i)
      list.push_back({"v", {static_cast<std::uint32_t>(i)}, values[i]});
    return *this;
  }
  [[nodiscard]] Json first() const {
    const Json whole = world.document();
    return whole.at(whole.at("groups").empty() ? "cases" : "groups").at(0);
  }
  std::size_t written = 0;
};

TEST(Aggregates, AreNoShareOfAMiddleThatIsNotAboveZero) {
  const std::vector<std::vector<double>> all = {{-10, -1000, -5000}, {-1, 0, 1}, {0, 0, 0}, {-5, -1, 1, 2}};
  for (const std::vector<double>& values : all) {
    for (const std::string function : {"spread", "cv"}) {
      const std::string reason =
          function == "spread" ? "the median, which is not above zero" : "the mean, which is not above zero";
      const Json group = Recorded({function + "(v over n) <= 5%"}).rows(values).first();
      EXPECT_EQ(group.at("status"), "not_judged") << group;
      EXPECT_THAT(std::string(group.at("why")), HasSubstr(reason));
      const Json judged = Recorded({function + "(v) <= 5%"}).array(values).first();
      EXPECT_EQ(judged.at("expectations").at(0).at("status"), "not_judged") << judged;
      EXPECT_EQ(judged.at("outcome"), "failed");
      EXPECT_THAT(std::string(judged.at("expectations").at(0).at("why")), HasSubstr(reason));
    }
  }
  EXPECT_EQ(Recorded({"spread(v over n) <= 5%"}).rows({-1, 10, 10}).first().at("status"), "failed");
  EXPECT_EQ(Recorded({"cv(v over n) <= 5%"}).rows({10, 10, 10}).first().at("status"), "passed");
}

TEST(Aggregates, OfSuchAMiddleAreNotComparableInFindings) {
  for (const char* function : {"spread", "cv"}) {
    Recorded recorded({});
    recorded.rows({-10, -1000, -5000}, 3);
    recorded.world.suite.findings = {
        finding("s <= 5%", {{"s", std::string(function) + "(membw[].v over n)"}})};
    const Json found = recorded.world.document().at("findings").at(0);
    EXPECT_EQ(found.at("verdict"), "not_comparable") << found;
    EXPECT_THAT(std::string(found.at("why")), HasSubstr("which is not above zero"));
    EXPECT_FALSE(found.at("rows").at(0).contains("measured")) << "and no number of it is shown";
  }
}

TEST(Aggregates, ThatAreTooLargeForANumberSaySo) {
  const std::vector<double> huge = {1.2e308, 1.7e308, 1.1e308, 1.3e308};
  const Json sum = Recorded({"sum(v over n) <= 5"}).rows(huge).first();
  EXPECT_EQ(sum.at("status"), "not_judged");
  EXPECT_EQ(sum.at("why"), "'sum(v over n)' is too large for a number");
  EXPECT_EQ(Recorded({"mean(v over n) <= 1.4e308"}).rows(huge).first().at("status"), "passed");
  EXPECT_EQ(Recorded({"mean(v over n) <= 1.3e308"}).rows(huge).first().at("status"), "failed");
  EXPECT_EQ(Recorded({"spread(v over n) <= 20%"}).rows(huge).first().at("status"), "failed");
  EXPECT_EQ(Recorded({"spread(v over n) <= 60%"}).rows(huge).first().at("status"), "passed");
}

// `v` of a command, by sample and index, of which `text` is expected.
Json expectation_of(const std::string& text, bool measured, const std::vector<std::vector<double>>& samples) {
  World world;
  catalog::MetricDeclaration v =
      World::metric("v", "s", catalog::Direction::lower, catalog::MetricKind::duration);
  v.reported = true;
  v.measured = measured;
  world.manifest.benchmarks.front().metrics.push_back(v);
  world.suite.derive = {{{"twice", {}}, World::parse("2 * v"), "2 * v"},
                        {{"inverse", {}}, World::parse("1 / (v - v)"), "1 / (v - v)"},
                        {{"most", {}}, World::parse("max(v)"), "max(v)"}};
  result::Visit& visit =
      world.visit(world.planned(world.suite_case("membw", {text}), {}), World::around(0.02, samples.size()));
  for (const std::vector<double>& sample : samples)
    for (std::uint32_t i = 0; i < sample.size(); ++i)
      visit.ranks[0].values.push_back(
          {"v", sample.size() > 1 ? std::vector<std::uint32_t>{i} : std::vector<std::uint32_t>{}, sample[i]});
  visit.telemetry = {{visit.started_at_s, "host:0", "power", 100}};
  return world.judged().at("expectations").at(0);
}

TEST(Aggregates, OfOneMeasuredValueAreNotJudged) {
  const std::vector<std::vector<double>> slow_once = {{5}, {5}, {5}, {500}, {5}, {5}, {5}, {5}};
  for (const char* text : {"max(v) <= 100 s", "min(v) >= 5 s", "mean(v) <= 6 s", "max(2 * v) <= 200 s",
                           "max(twice) <= 200 s", "max(time) <= 1 s", "2 * max(v + time) <= 9 min"}) {
    const Json judged = expectation_of(text, true, slow_once);
    EXPECT_EQ(judged.at("status"), "not_judged") << text;
    EXPECT_THAT(std::string(judged.at("why")), HasSubstr("() goes over several values, and '")) << text;
  }
  EXPECT_EQ(expectation_of("spread(v) <= 5%", true, slow_once).at("status"), "not_judged");
}

TEST(Aggregates, ADerivedQuantityWithoutAValueSaysWhy) {
  const auto why = [](const char* text) {
    return std::string(expectation_of(text, true, {{5}, {5}, {5}}).at("why"));
  };
  EXPECT_EQ(why("inverse >= 0 Hz"), "'inverse' has no value: '1 / (v - v)' divides by zero");
  EXPECT_EQ(why("2 * most <= 1 s"), "'most' has no value: max() goes over several values, and 'v' has one");
}

TEST(Aggregates, OfWhatHasSeveralValuesAreJudged) {
  const std::vector<std::vector<double>> slow_once = {{5}, {5}, {5}, {500}, {5}, {5}, {5}, {5}};
  EXPECT_EQ(expectation_of("max(v) <= 100 s", false, slow_once).at("status"), "failed") << "observed";
  EXPECT_EQ(expectation_of("max(twice) <= 1000 s", false, slow_once).at("status"), "passed");
  EXPECT_EQ(expectation_of("max(v) <= 5 s", false, {{5}, {5}}).at("status"), "passed") << "always the same";
  const std::vector<std::vector<double>> arrays(8, {5, 500});
  EXPECT_EQ(expectation_of("max(v) <= 100 s", true, arrays).at("status"), "failed") << "over indices";
  EXPECT_EQ(expectation_of("max(v) <= 600 s", true, arrays).at("status"), "passed");
  EXPECT_EQ(expectation_of("mean(v) <= 200 s", true, arrays).at("status"), "failed");
  EXPECT_EQ(expectation_of("max(power) <= 100 W", true, slow_once).at("status"), "passed") << "one reading";
}

// The median and the mean are of all values: nineteen fives and one 500 have the median 5.
TEST(Aggregates, OfValuesThatRecurCountEachTime) {
  std::vector<std::vector<double>> samples(20, {5});
  samples[7] = {500};
  EXPECT_EQ(expectation_of("spread(v) <= 9000%", false, samples).at("status"), "failed");
  EXPECT_EQ(expectation_of("spread(v) <= 9900%", false, samples).at("status"), "passed");
  EXPECT_EQ(expectation_of("spread(2 * v) <= 9000%", false, samples).at("status"), "failed");
  EXPECT_EQ(expectation_of("cv(v) <= 300%", false, samples).at("status"), "failed");
  World world;
  const std::string id = world.planned(world.suite_case("membw", {"spread(power) <= 250%"}), {});
  result::Visit& visit = world.visit(id, World::around(0.02));
  for (const double watts : {100.0, 100.0, 100.0, 400.0})
    visit.telemetry.push_back({visit.started_at_s, "host:0", "power", watts});
  EXPECT_EQ(world.judged().at("expectations").at(0).at("status"), "failed") << "300 W of a median of 100 W";
}

TEST(Aggregates, OfReadingsAreOfEachReadingInDerivedMetricsToo) {
  const auto derived = [](const std::string& text) {
    World world;
    world.suite.derive = {{{"d", {}}, World::parse(text), text}};
    const std::string id = world.planned(world.suite_case("membw"), {}, 3);
    for (int round = 1; round <= 3; ++round) {
      result::Visit& visit = world.visit(id, World::around(0.02), round);
      for (const double watts : {100.0, round == 2 ? 400.0 : 100.0})
        visit.telemetry.push_back({visit.started_at_s, "host:0", "power", watts});
    }
    return metric_of(world.judged(), "d");
  };
  EXPECT_EQ(derived("max(power)").at("value"), 400);
  EXPECT_EQ(derived("max(power) - min(power)").at("value"), 300);
}

}  // namespace
}  // namespace assay::judge
