// SPDX-License-Identifier: Apache-2.0
#include "measure/rank_team.hpp"

#include "measure/testing/simulated_region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

namespace assay::measure {
namespace {

// Ranks as threads; one of them leaving early ends every wait, as a cancel does.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count), data_(static_cast<std::size_t>(count)) {}

  bool barrier() {
    std::unique_lock lock(mutex_);
    if (broken_) return false;
    const int turn = turn_;
    if (++arrived_ == count_) {
      arrived_ = 0;
      ++turn_;
      changed_.notify_all();
      return true;
    }
    changed_.wait(lock, [&] { return turn_ != turn || broken_; });
    return turn_ != turn;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] int count() const { return count_; }
  const void*& slot(int rank) { return data_[static_cast<std::size_t>(rank)]; }

 private:
  int count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  int turn_ = 0;
  bool broken_ = false;
  std::vector<const void*> data_;
};

class ThreadExchange final : public Exchange {
 public:
  ThreadExchange(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int rank_count() const override { return meeting_.count(); }
  bool barrier() override { return meeting_.barrier(); }
  bool broadcast(void* data, std::size_t bytes, int root) override {
    meeting_.slot(rank_) = data;
    if (!barrier()) return false;
    if (rank_ != root) std::memcpy(data, meeting_.slot(root), bytes);
    return barrier();
  }
  bool allgather(const void* mine, void* all, std::size_t bytes) override {
    meeting_.slot(rank_) = mine;
    if (!barrier()) return false;
    for (int rank = 0; rank < meeting_.count(); ++rank) {
      std::memcpy(static_cast<char*>(all) + bytes * static_cast<std::size_t>(rank), meeting_.slot(rank),
                  bytes);
    }
    return barrier();
  }

 private:
  Meeting& meeting_;
  int rank_;
};

struct SimulatedRank {
  SimulatedRegion region;
  Traits traits = simulated_traits();
  LoopResult result;
};

void measure_together(std::vector<SimulatedRank>& ranks, const VisitSettings& settings) {
  Meeting meeting(static_cast<int>(ranks.size()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    threads.emplace_back([&, i] {
      ThreadExchange exchange(meeting, static_cast<int>(i));
      RankTeam team(&exchange);
      SimulatedClock clock;
      QuietWatch watch;
      ranks[i].result = measure(ranks[i].region, team, clock, watch, ranks[i].traits, settings);
      if (ranks[i].result.fault.ending != SamplingEnd::completed) meeting.leave();
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(RankTeam, AllRanksTakeTheSameSamplesWhateverTheirOwnTimes) {
  std::vector<SimulatedRank> ranks(3);
  ranks[0].region.iteration = [](std::uint64_t k) { return 1e-6 * (1 + 0.1 * static_cast<double>(k % 7)); };
  ranks[1].region.iteration = [](std::uint64_t) { return 2e-6; };
  ranks[2].region.iteration = [](std::uint64_t) { return 4e-6; };
  VisitSettings settings;
  settings.max_time_s = 2;
  measure_together(ranks, settings);
  const LoopResult& first = ranks[0].result;
  EXPECT_EQ(first.fault.ending, SamplingEnd::completed) << first.fault.text;
  EXPECT_EQ(first.stop, "converged");
  // Of the slowest: 1.2 × 20 µs / 4 µs.
  EXPECT_EQ(first.calibrated_n, 6U);
  for (const SimulatedRank& rank : ranks) {
    EXPECT_EQ(rank.region.calls, ranks[0].region.calls);
    EXPECT_EQ(rank.result.series.device_s.size(), first.series.device_s.size());
    EXPECT_EQ(rank.result.stop, first.stop);
    EXPECT_EQ(rank.result.flags, first.flags);
    EXPECT_EQ(rank.result.calibrated_n, first.calibrated_n);
    EXPECT_EQ(rank.result.warmup_iterations, first.warmup_iterations);
  }
  EXPECT_NEAR(ranks[2].result.series.device_s.front(), 24e-6, 1e-12) << "each publishes its own times";
}

TEST(RankTeam, TheSlowestRankDecidesWhenItIsPrecise) {
  // Rank 0 alone would be done at once; rank 1 swings.
  std::vector<SimulatedRank> ranks(2);
  for (SimulatedRank& rank : ranks) rank.traits.maximum = 1;
  ranks[1].region.iteration = [](std::uint64_t k) {
    return 2e-3 * (1 + 0.2 * static_cast<double>(k * 7919 % 13));
  };
  VisitSettings settings;
  settings.warmup = 0;
  settings.max_time_s = 1;
  measure_together(ranks, settings);
  EXPECT_GT(ranks[0].result.series.device_s.size(), 380U);
  EXPECT_EQ(ranks[0].result.series.device_s.size(), ranks[1].result.series.device_s.size());
}

TEST(RankTeam, RanksCountTheirSamplesFromTheFirstOfRank0) {
  std::vector<SimulatedRank> ranks(3);
  const std::int64_t late_ns[] = {0, 250, -40};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].traits.maximum = 1;
    ranks[i].region.begin_ns = [late = late_ns[i]](std::uint64_t call) {
      return 5'000'000 + late + static_cast<std::int64_t>(call) * 1000;
    };
  }
  measure_together(ranks, exactly(3));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ASSERT_EQ(ranks[i].result.series.begin_s.size(), 3U);
    for (std::size_t sample = 0; sample < 3; ++sample) {
      const double due_s = (static_cast<double>(late_ns[i]) + 1000 * static_cast<double>(sample)) * 1e-9;
      EXPECT_NEAR(ranks[i].result.series.begin_s[sample], due_s, 1e-15);
    }
  }
}

// As where a spinning rank has the processor that the other one needs: 1 us of work, and 200 us until both
// have begun, which the first to begin waits for.
TEST(RankTeam, SamplesAreLongAgainstWhatRanksBeginApart) {
  for (const bool is_once : {false, true}) {
    std::vector<SimulatedRank> ranks(2);
    const auto late_s = [is_once](std::uint64_t call) { return is_once && call != 0 ? 1e-7 : 200e-6; };
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i].region.iteration = [](std::uint64_t) { return 1e-6; };
      ranks[i].region.begin_ns = [i, late_s](std::uint64_t call) {
        return 1 + static_cast<std::int64_t>(call) * 1'000'000'000 +
               (i == 1 ? std::llround(late_s(call) * 1e9) : 0);
      };
      if (i == 0) ranks[i].region.wait_s = late_s;
    }
    VisitSettings settings;
    settings.max_time_s = 2;
    measure_together(ranks, settings);
    const LoopResult& first = ranks[0].result;
    ASSERT_EQ(first.fault.ending, SamplingEnd::completed) << first.fault.text;
    const double sample_s = first.series.device_s.front();
    if (is_once) {
      EXPECT_LT(sample_s, 100e-6) << "once is chance";
    } else {
      EXPECT_GE(sample_s, 20 * 200e-6);
    }
  }
}

// Rank 1 begins 12 ms late and rank 0 waits for it. So few iterations fit into a sample that the wait fills it.
struct LateRank {
  double iteration_s = 0.5e-3;
  std::uint64_t maximum = 8;
  bool is_done_once = false;
  ClockKind clock = ClockKind::host;

