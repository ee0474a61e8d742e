// SPDX-License-Identifier: Apache-2.0
//
// The copies between devices, what each waits for, and the bounds that follow, without a device.
#include "broadcast/ways.hpp"

#include "broadcast/pattern.hpp"
#include "broadcast/schedule_cases.hpp"
#include "broadcast/way_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

namespace assay::plugins::broadcast {
namespace {

std::vector<Plan> plans() {
  std::vector<Plan> all;
  for (int destinations = 1; destinations <= 9; ++destinations) {
    for (const int root : {0, destinations / 2, destinations - 1}) {
      for (const std::uint64_t bytes : {1U, 3U, 64U, 1000U, 1024U}) {
        for (const std::uint64_t chunk : {64U, 128U, 4096U}) add_ways(all, destinations, root, bytes, chunk);
      }
    }
  }
  return all;
}

// Every copy in the order in which it is queued.
template <class Visit>
void in_order(const Ways& ways, Visit&& visit) {
  for (std::uint64_t copy = 0; copy < ways.most_copies(); ++copy) {
    for (std::size_t i = 0; i < ways.all().size(); ++i) {
      if (copy < ways.all()[i].copies()) visit(i, copy);
    }
  }
}

using Route = std::tuple<int, int, int>;  // from, to, after
std::vector<Route> routes(Strategy strategy, Shape shape, int destinations, int root,
                          std::uint64_t bytes = 1024) {
  std::vector<Route> found;
  const Ways ways({strategy, shape, destinations, root, bytes, 64});
  for (const Way& way : ways.all()) found.emplace_back(way.from, way.to, way.after);
  return found;
}

TEST(Ways, BringEveryByteToEveryDestinationOnce) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    std::vector<std::vector<int>> arrived(static_cast<std::size_t>(plan.destinations),
                                          std::vector<int>(plan.bytes, 0));
    const Ways ways(plan);
    in_order(ways, [&](std::size_t i, std::uint64_t copy) {
      const Way& way = ways.all()[i];
      for (std::uint64_t at = way.first(copy); at < way.last(copy); ++at) {
        ++arrived[static_cast<std::size_t>(way.to)][at];
      }
    });
    for (const auto& destination : arrived) ASSERT_EQ(destination, std::vector<int>(plan.bytes, 1));
  }
}

// Which copies have ended for certain once a copy along a way has: those before it there, and what it waited
// for.
TEST(Ways, ReadOnlyWhatTheyWaitedFor) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Ways ways(plan);
    in_order(ways, [&](std::size_t i, std::uint64_t copy) {
      const Way& way = ways.all()[i];
      if (way.from == kSource) return;
      // Up the chain of ways that are waited for to the one that brought it here.
      const Way* before = &way;
      do {
        ASSERT_NE(before->after, kNoWay);
        before = &ways.all()[static_cast<std::size_t>(before->after)];
      } while (before->to != way.from);
      ASSERT_LT(copy, before->copies());
      ASSERT_LE(before->first(copy), way.first(copy));
      ASSERT_GE(before->last(copy), way.last(copy));
    });
  }
}

TEST(Ways, OneSignalAWayIsEnough) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Ways ways(plan);
    std::vector<std::uint64_t> queued(ways.all().size(), 0);
    in_order(ways, [&](std::size_t i, std::uint64_t copy) {
      const int after = ways.all()[i].after;
      if (after != kNoWay) {
        ASSERT_LT(after, static_cast<int>(i));
        // The latest that was recorded is the one that is waited for.
        ASSERT_EQ(queued[static_cast<std::size_t>(after)], copy + 1);
      }
      ++queued[i];
    });
  }
}

TEST(Ways, TheEndOfThoseThatNobodyWaitsForIsTheEndOfAll) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Ways ways(plan);
    std::vector<std::uint64_t> awaited(ways.all().size(), 0);
    for (const Way& way : ways.all()) {
      ASSERT_GT(way.copies(), 0U);
      if (way.after == kNoWay) continue;
      ASSERT_EQ(way.copies(), ways.all()[static_cast<std::size_t>(way.after)].copies());
      ++awaited[static_cast<std::size_t>(way.after)];
    }
    for (std::size_t i = 0; i < awaited.size(); ++i) ASSERT_EQ(ways.awaited(i), awaited[i] > 0);
  }
}

