// SPDX-License-Identifier: Apache-2.0
#include "measure/testing/simulated_region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::measure {
namespace {

using testing::Contains;
using testing::Not;

LoopResult calibrated(SimulatedRegion& region, const Traits& traits) {
  return measure_alone(region, traits, exactly(2));
}

TEST(Calibrate, ASampleLastsTwentyMicroseconds) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 1e-6; };
  // 1 iteration, then 10 (growth is at most tenfold), then 1.2 × 20 µs; a second reading agrees.
  EXPECT_EQ(calibrated(region, simulated_traits()).calibrated_n, 24U);
  EXPECT_THAT(std::vector(region.calls.begin(), region.calls.begin() + 4),
              testing::ElementsAre(1, 10, 24, 24));
}

TEST(Calibrate, ASampleLastsAHundredTicks) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 2e-6; };
  Traits traits = simulated_traits();
  traits.tick_s = 1e-6;
  const LoopResult result = calibrated(region, traits);
  EXPECT_EQ(result.calibrated_n, 60U);  // 1, 10, 1.2 × 100 µs
  EXPECT_THAT(result.flags, Not(Contains("resolution_limited")));
}

TEST(Calibrate, AMaximumBelowAHundredTicksIsFlagged) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 1e-6; };
  Traits traits = simulated_traits();
  traits.tick_s = 1e-6;
  traits.maximum = 50;
  const LoopResult result = calibrated(region, traits);
  EXPECT_EQ(result.calibrated_n, 50U);
  EXPECT_THAT(result.flags, Contains("resolution_limited"));
}

TEST(Calibrate, IterationsAreAMultipleOfTheQuantumAndAtMostTheMaximum) {
  for (std::uint64_t quantum = 1; quantum < 40; quantum += 3) {
    for (const std::uint64_t maximum : {0U, 41U, 100U, 1000U}) {
      SimulatedRegion region;
      region.iteration = [](std::uint64_t) { return 0.3e-6; };
      Traits traits = simulated_traits();
      traits.quantum = quantum;
      traits.maximum = maximum;
      VisitSettings settings = exactly(2);
      settings.warmup = 7;
      (void)measure_alone(region, traits, settings);
      for (const std::uint64_t n : region.calls) {
        EXPECT_EQ(n % quantum, 0U);
        EXPECT_TRUE(maximum == 0 || n <= maximum) << n;
      }
    }
  }
}

TEST(Calibrate, IterationsEndAtTheLimit) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 1e-20; };
  EXPECT_EQ(calibrated(region, simulated_traits()).calibrated_n, kMostIterations);
}

TEST(Calibrate, LongIterationsStayAtTheQuantum) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 0.3; };
  EXPECT_EQ(calibrated(region, simulated_traits()).calibrated_n, 1U);
}

TEST(Calibrate, ASlowFirstReadingDoesNotDecide) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t k) { return k == 0 ? 5e-3 : 1e-6; };
  EXPECT_EQ(calibrated(region, simulated_traits()).calibrated_n, 24U);
}

TEST(Calibrate, TimesThatNeverAgreeEndAfterEightReadings) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t k) { return k % 2 == 0 ? 1e-3 : 2e-3; };
  Traits traits = simulated_traits();
  traits.maximum = 2;
  (void)calibrated(region, traits);
  EXPECT_EQ(std::count(region.calls.begin(), std::find(region.calls.begin(), region.calls.end(), 2U), 1U),
            8 + 1)
      << "8 readings, and the first of the test of proportion";
}

TEST(Calibrate, WithASingleChoiceNothingIsRun) {
  SimulatedRegion region;
  Traits traits = simulated_traits();
  traits.quantum = 5;
  traits.maximum = 9;
  EXPECT_EQ(calibrated(region, traits).calibrated_n, 5U);
  EXPECT_THAT(region.calls, testing::ElementsAre(5, 5));
}

TEST(Calibrate, OneSampleWithoutWarmUpRunsTheRegionOnce) {
  SimulatedRegion region;
  Traits traits = simulated_traits();
  traits.quantum = 3;
  const LoopResult result = measure_alone(region, traits, exactly(1));
  EXPECT_THAT(region.calls, testing::ElementsAre(3));
  EXPECT_EQ(result.series.device_s.size(), 1U);
  EXPECT_EQ(result.calibrated_n, 3U);
  EXPECT_EQ(result.stop, "samples");
  EXPECT_EQ(result.n_ratio, 0);
}

TEST(Calibrate, AHeldLoadGetsLongerSamples) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 1e-3; };
  VisitSettings settings = exactly(0);
  settings.hold_s = 200;  // 200 s / 10 000 samples
  EXPECT_EQ(measure_alone(region, simulated_traits(), settings).calibrated_n, 24U);
}

TEST(Calibrate, NoiseDoesNotThrowALongHeldLoadToAndFro) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t k) {
    return 1e-6 * (1 + 0.2 * static_cast<double>(k * 7919 % 13) / 13);
  };
  VisitSettings settings = exactly(0);
  settings.hold_s = 1e5;
  settings.max_time_s = 1e6;
  SimulatedClock clock;
  QuietWatch watch;
  watch.stop_at = 1;
  RankTeam team(nullptr);
  const LoopResult result = measure(region, team, clock, watch, simulated_traits(), settings);
  EXPECT_LT(region.calls.size(), 30U);
  EXPECT_NEAR(static_cast<double>(result.calibrated_n), 0.06 / 1.1e-6, 5000);
}

}  // namespace
}  // namespace assay::measure
