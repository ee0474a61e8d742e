// SPDX-License-Identifier: Apache-2.0
#include "judge/trend.hpp"

#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// Rows of three rounds; each takes `step` longer than the one before it, and scatters by 0.3 % beside that.
Json run_of(std::size_t rows, double step) {
  World world;
  const std::size_t written = world.suite_case("membw");
  statistics::Random random(7);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string id = world.planned(written, {{"size", std::to_string(row)}}, 3);
    for (int round = 1; round <= 3; ++round)
      world.visit(id,
                  World::around(0.02 * (1 + step * (round - 1)) * (1 + 0.003 * random.normal()), 50, 0.001,
                                random.next()),
                  round);
  }
  return world.document().at("run");
}

TEST(RoundTrend, IsToldOnceWhereRowsBecameSlower) {
  const Json run = run_of(20, 0.01);
  ASSERT_TRUE(run.contains("trend"));
  EXPECT_EQ(run.at("trend").at("rows"), 20);
  EXPECT_NEAR(double(run.at("trend").at("change")), 0.02, 0.004) << "a rate that falls is a time that grows";
  EXPECT_LT(double(run.at("trend").at("p")), 0.01);
}

TEST(RoundTrend, IsNotToldOfChanceNorOfLittle) {
  EXPECT_FALSE(run_of(20, 0).contains("trend"));
  EXPECT_FALSE(run_of(400, 0.001).contains("trend")) << "certain, and less than half a percent";
}

TEST(RoundTrend, IsNotToldOfOneRow) { EXPECT_FALSE(run_of(1, 0.05).contains("trend")); }

}  // namespace
}  // namespace assay::judge
