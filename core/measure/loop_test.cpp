// SPDX-License-Identifier: Apache-2.0
#include "measure/loop.hpp"

#include "measure/testing/simulated_region.hpp"
#include "statistics/stopping.hpp"
#include "statistics/testing/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace assay::measure {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

// ---- Samples

TEST(Samples, ExactlyAsManyAsWereAskedFor) {
  for (const std::uint64_t count : {1U, 2U, 20U, 777U}) {
    SimulatedRegion region;
    const LoopResult result = measure_alone(region, simulated_traits(), exactly(count));
    EXPECT_EQ(result.series.device_s.size(), count);
    EXPECT_EQ(result.series.host_s.size(), count);
    EXPECT_EQ(result.series.begin_s.size(), count);
    EXPECT_EQ(result.stop, "samples");
    EXPECT_THAT(result.flags, IsEmpty());
  }
}

TEST(Samples, BeginIsCountedFromTheFirstSample) {
  SimulatedRegion region;
  const LoopResult result = measure_alone(region, simulated_traits(), exactly(4));
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(result.series.begin_s[i], 1e-3 * static_cast<double>(i), 1e-12);
}

TEST(Samples, TheTimeLimitHoldsForAGivenNumberToo) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 0.5; };
  Traits traits = simulated_traits();
  traits.maximum = 1;
  VisitSettings settings = exactly(100);
  settings.max_time_s = 10;
  const LoopResult result = measure_alone(region, traits, settings);
  EXPECT_EQ(result.series.device_s.size(), 20U);
  EXPECT_EQ(result.stop, "max_time");
  EXPECT_THAT(result.flags, Contains("max_time"));
}

TEST(Samples, OneIsTakenEvenIfItAloneIsOverTheTime) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 100.0; };
  Traits traits = simulated_traits();
  traits.maximum = 1;
  VisitSettings settings;
  settings.warmup = 0;
  const LoopResult result = measure_alone(region, traits, settings);
  EXPECT_EQ(result.series.device_s.size(), 1U);
  EXPECT_EQ(result.stop, "max_time");
}

TEST(Samples, WithoutNoiseALatencyStopsAtTheSecondLookWithEnoughTime) {
  SimulatedRegion region;
  VisitSettings settings;
  settings.warmup = 0;
  const LoopResult result = measure_alone(region, simulated_traits(), settings);
  // Samples of 1 ms; looks at 50, 63, 79, 99, 124, 155, 194, 243, 304, 380; a quarter of a second is needed
  // at both.
  EXPECT_EQ(result.series.device_s.size(), 380U);
  EXPECT_EQ(result.stop, "converged");
}

TEST(Samples, WithoutNoiseARateWantsFourHundredSamples) {
  SimulatedRegion region;
  VisitSettings settings;
  settings.warmup = 0;
  settings.headline = Headline::rate;
  // … 475, 594
  EXPECT_EQ(measure_alone(region, simulated_traits(), settings).series.device_s.size(), 594U);
}

TEST(Samples, ASustainedLoadIsMeasuredForASecondAtLeast) {
  SimulatedRegion region;
  VisitSettings settings;
  settings.warmup = 0;
  settings.headline = Headline::rate;
  settings.thermal = Thermal::sustained;
  const LoopResult result = measure_alone(region, simulated_traits(), settings);
  // … 743, 929, 1162, 1453: the first two looks after 1 s
  EXPECT_EQ(result.series.device_s.size(), 1453U);
}