  [[nodiscard]] LoopResult measured() const {
    std::vector<SimulatedRank> ranks(2);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i].traits.maximum = maximum;
      ranks[i].traits.clock = clock;
      ranks[i].region.iteration = [*this](std::uint64_t) { return is_done_once ? 0 : iteration_s; };
      ranks[i].region.offset_s = is_done_once ? iteration_s : 0;
      ranks[i].region.begin_ns = [i](std::uint64_t call) {
        return 1 + static_cast<std::int64_t>(call) * 1'000'000'000 + (i == 1 ? 12'000'000 : 0);
      };
      if (i == 0) ranks[i].region.wait_s = [](std::uint64_t) { return 12e-3; };
    }
    VisitSettings settings;
    settings.max_time_s = 2;
    // This machine's clock stands still within a call.
    settings.guards.device_time = settings.guards.moments = false;
    measure_together(ranks, settings);
    return ranks[0].result;
  }
};

TEST(RankTeam, WhatRanksBeginApartIsNotHeldAgainstThePlugin) {
  for (const std::uint64_t maximum : {2U, 8U}) {
    LateRank late;
    late.maximum = maximum;
    const LoopResult on_host = late.measured();
    EXPECT_EQ(on_host.fault.ending, SamplingEnd::completed) << on_host.fault.text;
    EXPECT_THAT(on_host.flags, testing::Not(testing::Contains("uneven_time")));
    // Its own length of a region, and when the host began to queue it: nothing says how much of it was a wait.
    late.clock = ClockKind::device;
    const LoopResult on_device = late.measured();
    EXPECT_EQ(on_device.fault.ending, SamplingEnd::completed) << on_device.fault.text;
    EXPECT_THAT(on_device.flags, testing::Contains("uneven_time"));
  }
}

