// SPDX-License-Identifier: Apache-2.0
#include "measure/guards.hpp"

#include "base/file.hpp"
#include "measure/lying_region.hpp"
#include "measure/simulated_region.hpp"
#include "statistics/simulation.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>

namespace assay::measure {
namespace {

Traits host_traits() {
  Traits traits;
  traits.clock = ClockKind::host;
  traits.tick_s = 1e-9;
  traits.idempotent = true;
  return traits;
}

// How a visit of a region ends: the reason's code, "stale" if its result did not follow its inputs, or "".
std::string ending_of(Lie lie, const GuardSet& guards, bool laps = false) {
  MachineClock clock;
  LyingRegion region(clock, lie);
  if (lie == Lie::recomputed_new) region.work_s = 1e-3;
  Team team(nullptr);
  QuietWatch watch;
  Traits traits = host_traits();
  traits.laps = laps;
  Settings settings;
  settings.samples = 200;
  settings.max_time_s = 2;
  settings.guards = guards;
  const Result result = measure(region, team, clock, watch, traits, settings);
  if (result.fault.ending != Ending::completed) return result.fault.code;
  if (!guards.new_inputs) return {};
  const auto draws = draw_new_inputs(7, 0, 1);
  const Renewal renewal = measure_new_inputs(region, team, traits, draws, result.series.iterations);
  return renewal.fault.ending == Ending::failed ? "stale" : renewal.fault.code;
}

TEST(Guards, LetAnHonestRegionPass) {
  EXPECT_EQ(ending_of(Lie::none, {}), "");
  EXPECT_EQ(ending_of(Lie::none, {}, true), "");
}

// Each lie is found, and by its own guard alone: without that one it is published.
TEST(Guards, EachFindsItsLieAndNobodyElseDoes) {
  const struct {
    Lie lie;
    bool GuardSet::*guard;
    const char* code;
  } rows[] = {
      {Lie::queued, &GuardSet::settle, "guard.work-left-behind"},
      {Lie::short_laps, &GuardSet::laps, "guard.laps-differ"},
      {Lie::tenth, &GuardSet::share, "guard.time-missing"},
      {Lie::other_clock, &GuardSet::moments, "guard.moments-impossible"},
      {Lie::reversed, &GuardSet::moments, "guard.moments-impossible"},
      {Lie::half, &GuardSet::first_steps, "guard.time-not-proportional"},
      {Lie::half_up, &GuardSet::first_steps, "guard.time-not-proportional"},
      {Lie::cached, &GuardSet::new_inputs, "stale"},
      {Lie::recomputed_new, &GuardSet::new_inputs, "guard.slow-when-new"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(static_cast<int>(row.lie));
    EXPECT_EQ(ending_of(row.lie, {}, true), row.code);
    GuardSet without;
    without.*row.guard = false;
    EXPECT_EQ(ending_of(row.lie, without, true), "");
  }
}

TEST(Guards, HoldLapsAgainstTheSample) {
  Sample sample;
  sample.device_s = 1e-3;
  const std::vector<double> right(10, 1e-4), wrong(10, 0.97e-4), doubled(10, 2e-4);
  EXPECT_FALSE(object_to_laps(sample, right, 1e-9));
  EXPECT_EQ(object_to_laps(sample, wrong, 1e-9)->code, "guard.laps-differ");
  EXPECT_EQ(object_to_laps(sample, doubled, 1e-9)->code, "guard.laps-differ");
  // A tick each is what reading the clock may cost.
  EXPECT_FALSE(object_to_laps(sample, wrong, 3e-6));
}

TEST(Guards, HoldMomentsAgainstTheCall) {
  const Moments call{1'000'000, 2'000'000};
  const auto code = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    Sample sample;
    sample.begin_ns = begin_ns;
    sample.end_ns = end_ns;
    const auto objection = object_to_moments(sample, call);
    return objection ? objection->code : "";
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
  EXPECT_TRUE(object_to_host_time(longer, 1e-3, 1e-9));
  EXPECT_FALSE(object_to_host_time(longer, 1.2e-3, 1e-9));
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
    return share.object(false).has_value();
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
  EXPECT_FALSE(busy.object(false));
  EXPECT_EQ(lying.object(true)->code, "guard.time-missing");
}

// Verifying twice as long as before is a busy machine; longer than the samples lasted is a queue.
TEST(Guards, KnowAWaitFromABusyMachine) {
  EXPECT_FALSE(waited_in_verify(2, 1, 3));
  EXPECT_FALSE(waited_in_verify(0.1, 0, 3));
  EXPECT_TRUE(waited_in_verify(92, 0.1, 3));
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

// A region whose iterations take what recorded ones took, on a machine that holds calls up at random: between
// samples, within them, around them and while it settles.
class RecordedRegion final : public Region {
 public:
  RecordedRegion(MachineClock& clock, const std::vector<double>& series, std::uint64_t seed)
      : clock_(clock), series_(series), state_(seed), at_(draw() % series.size()) {}
  Ran run(Mode, std::uint64_t n, std::span<double>, Sample& out) override {
    hold_up();
    const double begin_s = clock_.now_s();
    for (std::uint64_t i = 0; i < n; ++i) clock_.advance(series_[at_++ % series_.size()]);
    hold_up();
    out.begin_ns = std::llround(begin_s * 1e9);
    out.end_ns = std::llround(clock_.now_s() * 1e9);
    out.device_s = out.host_s = clock_.now_s() - begin_s;
    clock_.advance(10e-6);
    hold_up();
    return Ran::ok;
  }
  Ran check() override { return Ran::ok; }
  bool can_settle() const override { return true; }
  Ran settle() override {
    clock_.advance(15e-6);
    hold_up();
    return Ran::ok;
  }
  Renewed renew(std::uint64_t) override { return Renewed::ok; }

 private:
  std::uint64_t draw() { return state_ = state_ * 6364136223846793005U + 1442695040888963407U, state_ >> 33; }
  // One call in fifty waits for a time slice of another program, of up to 8 ms.
  void hold_up() {
    if (draw() % 50 == 0) clock_.advance(static_cast<double>(draw() % 8000) * 1e-6);
  }

  MachineClock& clock_;
  const std::vector<double>& series_;
  std::uint64_t state_;
  std::size_t at_;
};

std::vector<double> recorded(const std::filesystem::path& file) {
  std::istringstream lines(read_file(file.string()));
  std::vector<double> series;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line.front() != '#') series.push_back(std::stod(line) * 32e-9);
  return series;
}

TEST(Guards, RefuseNoRecordedSeriesOnABusyMachine) {
  constexpr int kVisits = 150;  // of each series
  int visits = 0, refused = 0;
  for (const auto& file : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/tests/fixtures/traces")) {
    if (file.path().extension() != ".csv") continue;
    const std::vector<double> series = recorded(file.path());
    ASSERT_GT(series.size(), 100U) << file.path();
    for (int visit = 0; visit < kVisits; ++visit, ++visits) {
      MachineClock clock;
      RecordedRegion region(clock, series, static_cast<std::uint64_t>(visits));
      Team team(nullptr);
      QuietWatch watch;
      Settings settings;
      settings.samples = 50;
      settings.warmup = 0;
      const Result result = measure(region, team, clock, watch, host_traits(), settings);
      std::string code = result.fault.code;
      if (code.empty()) {
        code = measure_new_inputs(region, team, host_traits(), draw_new_inputs(visits, 0, 1),
                                  result.series.iterations)
                   .fault.code;
      }
      refused += code.empty() ? 0 : 1;
      EXPECT_EQ(code, "") << file.path() << ", visit " << visit << ": " << result.fault.text;
    }
  }
  std::printf("refused %d of %d visits of recorded series\n", refused, visits);
  EXPECT_GE(visits, 8 * kVisits);
}

}  // namespace
}  // namespace assay::measure