TEST(Samples, StopWhereTheRuleSaysWhateverTheNoise) {
  using statistics::SimulatedProcess;
  for (const SimulatedProcess process :
       {SimulatedProcess::iid, SimulatedProcess::spiky, SimulatedProcess::lognormal,
        SimulatedProcess::correlated, SimulatedProcess::very_correlated, SimulatedProcess::two_state,
        SimulatedProcess::quantised}) {
    for (const Headline headline : {Headline::rate, Headline::duration}) {
      for (std::uint64_t trace = 0; trace < 5; ++trace) {
        const std::vector<double> noise = statistics::simulate(process, 60'000, 7, trace);
        SimulatedRegion region;
        region.iteration = [&](std::uint64_t k) { return 1e-3 * noise[k % noise.size()]; };
        Traits traits = simulated_traits();
        traits.maximum = 1;
        VisitSettings settings;
        settings.warmup = 0;
        settings.headline = headline;
        const LoopResult result = measure_alone(region, traits, settings);
        statistics::StoppingOptions options;
        options.statistic =
            headline == Headline::rate ? statistics::Statistic::mean : statistics::Statistic::median;
        options.tick_s = traits.tick_s;
        const statistics::StoppingRule rule(options);
        double total = 0;
        for (const double sample : result.series.device_s) total += sample;
        const auto last = rule.decide(result.series.device_s, total);
        const std::map<statistics::StopReason, std::string> words = {
            {statistics::StopReason::converged, "converged"},
            {statistics::StopReason::resolution_limited, "resolution_limited"},
            {statistics::StopReason::max_samples, "max_samples"},
            {statistics::StopReason::max_time, "max_time"}};
        EXPECT_EQ(result.stop, words.at(last.reason));
        // And not a look later than it could.
        const auto all = std::span(result.series.device_s);
        const auto looks = [&](std::uint64_t n) { return rule.next_look(n, 1e-3) == n; };
        for (std::uint64_t n = 50; n < all.size(); ++n) {
          if (looks(n)) {
            EXPECT_FALSE(rule.decide(all.first(n), 0.5).stop()) << n;
          }
        }
      }
    }
  }
}

TEST(Samples, PrecisionFinerThanTheTickIsResolutionLimited) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t k) { return 1e-3 + (k % 2 == 0 ? 0 : 1e-5); };
  Traits traits = simulated_traits();
  traits.tick_s = 1e-5;
  traits.maximum = 1;
  VisitSettings settings;
  settings.warmup = 0;
  settings.precision = 1e-5;
  const LoopResult result = measure_alone(region, traits, settings);
  EXPECT_EQ(result.stop, "resolution_limited");
  EXPECT_THAT(result.flags, Contains("resolution_limited"));
}

TEST(Samples, KeepOnlyTheBitsThatAllHaveDone) {
  SimulatedRegion region;
  region.done = [](std::uint64_t call) { return call == 3 ? 5U : 7U; };
  Traits traits = simulated_traits();
  traits.maximum = 1;
  const LoopResult result = measure_alone(region, traits, exactly(6));
  EXPECT_EQ(result.done, 5U);
  EXPECT_THAT(result.flags, Contains("done_differs"));
}

TEST(Samples, RunInTheModeOfTheProfilerWhenAsked) {
  SimulatedRegion region;
  VisitSettings settings = exactly(1);
  settings.profile = true;
  (void)measure_alone(region, simulated_traits(), settings);
  EXPECT_EQ(region.last_mode, VisitMode::profile);
}

// ---- Warm-up

TEST(WarmUp, RunsExactlyTheIterationsThatWereAskedFor) {
  SimulatedRegion region;
  Traits traits = simulated_traits();
  traits.maximum = 1;
  VisitSettings settings = exactly(3);
  settings.warmup = 17;
  const LoopResult result = measure_alone(region, traits, settings);
  EXPECT_EQ(result.warmup_iterations, 17U);
  EXPECT_EQ(region.iterations, 20U);
  EXPECT_NEAR(result.warmup_s, 0.017, 1e-9);
}

TEST(WarmUp, OfOneIterationIsNoMeasureOfASample) {
  // 500 iterations of 0.1 µs a sample; taken for a sample, one of them would delay the first look at the
  // time.
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 1e-7; };
  VisitSettings settings;
  settings.warmup = 1;
  settings.hold_s = 0.5;
  const LoopResult result = measure_alone(region, simulated_traits(), settings);
  EXPECT_EQ(result.warmup_iterations, 1U);
  EXPECT_EQ(result.stop, "held");
  const double sample_s = result.series.device_s.front();
  EXPECT_NEAR(static_cast<double>(result.series.device_s.size()) * sample_s, 0.5, 2 * sample_s);
}

TEST(WarmUp, EndsWhenADecayIsOver) {
  SimulatedRegion region;
  // 30 % slow at first, with a time constant of 200 iterations of about 1 ms.
  region.iteration = [](std::uint64_t k) {
    return 1e-3 * (1 + 0.3 * std::exp(-static_cast<double>(k) / 200));
  };
  Traits traits = simulated_traits();
  traits.maximum = 1;
  VisitSettings settings;
  const LoopResult result = measure_alone(region, traits, settings);
  EXPECT_THAT(result.flags, Not(Contains("warmup_capped")));
  EXPECT_NEAR(result.series.device_s.front(), 1e-3, 1e-3 * 0.005);
  EXPECT_GT(result.warmup_s, 0.5);
}

TEST(WarmUp, SteadyWorkTakesHalfASecond) {
  SimulatedRegion region;
  Traits traits = simulated_traits();
  traits.maximum = 1;
  const LoopResult result = measure_alone(region, traits, VisitSettings{});
  EXPECT_GE(result.warmup_s, 0.5);
  EXPECT_LE(result.warmup_s, 0.56);
}