// With pageable memory each device's copies are queued by a thread of its own, which knows nothing of others.
TEST(Ways, FromASourceInParallelNoDeviceWaitsForAnother) {
  int found = 0;
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Ways ways(plan);
    const bool several = plan.destinations > 1 && (plan.strategy == Strategy::direct_parallel ||
                                                   plan.strategy == Strategy::scatter_allgather);
    if (!several) {
      ASSERT_FALSE(ways.parallel_source());
    }
    if (!ways.parallel_source()) continue;
    ++found;
    for (const Way& way : ways.all()) {
      if (way.after == kNoWay) continue;
      ASSERT_EQ(way.by(), ways.all()[static_cast<std::size_t>(way.after)].by());
    }
  }
  EXPECT_GT(found, 0);
}

TEST(Ways, FollowTheStrategyAndItsShape) {
  using List = std::vector<Route>;
  EXPECT_EQ(routes(Strategy::direct, Shape::star, 3, 1),
            (List{{kSource, 1, kNoWay}, {kSource, 2, 0}, {kSource, 0, 1}}));
  EXPECT_EQ(routes(Strategy::direct_parallel, Shape::star, 2, 0),
            (List{{kSource, 0, kNoWay}, {kSource, 1, kNoWay}}));
  // One after the other, and at the same time.
  EXPECT_EQ(routes(Strategy::relay, Shape::star, 4, 1),
            (List{{kSource, 1, kNoWay}, {1, 2, 0}, {1, 3, 1}, {1, 0, 2}}));
  EXPECT_EQ(routes(Strategy::pipelined, Shape::star, 4, 1),
            (List{{kSource, 1, kNoWay}, {1, 2, 0}, {1, 3, 0}, {1, 0, 0}}));
  for (const Strategy strategy : {Strategy::relay, Strategy::pipelined}) {
    EXPECT_EQ(routes(strategy, Shape::chain, 3, 2), (List{{kSource, 2, kNoWay}, {2, 0, 0}, {0, 1, 1}}));
    EXPECT_EQ(routes(strategy, Shape::tree, 5, 0),
              (List{{kSource, 0, kNoWay}, {0, 1, 0}, {0, 2, 0}, {1, 3, 1}, {1, 4, 1}}));
  }
  EXPECT_EQ(routes(Strategy::scatter_allgather, Shape::star, 3, 0), (List{{kSource, 0, kNoWay},
                                                                          {kSource, 1, kNoWay},
                                                                          {kSource, 2, kNoWay},
                                                                          {0, 1, 0},
                                                                          {0, 2, 0},
                                                                          {1, 2, 1},
                                                                          {1, 0, 1},
                                                                          {2, 0, 2},
                                                                          {2, 1, 2}}));
  // Fewer bytes than destinations: what would carry nothing is left out.
  EXPECT_EQ(routes(Strategy::scatter_allgather, Shape::star, 3, 0, 2),
            (List{{kSource, 2, kNoWay}, {2, 0, 0}, {2, 1, 0}}));
}

TEST(Ways, AreCutIntoChunks) {
  const Ways chain({Strategy::pipelined, Shape::chain, 2, 0, 1000, 320});
  for (const Way& way : chain.all()) {
    EXPECT_EQ(way.copies(), 4U);
    EXPECT_EQ(way.first(3), 960U);
    EXPECT_EQ(way.last(3), 1000U);
  }
  const Ways shares({Strategy::scatter_allgather, Shape::star, 2, 0, 1000, 320});
  EXPECT_EQ(shares.all()[0].copies(), 2U);  // 448 bytes: whole lines of memory
  EXPECT_EQ(shares.all()[1].copies(), 2U);
  EXPECT_EQ(shares.all()[1].first(1), 448U + 320U);
  EXPECT_EQ(Ways({Strategy::relay, Shape::chain, 2, 0, 1000, 320}).most_copies(), 1U);
}

