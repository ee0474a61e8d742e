// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.hpp"
#include "judge/judge_test_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::judge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using World = assay::judge::World;

TEST(Judge, CallsARateAboveThePeakInOneRoundInvalid) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {}, 3);
  for (int round = 1; round <= 3; ++round)
    world.visit(id, World::around(round == 2 ? 0.0112 : 0.02), round);  // 89.3 GB/s, 112 % of 80
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "invalid") << "a mean of 61 GB/s hides it";
  EXPECT_EQ(judged.at("reason").at("code"), "guard.rate-above-peak");
  EXPECT_THAT(judged.at("reason").at("text").get<std::string>(),
              AllOf(HasSubstr("bandwidth 89."), HasSubstr(" in round 2 is 112 % of")));
}

TEST(Judge, CallsARateAboveThePeakInvalid) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.0112));  // 89.3 GB/s, 112 % of 80
  const Json whole = world.document();
  const Json& judged = whole.at("cases").at(0);
  EXPECT_EQ(judged.at("outcome"), "invalid");
  EXPECT_EQ(judged.at("reason").at("code"), "guard.rate-above-peak");
  EXPECT_TRUE(judged.at("metrics").empty());
  EXPECT_EQ(whole.at("guards").at(0).at("severity"), "invalid");
  EXPECT_EQ(whole.at("verdict").at("exit_code"), 1);
}

TEST(Judge, FailsACheckOfAnAttemptThatAnotherReplaced) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.02)).ranks[0].checks = {{"nvlink", "link 7", false, "inactive"}};
  result::Visit& second = world.visit(id, World::around(0.02));
  second.attempt = 2;
  second.ranks[0].checks = {{"nvlink", "link 7", true, ""}};
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "failed");
  EXPECT_EQ(judged.at("reason").at("text"),
            "nvlink of link 7: inactive, in attempt 1 of round 1, which was repeated");
}

TEST(Judge, FailsAFailedCheck) {
  World world;
  const std::string id = world.planned(world.suite_case("membw"), {});
  world.visit(id, World::around(0.02)).ranks[0].checks = {{"nvlink", "link 7", false, "inactive"}};
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "failed");
  EXPECT_EQ(judged.at("reason").at("text"), "nvlink of link 7: inactive");
  EXPECT_NE(metric_of(judged, "bandwidth"), nullptr);
}

}  // namespace
}  // namespace assay::judge