TEST(WarmUp, ThatNeverGetsSteadyEndsAtAFifthOfTheTimeAndSaysSo) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t k) { return 1e-3 * (1 + 1e-4 * static_cast<double>(k)); };
  Traits traits = simulated_traits();
  traits.maximum = 1;
  VisitSettings settings;
  settings.max_time_s = 5;
  const LoopResult result = measure_alone(region, traits, settings);
  EXPECT_THAT(result.flags, Contains("warmup_capped"));
  EXPECT_NEAR(result.warmup_s, 1, 0.01);
}

TEST(WarmUp, OfASlowSwingIsSteadyForASustainedLoadOnly) {
  // Swings by 5 % every 80 ms, as a power limit makes it.
  for (const Thermal thermal : {Thermal::standard, Thermal::sustained}) {
    SimulatedRegion region;
    region.iteration = [](std::uint64_t k) {
      return 1e-3 * (1 + 0.05 * std::sin(static_cast<double>(k) / 12.7));
    };
    Traits traits = simulated_traits();
    traits.maximum = 1;
    VisitSettings settings;
    settings.headline = Headline::rate;
    settings.thermal = thermal;
    const LoopResult result = measure_alone(region, traits, settings);
    EXPECT_EQ(std::count(result.flags.begin(), result.flags.end(), "warmup_capped"),
              thermal == Thermal::sustained ? 0 : 1);
  }
}

TEST(WarmUp, OfABurstIsARestInstead) {
  SimulatedRegion region;
  Traits traits = simulated_traits();
  traits.maximum = 1;
  VisitSettings settings;
  settings.thermal = Thermal::burst;
  settings.samples = 120;
  const LoopResult result = measure_alone(region, traits, settings);
  EXPECT_EQ(result.warmup_iterations, 0U);
  ASSERT_EQ(result.series.begin_s.size(), 120U);
  // 20 ms of work, then a second of rest.
  EXPECT_NEAR(result.series.begin_s[19], 0.019, 1e-9);
  EXPECT_NEAR(result.series.begin_s[20], 1.02, 1e-9);
  EXPECT_NEAR(result.series.begin_s[40], 2.04, 1e-9);
}

TEST(Stopping, OfBurstsAsksForNoTimeBetweenRests) {
  SimulatedRegion region;
  Traits traits = simulated_traits();
  traits.maximum = 1;
  VisitSettings settings;
  settings.thermal = Thermal::burst;
  const LoopResult result = measure_alone(region, traits, settings);
  EXPECT_EQ(result.stop, "converged");
  // 50 samples of 1 ms; a quarter of a second of them would take five bursts.
  EXPECT_LE(result.series.device_s.size(), 100U);
}

// ---- Holding a load

TEST(Hold, KeepsOnForTheTimeAndChecksOnTheWay) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 0.01; };
  Traits traits = simulated_traits();
  traits.maximum = 1;
  VisitSettings settings;
  settings.warmup = 0;
  settings.hold_s = 35;
  settings.max_time_s = 1;
  const LoopResult result = measure_alone(region, traits, settings);
  EXPECT_EQ(result.stop, "held");
  EXPECT_NEAR(static_cast<double>(result.series.device_s.size()), 3500, 1);
  EXPECT_EQ(region.checks, 3U);
}

// ---- Laps

TEST(Laps, AreKeptForEveryIteration) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t k) { return 1e-3 + 1e-6 * static_cast<double>(k % 4); };
  Traits traits = simulated_traits();
  traits.laps = true;
  traits.quantum = 4;
  traits.maximum = 4;
  const LoopResult result = measure_alone(region, traits, exactly(3));
  ASSERT_EQ(result.series.laps_s.size(), 12U);
  EXPECT_EQ(result.series.iterations, 4U);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_DOUBLE_EQ(result.series.laps_s[i], 1e-3 + 1e-6 * static_cast<double>(i % 4));
}

TEST(Laps, ThatAreMissingAreAnError) {
  SimulatedRegion region;
  region.laps_given = 2;
  Traits traits = simulated_traits();
  traits.laps = true;
  traits.quantum = 4;
  traits.maximum = 4;
  const LoopResult result = measure_alone(region, traits, exactly(3));
  EXPECT_EQ(result.fault.code, "plugin.protocol");
  EXPECT_THAT(result.series.laps_s, IsEmpty());
}

TEST(Laps, ThatAreNoTimesAreAnError) {
  SimulatedRegion region;
  std::uint64_t bad = 2;
  region.iteration = [&](std::uint64_t k) { return k == bad ? 0.0 : 1e-3; };
  Traits traits = simulated_traits();
  traits.laps = true;
  traits.quantum = 4;
  traits.maximum = 4;
  EXPECT_EQ(measure_alone(region, traits, exactly(3)).fault.code, "plugin.bad-time");
}