TEST(Ways, ToTheRootIsTheFirstOfThem) {
  const Ways ways = Ways::to_root({Strategy::pipelined, Shape::star, 4, 2, 1000, 320});
  ASSERT_EQ(ways.all().size(), 1U);
  EXPECT_EQ(ways.all()[0].to, 2);
  EXPECT_EQ(ways.most_copies(), 4U);
  EXPECT_FALSE(ways.awaited(0));
  EXPECT_FALSE(ways.parallel_source());
  EXPECT_EQ(ways.most_operations(), 1U + 4 + 1);
}

TEST(Ways, AreSummedUpForPeople) {
  EXPECT_EQ(text_of(Ways({Strategy::pipelined, Shape::star, 4, 0, 64U << 20, 8U << 20})),
            "32 along 4 ways, of 8 MiB");
  EXPECT_EQ(text_of(Ways({Strategy::relay, Shape::star, 1, 0, 1536, 64})), "1 along 1 way, of 1.5 KiB");
  EXPECT_EQ(text_of(Ways({Strategy::direct, Shape::star, 2, 0, 3, 64})), "2 along 2 ways, of 3 B");
}

TEST(Ways, AFanIsWhatADevicePassesOnAtTheSameTime) {
  const auto fan = [](Strategy strategy, Shape shape) {
    return Ways({strategy, shape, 4, 0, 1024, 64}).fan().size();
  };
  EXPECT_EQ(fan(Strategy::direct, Shape::star), 0U);
  EXPECT_EQ(fan(Strategy::relay, Shape::star), 1U);
  EXPECT_EQ(fan(Strategy::relay, Shape::tree), 2U);
  EXPECT_EQ(fan(Strategy::pipelined, Shape::star), 3U);
  EXPECT_EQ(fan(Strategy::pipelined, Shape::chain), 1U);
  EXPECT_EQ(fan(Strategy::pipelined, Shape::tree), 2U);
  EXPECT_EQ(fan(Strategy::scatter_allgather, Shape::star), 3U);
}

TEST(Ways, CountWhatTheBusiestDeviceGets) {
  const auto most = [](Strategy strategy, Shape shape, int root = 0) {
    return Ways({strategy, shape, 4, root, 1024, 64}).most_operations();
  };
  // Of the first device: the signal at the beginning, and the waits at the end.
  EXPECT_EQ(most(Strategy::direct_parallel, Shape::star), 1U + 4 + 3);
  EXPECT_EQ(most(Strategy::direct, Shape::star), 1U + 1 + 3);
  EXPECT_EQ(most(Strategy::pipelined, Shape::star), 1U + 3 + (1 + 16 * 2) + 3 * (16 * 2 + 1));
  EXPECT_EQ(most(Strategy::pipelined, Shape::star, 1), (1U + 16 * 2) + 3 * (16 * 2 + 1));
  EXPECT_EQ(most(Strategy::pipelined, Shape::chain), 1U + 1 + (1 + 16 * 2) + 16 * 3);
  EXPECT_EQ(most(Strategy::scatter_allgather, Shape::star), 1U + 12 + (1 + 4 * 2) + 3 * (4 * 2 + 1));
}

// When the last copy ends, if every copy takes as long as its rate says. Each way out of a device makes one
// copy at a time: one for each way, or one for all.
double makespan(const Ways& ways, Rates rates, bool one_way_out) {
  std::vector<double> ended(ways.all().size(), 0), left(16, 0);
  double last = 0;
  in_order(ways, [&](std::size_t i, std::uint64_t copy) {
    const Way& way = ways.all()[i];
    double begin = ended[i];
    if (way.after != kNoWay) begin = std::max(begin, ended[static_cast<std::size_t>(way.after)]);
    double& out = left[static_cast<std::size_t>(way.by())];
    const bool onward = way.from != kSource;
    if (onward && one_way_out) begin = std::max(begin, out);
    const double rate = onward ? rates.onward : rates.source;
    ended[i] = begin + static_cast<double>(way.last(copy) - way.first(copy)) / rate;
    if (onward) out = ended[i];
    last = std::max(last, ended[i]);
  });
  return last;
}