TEST(RankTeam, WhatRanksBeginApartHidesNoWorkThatIsDoneOnce) {
  for (const std::uint64_t maximum : {8U, 1'000'000U}) {
    LateRank late;
    late.maximum = maximum;
    late.is_done_once = true;
    EXPECT_EQ(late.measured().fault.code, "guard.time-not-proportional");
  }
}

TEST(RankTeam, LapsAreComparedOneByOne) {
  std::vector<SimulatedRank> ranks(2);
  for (SimulatedRank& rank : ranks) {
    rank.traits.laps = true;
    rank.traits.quantum = rank.traits.maximum = 2;
  }
  ranks[0].region.iteration = [](std::uint64_t k) { return k % 2 == 0 ? 1e-3 : 3e-3; };
  ranks[1].region.iteration = [](std::uint64_t k) { return k % 2 == 0 ? 3e-3 : 1e-3; };
  measure_together(ranks, exactly(5));
  for (const SimulatedRank& rank : ranks) EXPECT_EQ(rank.result.series.laps_s.size(), 10U);
}

TEST(RankTeam, AFailureOfOneRankCancelsTheOthers) {
  std::vector<SimulatedRank> ranks(3);
  ranks[1].region.status_of_call = [](std::uint64_t call) {
    return call == 12 ? RegionStatus::failed : RegionStatus::ok;
  };
  measure_together(ranks, exactly(50));
  EXPECT_EQ(ranks[0].result.fault.ending, SamplingEnd::cancelled);
  EXPECT_EQ(ranks[1].result.fault.ending, SamplingEnd::failed);
  EXPECT_EQ(ranks[2].result.fault.ending, SamplingEnd::cancelled);
}

TEST(RankTeam, ABadTimeOnOneRankIsThatRanksError) {
  std::vector<SimulatedRank> ranks(2);
  ranks[1].region.iteration = [](std::uint64_t k) { return k == 30 ? -1.0 : 1e-3; };
  measure_together(ranks, exactly(50));
  EXPECT_EQ(ranks[0].result.fault.ending, SamplingEnd::cancelled);
  EXPECT_EQ(ranks[1].result.fault.code, "plugin.bad-time");
}

TEST(RankTeam, TraitsThatDifferAreAnErrorOnEveryRank) {
  std::vector<SimulatedRank> ranks(2);
  ranks[1].traits.quantum = 2;
  measure_together(ranks, exactly(5));
  for (const SimulatedRank& rank : ranks) {
    EXPECT_EQ(rank.result.fault.code, "rank.disagree");
    EXPECT_EQ(rank.result.fault.text,
              "rank 1 states other quanta than rank 0: 2, not 1; the traits of all ranks must be equal");
    EXPECT_THAT(rank.region.calls, testing::IsEmpty());
  }
}

TEST(RankTeam, AnInvalidVisitIsInvalidOnEveryRank) {
  std::vector<SimulatedRank> ranks(2);
  for (SimulatedRank& rank : ranks) {
    rank.region.offset_s = 1e-3;
    rank.region.iteration = [](std::uint64_t) { return 0.0; };
  }
  measure_together(ranks, exactly(5));
  for (const SimulatedRank& rank : ranks) EXPECT_EQ(rank.result.fault.code, "guard.time-not-proportional");
}

TEST(RankTeam, AHeldLoadIsCheckedByAllRanks) {
  std::vector<SimulatedRank> ranks(2);
  for (SimulatedRank& rank : ranks) {
    rank.traits.maximum = 1;
    rank.region.iteration = [](std::uint64_t) { return 0.01; };
  }
  VisitSettings settings;
  settings.warmup = 0;
  settings.hold_s = 15;
  measure_together(ranks, settings);
  for (const SimulatedRank& rank : ranks) {
    EXPECT_EQ(rank.result.stop, "held");
    EXPECT_EQ(rank.region.checks, 1U);
  }
}

}  // namespace
}  // namespace assay::measure
