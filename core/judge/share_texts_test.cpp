// SPDX-License-Identifier: Apache-2.0
//
// The numbers and units in sentences about shares.
#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// Why the first of two rows fails the expectation. A command prints `v`: 9 in the first row and 5 in the second, which
// is the reference. The suite wrote the unit.
std::string reason(const std::string& text, const std::string& unit = "1", const std::string& written = "",
                   double scale = 1) {
  World world;
  catalog::MetricDeclaration v =
      World::metric("v", unit, catalog::Direction::none, catalog::MetricKind::value);
  v.reported = true;
  v.written_unit = written;
  v.written_scale = scale;
  world.manifest.benchmarks.front().metrics.push_back(v);
  const std::size_t one = world.suite_case("membw", {text});
  for (const double value : {9.0, 5.0}) {
    const std::string id = world.planned(one, {{"n", value == 9 ? "9" : "5"}}, 3);
    for (int round = 1; round <= 3; ++round)
      world.visit(id, std::vector<double>(1, 0.02), round).ranks[0].values = {{"v", {}, value * scale}};
  }
  world.plan.cases[0].reference = world.plan.cases[1].id;
  world.plan.cases[0].has_reference_key = true;
  return world.judged(world.plan.cases[0].id).at("reason").at("text");
}

TEST(ShareTexts, APlainNumberBesideAShareOfSomethingIsNoShare) {
  EXPECT_EQ(reason("v <= 100% of reference"), "v 9 (round 1), limit 5 (100 % of 5, membw[n=5])");
  EXPECT_EQ(reason("v <= 50% of v"), "v 9 (round 1), limit 4.5 (50 % of 9)");
  EXPECT_EQ(reason("v / 10 <= 50%"), "v / 10 90 % (round 1), limit 50 %");
}

TEST(ShareTexts, WhatAShareIsOfHasTheUnitThatTheSuiteWrote) {
  EXPECT_EQ(reason("v <= 100% of reference", "items/s", "tokens/s"),
            "v 9 tokens/s (round 1), limit 5 tokens/s (100 % of 5 tokens/s, membw[n=5])");
  EXPECT_EQ(reason("2 * v <= 50% of v", "s", "ms", 1e-3),
            "2 * v 18 ms (round 1), limit 4.5 ms (50 % of 9 ms)");
}

}  // namespace
}  // namespace assay::judge
