// SPDX-License-Identifier: Apache-2.0
//
// What is decided of a case that was given more rounds because its verdicts were open.
#include "judge/deltas.hpp"
#include "judge/judge_test_world.hpp"
#include "judge/sides.hpp"
#include "statistics/change.hpp"
#include "statistics/interval.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::judge {
namespace {

// GB/s of each round.
const std::vector<double> kRates = {9.98, 10.02, 9.99, 10.03, 9.97, 10.01};

const Json& metric_named(const Json& judged, const std::string& name) {
  for (const Json& metric : judged.at("metrics"))
    if (metric.at("name") == name) return metric;
  throw std::runtime_error("no metric " + name);
}

// A case with these rounds that was looked at so often.
Json judged_after(int looks, const std::string& expectation) {
  World world;
  const std::string id =
      world.planned(world.suite_case("membw", {expectation}), {}, static_cast<int>(kRates.size()));
  world.case_of(id).looks = looks;
  for (std::size_t i = 0; i < kRates.size(); ++i)
    world.visit(id, std::vector<double>(50, 1 / kRates[i]), static_cast<int>(i + 1));
  return world.judged(id);
}

double end_of_interval(int looks) {
  std::vector<double> values;
  for (const double rate : kRates) values.push_back(rate * 1e9);
  return statistics::between_process_interval(values, statistics::level_after_looks(looks))->low;
}

TEST(Looks, WidenWhatDecidesAndNotWhatIsPublished) {
  for (const int looks : {0, 1, 3}) {
    const Json judged = judged_after(looks, "bandwidth >= 9 GB/s");
    const Json& metric = metric_named(judged, "bandwidth");
    EXPECT_NEAR(metric.at("interval").at("low").get<double>(), end_of_interval(0), 1) << looks;
    EXPECT_NEAR(metric.at("verdict_interval").at("low").get<double>(), end_of_interval(looks), 1) << looks;
    EXPECT_EQ(judged.contains("looks"), looks > 0);
  }
}

TEST(Looks, ALimitBetweenBothIntervalsStaysOpen) {
  const double limit = (end_of_interval(0) + end_of_interval(1)) / 2;
  const std::string expectation = "bandwidth >= " + std::to_string(limit / 1e9) + " GB/s";
  EXPECT_EQ(judged_after(0, expectation).at("expectations").at(0).at("status"), "passed");
  EXPECT_EQ(judged_after(1, expectation).at("expectations").at(0).at("status"), "undecided");
}

TEST(Looks, ClaimsAndDeltasAreDecidedAtTheirLevel) {
  const std::vector<double> left = {1.02, 1.05, 1.03}, right = {1, 1, 1};
  suite::SuiteFinding finding;
  finding.claim = World::parse("membw[kernel=copy].bandwidth > membw[kernel=read].bandwidth");
  std::string problem;
  const auto claim = read_claim(finding, &problem);
  ASSERT_TRUE(claim) << problem;
  const double level = statistics::level_after_looks(1);
  const auto expected = statistics::paired_ratio(left, right, level).interval;
  EXPECT_DOUBLE_EQ(compare_sides(*claim, left, right, 0.02, level).interval->low, expected->low);

  MetricResult row, reference;
  row.value = 1.033;
  row.rounds = left;
  reference.value = 1;
  reference.rounds = right;
  const std::vector<int> rounds = {1, 2, 3};
  EXPECT_DOUBLE_EQ(compare_metric(row, rounds, reference, rounds, level)->bounds.low, expected->low);
}

}  // namespace
}  // namespace assay::judge
