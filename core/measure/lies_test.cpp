// SPDX-License-Identifier: Apache-2.0
//
// Every lie is found in every visit, and by its own guard alone: without that one it is published.
#include "measure/testing/lying_region.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace assay::measure {
namespace {

constexpr std::uint64_t kVisits = 100;  // of each

struct LieRow {
  const char* name;
  Lie lie;
  bool GuardSet::*guard;
  const char* code;
  std::uint64_t samples = 200;
  double work_s = 5e-6;
  double looking_s = 1e-4;
  double queueing_s = 1e-7;
  std::int64_t warmup = -1;
  std::uint64_t found_when_loaded =
      kVisits;  // of kVisits; where fewer, nothing is asked of a swamped machine
};

// Where verifying takes long beside a queue, settle alone can notice that it was waited for.
const LieRow kRows[] = {
    {"queued", Lie::queued, &GuardSet::settle, "guard.work-left-behind", 200, 5e-6, 1},
    {"queued, settle does not wait", Lie::queued_silent, &GuardSet::leftovers, "guard.work-left-behind", 3000,
     1e-4},
    {"queued, neither settle nor verify waits", Lie::queued_unlooked, &GuardSet::leftovers,
     "guard.work-left-behind", 3000, 1e-4},
    {"queued, a few short ones", Lie::queued_silent, &GuardSet::leftovers, "guard.work-left-behind", 20,
     20e-6, 1e-4, 4e-6, 0, 80},
    {"laps of a nanosecond", Lie::short_laps, &GuardSet::laps, "guard.laps-differ"},
    {"a tenth of its times", Lie::tenth, &GuardSet::share, "guard.time-missing"},
    {"another clock", Lie::other_clock, &GuardSet::moments, "guard.moments-impossible"},
    {"ends before it begins", Lie::reversed, &GuardSet::moments, "guard.moments-impossible"},
    {"ten times the device's time", Lie::longer, &GuardSet::device_time, "guard.device-above-host"},
    {"the work of one iteration", Lie::constant, &GuardSet::proportion, "guard.time-not-proportional"},
    {"half of the iterations", Lie::half_up, &GuardSet::first_steps, "guard.time-not-proportional"},
    // One of them fills a sample, and is no half; the rate without what does not grow is of two of them.
    {"half of the iterations, a sample each", Lie::half_up, &GuardSet::first_steps,
     "guard.time-not-proportional", 200, 25e-6},
    {"work that is kept", Lie::cached, &GuardSet::new_inputs, "stale"},
    {"other work than is verified", Lie::unlike, &GuardSet::new_inputs, "stale"},
    {"work that is kept for each input", Lie::recomputed_new, &GuardSet::slow_when_new, "guard.slow-when-new",
     200, 1e-3},
};

std::string refusal_of(const LieRow& row, const GuardSet& guards, const Disturbance& by, std::uint64_t seed) {
  MachineClock clock(by, seed);
  LyingRegion region(clock, row.lie);
  region.work_s = row.work_s;
  region.looking_s = row.looking_s;
  region.queueing_s = row.queueing_s;
  Traits traits = host_traits();
  traits.laps = row.lie == Lie::short_laps;
  VisitSettings settings;
  settings.samples = row.samples;
  settings.max_time_s = 2;
  settings.warmup = row.warmup;
  settings.guards = guards;
  return refusal_of(region, clock, traits, settings, seed);
}

TEST(Lies, EachIsFoundEveryTime) {
  for (const Disturbance& by : kDisturbances) {
    for (const LieRow& row : kRows) {
      SCOPED_TRACE(std::string(row.name) + ", " + by.name);
      std::uint64_t found = 0;
      for (std::uint64_t seed = 0; seed < kVisits; ++seed) {
        const std::string code = refusal_of(row, {}, by, seed);
        found += !code.empty();
        // Beside other programs another guard may be the first to see it.
        if (by.delays_per_s == 0) {
          EXPECT_EQ(code, row.code);
        }
      }
      std::printf("%-8s %-40s found in %llu of %llu visits\n", by.name, row.name,
                  static_cast<unsigned long long>(found), static_cast<unsigned long long>(kVisits));
      if (std::string(by.name) == "swamped" && row.found_when_loaded < kVisits) continue;
      EXPECT_GE(found, std::string(by.name) == "loaded" ? row.found_when_loaded : kVisits);
    }
  }
}

TEST(Lies, EachIsPublishedWithoutItsOwnGuard) {
  for (const LieRow& row : kRows) {
    SCOPED_TRACE(row.name);
    GuardSet without;
    without.*row.guard = false;
    std::uint64_t published = 0;
    for (std::uint64_t seed = 0; seed < kVisits; ++seed)
      published += refusal_of(row, without, kDisturbances[0], seed).empty();
    EXPECT_EQ(published, kVisits);
  }
}

// Rounded down, half of one iteration is none, which its result tells, too.
TEST(Lies, HalfOfTheIterationsRoundedDownIsFoundByEitherOfTwo) {
  LieRow row{"half", Lie::half, &GuardSet::first_steps, ""};
  for (std::uint64_t seed = 0; seed < kVisits; ++seed) {
    EXPECT_EQ(refusal_of(row, {}, {}, seed), "guard.time-not-proportional");
    GuardSet without;
    without.first_steps = false;
    EXPECT_EQ(refusal_of(row, without, {}, seed), "stale");
    without.new_inputs = false;
    EXPECT_EQ(refusal_of(row, without, {}, seed), "");
  }
}

TEST(Lies, TheTruthIsPublished) {
  for (const Disturbance& by : kDisturbances) {
    LieRow row{"none", Lie::none, nullptr, ""};
    for (std::uint64_t seed = 0; seed < kVisits; ++seed)
      EXPECT_EQ(refusal_of(row, {}, by, seed), "") << by.name << ", " << seed;
  }
}

}  // namespace
}  // namespace assay::measure