TEST(Laps, AreLeftOutWhenTheyWouldBeTooMany) {
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 1e-8; };
  Traits traits = simulated_traits();
  traits.laps = true;
  const LoopResult result = measure_alone(region, traits, exactly(1000));
  EXPECT_THAT(result.flags, Contains("laps_omitted"));
  EXPECT_THAT(result.series.laps_s, IsEmpty());
  EXPECT_EQ(result.series.device_s.size(), 1000U);
}

// ---- Guards

TEST(Guards, ATimeThatCannotBeIsAnError) {
  for (const double bad : {0.0, -1e-3, std::numeric_limits<double>::infinity(), std::nan("")}) {
    SimulatedRegion region;
    region.iteration = [=](std::uint64_t k) { return k == 3 ? bad : 1e-3; };
    Traits traits = simulated_traits();
    traits.maximum = 1;
    const LoopResult result = measure_alone(region, traits, exactly(10));
    EXPECT_EQ(result.fault.ending, SamplingEnd::error) << bad;
    EXPECT_EQ(result.fault.code, "plugin.bad-time");
    EXPECT_EQ(result.phase, Phase::sample);
    EXPECT_EQ(result.stop, "error");
    EXPECT_EQ(result.series.device_s.size(), 3U) << "what was taken before is kept";
  }
}

TEST(Guards, DeviceTimeMayExceedHostTimeByAPercentAndATick) {
  Traits traits = simulated_traits();
  traits.maximum = 1;
  traits.tick_s = 1e-6;
  SimulatedRegion region;
  region.host_factor = 1 / 1.0109;  // 1 % of 1 ms and a tick of 1 µs
  EXPECT_EQ(measure_alone(region, traits, exactly(3)).fault.ending, SamplingEnd::completed);
  region.host_factor = 1 / 1.0121;
  const LoopResult result = measure_alone(region, traits, exactly(3));
  EXPECT_EQ(result.fault.ending, SamplingEnd::invalid);
  EXPECT_EQ(result.fault.code, "guard.device-above-host");
}

TEST(Guards, TheHostTrustsItsOwnClockMoreThanThePluginsWord) {
  // A region that claims a second of both times but returns at once.
  SimulatedRegion region;
  region.iteration = [](std::uint64_t) { return 1.0; };
  Traits traits;
  traits.clock = ClockKind::device;
  traits.maximum = 1;
  RankTeam team(nullptr);
  SteadyClock clock;
  QuietWatch watch;
  EXPECT_EQ(measure(region, team, clock, watch, traits, exactly(1)).fault.code, "guard.device-above-host");
}

// ---- Ends

TEST(Ends, ACancelKeepsWhatWasTaken) {
  SimulatedRegion region;
  RankTeam team(nullptr);
  SimulatedClock clock;
  QuietWatch watch;
  watch.stop_at = 5;
  const LoopResult result = measure(region, team, clock, watch, simulated_traits(), exactly(50));
  EXPECT_EQ(result.fault.ending, SamplingEnd::cancelled);
  EXPECT_EQ(result.stop, "cancelled");
  EXPECT_EQ(result.series.device_s.size(), 5U);
}

TEST(Ends, AFailureOfAnyCallEndsTheVisit) {
  bool reached = true;
  std::uint64_t call = 0;
  for (; reached; ++call) {
    reached = false;
    SimulatedRegion region;
    region.status_of_call = [&](std::uint64_t now) {
      reached = reached || now == call;
      return now == call ? RegionStatus::failed : RegionStatus::ok;
    };
    VisitSettings settings = exactly(20);
    settings.warmup = 20;
    const LoopResult result = measure_alone(region, simulated_traits(), settings);
    EXPECT_EQ(result.fault.ending, reached ? SamplingEnd::failed : SamplingEnd::completed) << call;
    EXPECT_EQ(result.stop, reached ? "error" : "samples") << call;
  }
  EXPECT_GT(call, 42U) << "calibration, 20 iterations of warm-up, 20 samples";
}

TEST(Ends, TheSameSeriesGivesTheSameResult) {
  const auto once = [] {
    const std::vector<double> noise =
        statistics::simulate(statistics::SimulatedProcess::two_state, 30'000, 3, 1);
    SimulatedRegion region;
    region.iteration = [&](std::uint64_t k) { return 1e-5 * noise[k % noise.size()]; };
    return measure_alone(region, simulated_traits(), VisitSettings{});
  };
  const LoopResult first = once();
  const LoopResult second = once();
  EXPECT_EQ(first.series.device_s, second.series.device_s);
  EXPECT_EQ(first.warmup_s, second.warmup_s);
  EXPECT_EQ(first.flags, second.flags);
}

}  // namespace
}  // namespace assay::measure
