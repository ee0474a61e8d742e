// SPDX-License-Identifier: Apache-2.0
//
// What the suite wrote, beside what it means.
#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::judge {
namespace {

TEST(Judge, KeepsParametersAsTheyWereWritten) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.02));
  EXPECT_FALSE(world.judged().contains("written"));
  world.case_of(id).written["bytes"] = "512kB";
  EXPECT_EQ(world.judged().at("written"), Json({{"bytes", "512kB"}}));
}

}  // namespace
}  // namespace assay::judge
