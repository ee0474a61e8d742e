// SPDX-License-Identifier: Apache-2.0
//
// Where threads sit, how they wait and stop, and whole broadcasts by them.
#include "broadcast/pattern.hpp"
#include "broadcast/placement.hpp"
#include "broadcast/rounds.hpp"
#include "broadcast/rounds_cases.hpp"
#include "broadcast/schedule_cases.hpp"
#include "broadcast/workers.hpp"
#include "lib/cpu_team.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <set>
#include <stdexcept>
#include <thread>

namespace assay::plugins::broadcast {
namespace {

std::vector<int> cpus_of(const std::vector<ThreadPlace>& places) {
  std::vector<int> cpus;
  for (const ThreadPlace& place : places) cpus.push_back(place.cpu);
  return cpus;
}

TEST(Placement, GivesEveryNodeItsShareSideBySide) {
  const std::vector<ThreadPlace> machine{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 1}, {5, 1}, {6, 1}, {7, 1}};
  EXPECT_EQ(cpus_of(spread(machine, 4)), (std::vector<int>{0, 1, 4, 5}));
  EXPECT_EQ(cpus_of(spread(machine, 3)), (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(cpus_of(spread(machine, 8)), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(nodes_text(spread(machine, 2)), "0, 1");
  EXPECT_EQ(nodes_text(spread(machine, 1)), "0");
}

TEST(Placement, TakesCpusTwiceOnlyWhereNoneIsFree) {
  const auto taken = spread({{3, 0}, {5, 0}}, 5);
  EXPECT_EQ(cpus_of(taken), (std::vector<int>{3, 5, 3, 5, 3}));
  EXPECT_EQ(processors_of(taken), 2);
}

TEST(Pattern, SaysWhereAWordBelongsAndOfWhichSeedItIs) {
  std::set<Word> seen;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint64_t i = 0; i < 4096; ++i) seen.insert(word_of(seed, i));
  }
  EXPECT_EQ(seen.size(), 8U * 4096U);
  EXPECT_EQ(seen.count(kNothing), 0U);
}

TEST(Pattern, ComparisonNoticesChunksThatChangedPlaces) {
  std::vector<Word> words;
  for (std::uint64_t i = 0; i < 64; ++i) words.push_back(word_of(5, i));
  Misses none;
  compare(words.data(), 0, 64, 5, none);
  EXPECT_EQ(none.wrong, 0U);
  std::swap_ranges(words.begin() + 16, words.begin() + 24, words.begin() + 40);
  Misses some;
  compare(words.data(), 0, 64, 5, some);
  EXPECT_EQ(some.wrong, 16U);
  EXPECT_EQ(some.first, 16U);
}

TEST(Workers, EachRunsOnItsOwnCpu) {
  Workers workers(places(3));
  std::vector<int> ran_on(3, -1);
  EXPECT_TRUE(
      workers.run([&](int worker) { ran_on[static_cast<std::size_t>(worker)] = ::sched_getcpu(); }, never));
  EXPECT_EQ(ran_on, cpus_of(workers.places()));
}

TEST(Workers, OneWithoutACpuStaysWhereTheProcessMayBe) {
  Workers workers({{kAnyCpu, 0}, {allowed_cpus().front(), 0}});
  std::vector<std::vector<int>> cpus(2);
  EXPECT_TRUE(
      workers.run([&](int worker) { cpus[static_cast<std::size_t>(worker)] = allowed_cpus(); }, never));
  EXPECT_EQ(cpus[0], allowed_cpus());
  EXPECT_EQ(cpus[1], std::vector<int>{allowed_cpus().front()});
}

// A worker that waits for what never comes.
void wait_for_ever(Workers& workers) {
  std::atomic<std::uint64_t> never_grows{0};
  workers.waiting().until(never_grows, 1);
}

TEST(Workers, StopInTheMiddleWhenCancelled) {
  Workers workers(places(4));
  EXPECT_FALSE(workers.run([&](int) { wait_for_ever(workers); }, at_once));
  // And can go on afterwards.
  std::atomic<int> ran{0};
  EXPECT_TRUE(workers.run([&](int) { ++ran; }, never));
  EXPECT_EQ(ran, 4);
}

TEST(Workers, OneThatFailsStopsTheOthers) {
  Workers workers(places(4));
  const auto work = [&](int worker) {
    if (worker == 2) throw std::runtime_error("worker 2");
    wait_for_ever(workers);
  };
  EXPECT_THROW(workers.run(work, never), std::runtime_error);
  std::atomic<int> ran{0};
  EXPECT_TRUE(workers.run([&](int) { ++ran; }, never));
  EXPECT_EQ(ran, 4);
}

TEST(Meeting, NobodyGoesOnBeforeAllHaveCome) {
  constexpr std::uint64_t kTimes = 200;
  Workers workers(places(3));
  Meeting meeting(3);
  std::vector<std::atomic<std::uint64_t>> came(3);
  std::atomic<int> early{0};
  const auto work = [&](int worker) {
    for (std::uint64_t time = 0; time < kTimes; ++time) {
      ++came[static_cast<std::size_t>(worker)];
      meeting.meet(time, workers.waiting());
      for (const auto& each : came) early += each < time + 1 ? 1 : 0;
    }
  };
  ASSERT_TRUE(workers.run(work, never));
  EXPECT_EQ(early, 0);
  for (const auto& each : came) EXPECT_EQ(each, kTimes);
}

TEST(Rounds, BringThePayloadEverywhere) {
  for (const int destinations : {1, 2, 5}) {
    Workers workers(places(destinations));
    for (const Plan& plan : ways(destinations)) {
      SCOPED_TRACE(text_of(plan));
      const Payload payload(destinations);
      Clock clock;
      const Region region = run_rounds(workers, Schedule(plan), payload.memory(), 3, clock.now(), never);
      ASSERT_TRUE(region.complete);
      EXPECT_EQ(region.end_ns - region.begin_ns, Clock::kStep_ns);
      ASSERT_EQ(payload.wrong(), 0U);
    }
  }
}

TEST(Rounds, TellOfEveryCopy) {
  Workers workers(places(3));
  for (const Plan& plan : ways(3)) {
    SCOPED_TRACE(text_of(plan));
    const Payload payload(3);
    const Schedule schedule(plan);
    std::vector<std::uint64_t> heard(3);
    Clock clock;
    const auto listener = [&](int worker, const Copy& copy, std::int64_t begin_ns, std::int64_t end_ns) {
      const auto at = static_cast<std::size_t>(worker);
      const Copy expected = schedule.copy(worker, heard[at]++ % schedule.copies(worker));
      EXPECT_EQ(copy.begin, expected.begin);
      EXPECT_EQ(copy.to, expected.to);
      EXPECT_GT(end_ns, begin_ns);
    };
    ASSERT_TRUE(run_rounds(workers, schedule, payload.memory(), 2, clock.now(), never, listener).complete);
    for (int worker = 0; worker < 3; ++worker) {
      EXPECT_EQ(heard[static_cast<std::size_t>(worker)], 2 * schedule.copies(worker));
    }
  }
}

TEST(Rounds, BeginBeforeTheFirstCopyHoweverManyShareACpu) {
  Workers workers(places(8));
  for (const Plan& plan : ways(8)) {
    SCOPED_TRACE(text_of(plan));
    const Payload payload(8);
    Clock clock;
    std::array<std::int64_t, 8> first{};  // of each worker
    const auto listener = [&](int worker, const Copy&, std::int64_t begin_ns, std::int64_t) {
      std::int64_t& mine = first[static_cast<std::size_t>(worker)];
      if (mine == 0) mine = begin_ns;
    };
    const Region region =
        run_rounds(workers, Schedule(plan), payload.memory(), 1, clock.now(), never, listener);
    ASSERT_TRUE(region.complete);
    for (const std::int64_t begin_ns : first) {
      const bool copied = begin_ns != 0;
      EXPECT_TRUE(!copied || begin_ns > region.begin_ns) << begin_ns << " and " << region.begin_ns;
    }
  }
}

TEST(Rounds, EndInTheMiddleWhenCancelled) {
  constexpr std::uint64_t kForEver = std::uint64_t{1} << 50;
  Workers workers(places(5));
  for (const Plan& plan : ways(5)) {
    SCOPED_TRACE(text_of(plan));
    const Payload payload(5);
    Clock clock;
    ASSERT_FALSE(
        run_rounds(workers, Schedule(plan), payload.memory(), kForEver, clock.now(), at_once).complete);
  }
}

TEST(Rounds, OneThatFailsEndsThemForAll) {
  Workers workers(places(5));
  for (const Plan& plan : ways(5)) {
    SCOPED_TRACE(text_of(plan));
    const Payload payload(5);
    Clock clock;
    const auto failing = [&](int worker, const Copy&, std::int64_t, std::int64_t) {
      if (worker == plan.root) throw std::runtime_error("no more");
    };
    EXPECT_THROW(run_rounds(workers, Schedule(plan), payload.memory(), 2, clock.now(), never, failing),
                 std::runtime_error);
    ASSERT_TRUE(run_rounds(workers, Schedule(plan), payload.memory(), 1, clock.now(), never).complete);
    ASSERT_EQ(payload.wrong(), 0U);
  }
}

}  // namespace
}  // namespace assay::plugins::broadcast
