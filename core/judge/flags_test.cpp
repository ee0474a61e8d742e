// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.hpp"
#include "judge/judge_test_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

std::string flag_text(const Json& judged, const std::string& code) {
  for (const Json& flag : judged.at("flags"))
    if (flag.at("code") == code) return flag.at("text");
  return {};
}

TEST(Flags, TellATransientAmongTheSamplesFromNoise) {
  World noisy;
  noisy.visit(noisy.planned(noisy.suite_case("membw"), {}), World::around(0.02, 200, 0.05))
      .measurement.flags = {"warmup_capped"};
  EXPECT_EQ(flag_text(noisy.judged(), "not_steady"), "");
  EXPECT_EQ(flag_text(noisy.judged(), "warmup_capped"), "");

  World late;
  std::vector<double> samples = World::around(0.02, 200);
  for (std::size_t i = 0; i < 40; ++i) samples[i] *= 1.1;
  late.visit(late.planned(late.suite_case("membw"), {}), samples);
  EXPECT_THAT(flag_text(late.judged(), "not_steady"),
              testing::MatchesRegex("the first 40 of 200 samples are (9.9|10|10.0) % slower than the rest"));

  World few;
  few.visit(few.planned(few.suite_case("membw"), {}), World::around(0.02, 9)).measurement.flags = {
      "warmup_capped"};
  EXPECT_THAT(flag_text(few.judged(), "not_steady"), testing::HasSubstr("9 samples are too few to tell"));
}

TEST(Flags, LookForATransientAmongFewSamplesWhereWarmUpEndedAtItsCap) {
  World quiet;
  quiet.visit(quiet.planned(quiet.suite_case("membw"), {}), World::around(0.02, 30)).measurement.flags = {
      "warmup_capped"};
  EXPECT_EQ(flag_text(quiet.judged(), "not_steady"), "");

  std::vector<double> samples = World::around(0.02, 30);
  for (std::size_t i = 0; i < 6; ++i) samples[i] *= 1.2;
  World capped;
  capped.visit(capped.planned(capped.suite_case("membw"), {}), samples).measurement.flags = {"warmup_capped"};
  EXPECT_THAT(flag_text(capped.judged(), "not_steady"), testing::HasSubstr("the first 6 of 30 samples are"));

  World warm;
  warm.visit(warm.planned(warm.suite_case("membw"), {}), samples);
  EXPECT_EQ(flag_text(warm.judged(), "not_steady"), "");
}

TEST(Flags, NameADurationThatWasNotVerified) {
  World world;
  world.manifest.benchmarks.front().metrics[0].headline = false;
  world.manifest.benchmarks.front().metrics[1].headline = true;
  result::Visit& visit = world.visit(world.planned(world.suite_case("membw"), {}), World::around(0.02));
  visit.work.clear();
  visit.ranks[0].verifications.clear();
  world.manifest.benchmarks.front().metrics.erase(world.manifest.benchmarks.front().metrics.begin());
  const Json judged = world.judged();
  EXPECT_EQ(judged.at("outcome"), "passed");
  EXPECT_NE(metric_of(judged, "latency"), nullptr);
  EXPECT_NE(flag_text(judged, "not_verified"), "");
}

}  // namespace
}  // namespace assay::judge
