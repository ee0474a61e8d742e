// SPDX-License-Identifier: Apache-2.0
#include "measure/time_guards.hpp"

#include "measure/renew.hpp"
#include "measure/testing/simulated_visit.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::measure {
namespace {

TEST(Guards, HoldLapsAgainstTheSample) {
  Sample sample;
  sample.device_s = 1e-3;
  const std::vector<double> right(10, 1e-4), wrong(10, 0.97e-4), doubled(10, 2e-4);
  EXPECT_FALSE(check_laps(sample, right, 1e-9));
  EXPECT_EQ(check_laps(sample, wrong, 1e-9)->code, "guard.laps-differ");
  EXPECT_EQ(check_laps(sample, doubled, 1e-9)->code, "guard.laps-differ");
  // A tick each is what reading the clock may cost.
  EXPECT_FALSE(check_laps(sample, wrong, 3e-6));
}

TEST(Guards, HoldMomentsAgainstTheCall) {
  const CallTimes call{1'000'000, 2'000'000};
  const auto code = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    Sample sample;
    sample.begin_ns = begin_ns;
    sample.end_ns = end_ns;
    const auto violation = check_call_times(sample, call);
    return violation ? violation->code : "";
  };
  EXPECT_EQ(code(0, 0), "");  // unknown
  EXPECT_EQ(code(1'000'000, 2'000'000), "");
  EXPECT_EQ(code(1'500'000, 1'500'000), "");
  EXPECT_EQ(code(1'600'000, 1'500'000), "guard.moments-impossible");
  EXPECT_EQ(code(900'000, 1'500'000), "guard.moments-impossible");
  EXPECT_EQ(code(1'500'000, 2'100'000), "guard.moments-impossible");
  EXPECT_EQ(code(0, 2'100'000), "guard.moments-impossible");
  Sample longer;
  longer.host_s = 1.1e-3;
  EXPECT_TRUE(check_host_time(longer, 1e-3, 1e-9));
  EXPECT_FALSE(check_host_time(longer, 1.2e-3, 1e-9));
}

TEST(Guards, GiveQueueingItsTime) {
  Traits traits = host_traits();
  traits.clock = ClockKind::device;
  Sample sample;
  sample.host_s = 1e-3;
  const auto objects = [&](std::uint32_t launches) {
    traits.launches_per_iteration = launches;
    WallShare share(traits);
    for (int i = 0; i < 100; ++i) share.add(sample, 500, 3e-3);
    return share.violation(false).has_value();
  };
  EXPECT_TRUE(objects(0));
  EXPECT_FALSE(objects(1));
}

TEST(Guards, AskTheBestTenthOfTheSamplesForTheirShare) {
  WallShare busy(host_traits()), lying(host_traits());
  Sample sample;
  sample.host_s = 1e-3;
  for (int i = 0; i < 100; ++i) {
    busy.add(sample, 1, i % 10 == 0 ? 1e-3 : 1);
    lying.add(sample, 1, i % 20 == 0 ? 1e-3 : 1e-2);
  }
  EXPECT_FALSE(busy.violation(false));
  EXPECT_EQ(lying.violation(true)->code, "guard.time-missing");
}

// Verifying twice as long as before is a busy machine; longer than the samples lasted is a queue.
TEST(Guards, KnowAWaitFromABusyMachine) {
  EXPECT_FALSE(waited_in_verify(2, 1, 3, 0.1));
  EXPECT_FALSE(waited_in_verify(0.1, 0, 3, 0.1));
  EXPECT_TRUE(waited_in_verify(92, 0.1, 3, 0.1));
  EXPECT_FALSE(waited(90e-6, 1e-6));
  EXPECT_TRUE(waited(1e-3, 1e-4));
  EXPECT_FALSE(waited_after_visit(0.15, 3));
  EXPECT_TRUE(waited_after_visit(0.3, 3));
}

TEST(Guards, DrawOneToThreeNewInputsFromTheSeed) {
  std::size_t counts[4] = {};
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto draws = draw_new_inputs(seed, 0, 1);
    ASSERT_GE(draws.size(), 1U);
    ASSERT_LE(draws.size(), 3U);
    ++counts[draws.size()];
    for (const NewInputs& one : draws) EXPECT_LE(one.samples_after, 2U);
    EXPECT_EQ(draws.front().seed, draw_new_inputs(seed, 0, 1).front().seed);
    EXPECT_NE(draws.front().seed, draw_new_inputs(seed + 1, 0, 1).front().seed);
    // Where verifying takes long, one.
    EXPECT_EQ(draw_new_inputs(seed, 10, 1).size(), 1U);
  }
  for (const std::size_t count : {1U, 2U, 3U}) EXPECT_GT(counts[count], 900U);
}

}  // namespace
}  // namespace assay::measure