TEST(WayBound, FollowsTheFormulaOfTheStrategy) {
  const auto bound = [](Strategy strategy, Shape shape, double sharing = 1, Rates rates = {100, 300}) {
    return lower_bound(Ways({strategy, shape, 4, 0, 1536, 192}), rates, sharing) * 100;
  };
  EXPECT_DOUBLE_EQ(bound(Strategy::direct, Shape::star), 4 * 1536);
  EXPECT_DOUBLE_EQ(bound(Strategy::direct_parallel, Shape::star), 1536);
  EXPECT_DOUBLE_EQ(bound(Strategy::relay, Shape::star), 1536 + 3 * 512);
  EXPECT_DOUBLE_EQ(bound(Strategy::relay, Shape::chain), 1536 + 3 * 512);
  EXPECT_DOUBLE_EQ(bound(Strategy::relay, Shape::tree), 1536 + 2 * 512);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, Shape::star), 1536 + 64);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, Shape::chain), 1536 + 3 * 64);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, Shape::tree), 1536 + 2 * 64);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, Shape::star, 3, {100, 150}), 192 + 3 * 1024);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, Shape::chain, 1, {100, 50}), 192 + 2 * 384 + 2 * 1536);
  EXPECT_DOUBLE_EQ(bound(Strategy::scatter_allgather, Shape::star), 384 + 64);
  EXPECT_DOUBLE_EQ(bound(Strategy::scatter_allgather, Shape::star, 3), 384 + 3 * 64);
  EXPECT_DOUBLE_EQ(bound(Strategy::scatter_allgather, Shape::star, 3, {100, 100}), 192 + 3 * 384);
}

TEST(WayBound, KnowsNothingOfALibraryThatPassesOn) {
  const Ways ways = Ways::to_root({Strategy::pipelined, Shape::star, 4, 0, 1536, 192});
  EXPECT_TRUE(ways.to_root_only());
  EXPECT_DOUBLE_EQ(lower_bound(ways, {100, 0}, 1) * 100, 1536);
  EXPECT_DOUBLE_EQ(lower_bound(ways, {100, 50}, 3) * 100, 1536);
}

TEST(WayBound, IsNeverAboveWhatTheCopiesTake) {
  for (const Rates rates : {Rates{100, 700}, Rates{100, 300}, Rates{100, 100}, Rates{300, 100}}) {
    for (const Plan& plan : plans()) {
      SCOPED_TRACE(text_of(plan));
      const Ways ways(plan);
      const double fan = static_cast<double>(std::max<std::size_t>(1, ways.fan().size()));
      ASSERT_LE(lower_bound(ways, rates, 1), makespan(ways, rates, false) * (1 + 1e-12));
      ASSERT_LE(lower_bound(ways, rates, fan), makespan(ways, rates, true) * (1 + 1e-12));
    }
  }
}

TEST(WayBound, IsReachedWhereChunksAreAlikeAndHaveWaysOfTheirOwn) {
  std::vector<Plan> even;
  for (const int destinations : {1, 2, 4, 8}) add_ways(even, destinations, 0, 4096, 128);
  for (const Rates rates : {Rates{100, 300}, Rates{300, 100}}) {
    for (const Plan& plan : even) {
      SCOPED_TRACE(text_of(plan));
      const Ways ways(plan);
      ASSERT_NEAR(lower_bound(ways, rates, 1) / makespan(ways, rates, false), 1, 1e-12);
    }
  }
}

TEST(Arrived, LeavesWhatIsBehindThePayloadUntouched) {
  for (std::uint64_t bytes = 1; bytes <= 24; ++bytes) {
    const std::uint64_t words = (bytes + 7) / 8;
    std::vector<Word> there(words, kNothing), source(words);
    for (std::uint64_t i = 0; i < words; ++i) source[i] = word_of(7, i);
    std::memcpy(there.data(), source.data(), bytes);
    const Arrived arrived{7, bytes};
    for (std::uint64_t i = 0; i < words; ++i) EXPECT_EQ(there[i], arrived(i)) << bytes << " B, word " << i;
  }
}

}  // namespace
}  // namespace assay::plugins::broadcast
