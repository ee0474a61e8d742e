// SPDX-License-Identifier: Apache-2.0
//
// Which single copies are measured, and what is taken from them.
#include "broadcast/link_rates.hpp"

#include "broadcast/rounds_cases.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace assay::plugins::broadcast {

void PrintTo(const Link& link, std::ostream* out) {
  *out << link.from << " to " << link.to << " by " << link.by;
}

namespace {

using List = std::vector<Link>;

Links links(Strategy strategy, Shape shape, const std::vector<int>& cpus) {
  std::vector<ThreadPlace> places;
  for (const int cpu : cpus) places.push_back({cpu, 0});
  return links_of(Schedule({strategy, shape, static_cast<int>(cpus.size()), 1, 1024, 64}), places);
}

TEST(LinksOfASchedule, AreThoseThatItUses) {
  const auto links = [](Strategy strategy, Shape shape) {
    return broadcast::links(strategy, shape, {10, 11, 12, 13});
  };
  EXPECT_EQ(links(Strategy::direct, Shape::star).source,
            (List{{1, kSource, 1}, {1, kSource, 2}, {1, kSource, 3}, {1, kSource, 0}}));
  EXPECT_EQ(links(Strategy::direct, Shape::star).onward, List{});
  EXPECT_EQ(links(Strategy::direct_parallel, Shape::star).source,
            (List{{0, kSource, 0}, {1, kSource, 1}, {2, kSource, 2}, {3, kSource, 3}}));
  EXPECT_EQ(links(Strategy::relay, Shape::star).source, (List{{1, kSource, 1}}));
  EXPECT_EQ(links(Strategy::relay, Shape::star).onward, (List{{1, 1, 2}, {1, 1, 3}, {1, 1, 0}}));
  EXPECT_EQ(links(Strategy::pipelined, Shape::chain).source, (List{{1, kSource, 1}}));
  EXPECT_EQ(links(Strategy::pipelined, Shape::chain).onward, (List{{0, 3, 0}, {2, 1, 2}, {3, 2, 3}}));
  EXPECT_EQ(links(Strategy::scatter_allgather, Shape::star).onward,
            (List{{0, 3, 0}, {1, 0, 1}, {2, 1, 2}, {3, 2, 3}}));
}

TEST(LinksOfASchedule, AreOneBetweenEveryTwoCpusAndWithinOne) {
  // Destinations 0, 2 and 4 share a CPU, and so do 1, the root, 3 and 5.
  const std::vector<int> cpus{6, 7, 6, 7, 6, 7};
  EXPECT_EQ(links(Strategy::pipelined, Shape::star, cpus).onward, (List{{0, 1, 0}, {3, 1, 3}}));
  EXPECT_EQ(links(Strategy::relay, Shape::star, cpus).onward, (List{{1, 1, 2}, {1, 1, 3}}));
  EXPECT_EQ(links(Strategy::direct, Shape::star, cpus).source, (List{{1, kSource, 1}, {1, kSource, 2}}));
  EXPECT_EQ(links(Strategy::direct_parallel, Shape::star, cpus).source,
            (List{{0, kSource, 0}, {1, kSource, 1}}));
  EXPECT_EQ(links(Strategy::pipelined, Shape::tree, cpus).onward.size(),
            4U);  // both CPUs, from either and to either
}

// A clock for every thread, a microsecond on whenever it looks.
std::int64_t own_time_ns() {
  thread_local std::int64_t time_ns = 0;
  return time_ns += 1000;
}

TEST(LinkRates, OfShortCopiesAreOfSeveralBetweenTwoReadings) {
  constexpr std::uint64_t kBytes = Payload::kWords * sizeof(Word);
  const double times = 33;  // of it are as much as is timed at once
  Workers workers(places(3));
  for (const Plan& plan : ways(3)) {
    SCOPED_TRACE(text_of(plan));
    const Payload payload(3);
    const Schedule schedule(plan);
    const auto rates = measure_rates(workers, schedule, payload.memory(), own_time_ns, never);
    ASSERT_TRUE(rates);
    const double expected = times * static_cast<double>(kBytes) / 1e-6;
    EXPECT_NEAR(rates->source / expected, 1, 1e-12);
    const bool onward = plan.strategy != Strategy::direct && plan.strategy != Strategy::direct_parallel;
    EXPECT_NEAR(rates->onward / expected, onward ? 1 : 0, 1e-12);
  }
}

TEST(LinkRates, SmallChunksAreTimedTogether) {
  constexpr std::uint64_t kWords = 1 << 16;
  constexpr std::uint64_t kBytes = kWords * sizeof(Word);  // twice as much as is timed at once
  Workers workers(places(2));
  const Payload payload(2, kWords);
  const Schedule schedule({Strategy::pipelined, Shape::chain, 2, 0, kBytes, 4096});
  const Link link{1, 0, 1};
  const auto pass = [&](std::uint64_t timed) {
    return pass_ns(workers, schedule, payload.memory(), link, timed, own_time_ns, never);
  };
  EXPECT_EQ(pass(4096), 128 * 1000.0);
  EXPECT_EQ(pass(kTimedBytes), 2 * 1000.0);
  EXPECT_EQ(pass(10 * kBytes), 1000.0);
  EXPECT_EQ(payload.wrong(), 0U);
}

TEST(LinkRates, OfTheSourceAreAlsoThoseOfOneReaderOnEveryCpu) {
  constexpr std::uint64_t kWords = 1 << 16;
  constexpr std::uint64_t kBytes = kWords * sizeof(Word);
  Workers workers(places(4));
  const Payload payload(4, kWords);
  const auto rate = [&](Strategy strategy, const List& links) {
    const Schedule schedule({strategy, Shape::star, 4, 0, kBytes, kBytes});
    return source_rate_at_once(workers, schedule, payload.memory(), links, own_time_ns, never).value();
  };
  EXPECT_NEAR(rate(Strategy::direct_parallel, {{0, kSource, 0}, {1, kSource, 1}}), kBytes / 1e-6, 1);
  EXPECT_EQ(payload.wrong(0) + payload.wrong(1), 0U);
  EXPECT_EQ(payload.wrong(2), kWords);  // shares a CPU, or is taken to
  // A share is shorter than what is timed at once.
  EXPECT_NEAR(rate(Strategy::scatter_allgather, {{0, kSource, 0}, {3, kSource, 3}}), kBytes / 4 * 2 / 1e-6,
              1);
  // One reads it alone.
  EXPECT_EQ(rate(Strategy::relay, {{0, kSource, 0}}), 0);
  EXPECT_EQ(rate(Strategy::direct, {{0, kSource, 0}, {0, kSource, 1}}), 0);
}

TEST(LinkRates, AreAlsoThoseOfCopiesMadeAtOnce) {
  constexpr std::uint64_t kWords = 1 << 16;
  constexpr std::uint64_t kBytes = kWords * sizeof(Word);
  Workers workers(places(2));
  const Payload payload(2, kWords);
  const auto together = [&](Strategy strategy, std::int64_t clock_ns) {
    const Schedule schedule({strategy, Shape::star, 2, 0, kBytes, kBytes / 2});
    return rates_together(workers, schedule, payload.memory(), clock_ns, own_time_ns, never).value();
  };
  const auto bytes = static_cast<double>(kBytes);
  EXPECT_NEAR(together(Strategy::direct_parallel, 0).source, bytes / 1000e-9, 1);
  EXPECT_EQ(together(Strategy::direct_parallel, 0).onward, 0);
  EXPECT_NEAR(together(Strategy::direct_parallel, 200).source, bytes / 800e-9, 1);
  EXPECT_NEAR(together(Strategy::pipelined, 200).onward, bytes / 1600e-9, 1);
  // Of one worker's all copies, however they are cut.
  EXPECT_NEAR(together(Strategy::direct, 0).source, bytes / 1000e-9, 1);
  // The clock's own steps taken off, nothing is left of these.
  const Schedule schedule({Strategy::direct_parallel, Shape::star, 2, 0, kBytes, kBytes});
  const auto rates = measure_rates(workers, schedule, payload.memory(), own_time_ns, never);
  EXPECT_NEAR(rates.value().source, bytes / 1e-9, 1e9);
}

TEST(LinkRates, APassCarriesThePayloadAlongItsLink) {
  Workers workers(places(3));
  const Schedule schedule({Strategy::pipelined, Shape::chain, 3, 0, Payload::kWords * sizeof(Word), 448});
  for (const std::uint64_t timed : {std::uint64_t{1}, std::uint64_t{1000}, kTimedBytes}) {
    const Payload payload(3);
    EXPECT_TRUE(pass_ns(workers, schedule, payload.memory(), {2, 1, 2}, timed, own_time_ns, never));
    EXPECT_EQ(payload.wrong(0), Payload::kWords);
    EXPECT_EQ(payload.wrong(1), 0U);
    EXPECT_EQ(payload.wrong(2), 0U);
  }
}

TEST(LinkRates, GiveUpWhenCancelled) {
  Workers workers(places(2));
  const Schedule schedule({Strategy::pipelined, Shape::chain, 2, 0, Payload::kWords * sizeof(Word), 448});
  const Payload payload(2);
  // The clock stands still until the workers were asked to stop, so that they cannot be done before.
  std::atomic<bool> asked{false};
  const auto now = [&]() -> std::int64_t {
    while (!asked) std::this_thread::yield();
    return 0;
  };
  const auto cancelled = [&] {
    asked = true;
    return true;
  };
  EXPECT_FALSE(pass_ns(workers, schedule, payload.memory(), {1, 0, 1}, 1, now, cancelled));
  asked = false;
  EXPECT_FALSE(rates_together(workers, schedule, payload.memory(), 0, now, cancelled));
}

}  // namespace
}  // namespace assay::plugins::broadcast
