// SPDX-License-Identifier: Apache-2.0
//
// The copies between devices, what each waits for, and the bounds that follow, without a device.
#include "broadcast/routes.hpp"

#include "broadcast/pattern.hpp"
#include "broadcast/route_bounds.hpp"
#include "broadcast/schedule_cases.hpp"

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
void in_order(const Routes& routes, Visit&& visit) {
  for (std::uint64_t copy = 0; copy < routes.most_copies(); ++copy) {
    for (std::size_t i = 0; i < routes.all().size(); ++i) {
      if (copy < routes.all()[i].copies()) visit(i, copy);
    }
  }
}

using FromToAfter = std::tuple<int, int, int>;  // from, to, after
std::vector<FromToAfter> routes_of(Strategy strategy, Shape shape, int destinations, int root,
                                   std::uint64_t bytes = 1024) {
  std::vector<FromToAfter> found;
  const Routes routes({strategy, shape, destinations, root, bytes, 64});
  for (const Route& route : routes.all()) found.emplace_back(route.from, route.to, route.after);
  return found;
}

TEST(Routes, BringEveryByteToEveryDestinationOnce) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    std::vector<std::vector<int>> arrived(static_cast<std::size_t>(plan.destinations),
                                          std::vector<int>(plan.bytes, 0));
    const Routes routes(plan);
    in_order(routes, [&](std::size_t i, std::uint64_t copy) {
      const Route& route = routes.all()[i];
      for (std::uint64_t at = route.first(copy); at < route.last(copy); ++at) {
        ++arrived[static_cast<std::size_t>(route.to)][at];
      }
    });
    for (const auto& destination : arrived) ASSERT_EQ(destination, std::vector<int>(plan.bytes, 1));
  }
}

// Which copies have ended for certain once a copy along a route has: those before it there, and what it waited
// for.
TEST(Routes, ReadOnlyWhatTheyWaitedFor) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Routes routes(plan);
    in_order(routes, [&](std::size_t i, std::uint64_t copy) {
      const Route& route = routes.all()[i];
      if (route.from == kSource) return;
      // Up the chain of routes that are waited for to the one that brought it here.
      const Route* before = &route;
      do {
        ASSERT_NE(before->after, kNoRoute);
        before = &routes.all()[static_cast<std::size_t>(before->after)];
      } while (before->to != route.from);
      ASSERT_LT(copy, before->copies());
      ASSERT_LE(before->first(copy), route.first(copy));
      ASSERT_GE(before->last(copy), route.last(copy));
    });
  }
}

TEST(Routes, OneSignalAWayIsEnough) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Routes routes(plan);
    std::vector<std::uint64_t> queued(routes.all().size(), 0);
    in_order(routes, [&](std::size_t i, std::uint64_t copy) {
      const int after = routes.all()[i].after;
      if (after != kNoRoute) {
        ASSERT_LT(after, static_cast<int>(i));
        // The latest that was recorded is the one that is waited for.
        ASSERT_EQ(queued[static_cast<std::size_t>(after)], copy + 1);
      }
      ++queued[i];
    });
  }
}

TEST(Routes, TheEndOfThoseThatNobodyWaitsForIsTheEndOfAll) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Routes routes(plan);
    std::vector<std::uint64_t> awaited(routes.all().size(), 0);
    for (const Route& route : routes.all()) {
      ASSERT_GT(route.copies(), 0U);
      if (route.after == kNoRoute) continue;
      ASSERT_EQ(route.copies(), routes.all()[static_cast<std::size_t>(route.after)].copies());
      ++awaited[static_cast<std::size_t>(route.after)];
    }
    for (std::size_t i = 0; i < awaited.size(); ++i) ASSERT_EQ(routes.awaited(i), awaited[i] > 0);
  }
}

// With pageable memory each device's copies are queued by a thread of its own, which knows nothing of others.
TEST(Routes, FromASourceInParallelNoDeviceWaitsForAnother) {
  int found = 0;
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Routes routes(plan);
    const bool several = plan.destinations > 1 && (plan.strategy == Strategy::direct_parallel ||
                                                   plan.strategy == Strategy::scatter_allgather);
    if (!several) {
      ASSERT_FALSE(routes.parallel_source());
    }
    if (!routes.parallel_source()) continue;
    ++found;
    for (const Route& route : routes.all()) {
      if (route.after == kNoRoute) continue;
      ASSERT_EQ(route.by(), routes.all()[static_cast<std::size_t>(route.after)].by());
    }
  }
  EXPECT_GT(found, 0);
}

TEST(Routes, FollowTheStrategyAndItsShape) {
  using List = std::vector<FromToAfter>;
  EXPECT_EQ(routes_of(Strategy::direct, Shape::star, 3, 1),
            (List{{kSource, 1, kNoRoute}, {kSource, 2, 0}, {kSource, 0, 1}}));
  EXPECT_EQ(routes_of(Strategy::direct_parallel, Shape::star, 2, 0),
            (List{{kSource, 0, kNoRoute}, {kSource, 1, kNoRoute}}));
  // One after the other, and at the same time.
  EXPECT_EQ(routes_of(Strategy::relay, Shape::star, 4, 1),
            (List{{kSource, 1, kNoRoute}, {1, 2, 0}, {1, 3, 1}, {1, 0, 2}}));
  EXPECT_EQ(routes_of(Strategy::pipelined, Shape::star, 4, 1),
            (List{{kSource, 1, kNoRoute}, {1, 2, 0}, {1, 3, 0}, {1, 0, 0}}));
  for (const Strategy strategy : {Strategy::relay, Strategy::pipelined}) {
    EXPECT_EQ(routes_of(strategy, Shape::chain, 3, 2), (List{{kSource, 2, kNoRoute}, {2, 0, 0}, {0, 1, 1}}));
    EXPECT_EQ(routes_of(strategy, Shape::tree, 5, 0),
              (List{{kSource, 0, kNoRoute}, {0, 1, 0}, {0, 2, 0}, {1, 3, 1}, {1, 4, 1}}));
  }
  EXPECT_EQ(routes_of(Strategy::scatter_allgather, Shape::star, 3, 0), (List{{kSource, 0, kNoRoute},
                                                                             {kSource, 1, kNoRoute},
                                                                             {kSource, 2, kNoRoute},
                                                                             {0, 1, 0},
                                                                             {0, 2, 0},
                                                                             {1, 2, 1},
                                                                             {1, 0, 1},
                                                                             {2, 0, 2},
                                                                             {2, 1, 2}}));
  // Fewer bytes than destinations: what would carry nothing is left out.
  EXPECT_EQ(routes_of(Strategy::scatter_allgather, Shape::star, 3, 0, 2),
            (List{{kSource, 2, kNoRoute}, {2, 0, 0}, {2, 1, 0}}));
}

TEST(Routes, AreCutIntoChunks) {
  const Routes chain({Strategy::pipelined, Shape::chain, 2, 0, 1000, 320});
  for (const Route& route : chain.all()) {
    EXPECT_EQ(route.copies(), 4U);
    EXPECT_EQ(route.first(3), 960U);
    EXPECT_EQ(route.last(3), 1000U);
  }
  const Routes shares({Strategy::scatter_allgather, Shape::star, 2, 0, 1000, 320});
  EXPECT_EQ(shares.all()[0].copies(), 2U);  // 448 bytes: whole lines of memory
  EXPECT_EQ(shares.all()[1].copies(), 2U);
  EXPECT_EQ(shares.all()[1].first(1), 448U + 320U);
  EXPECT_EQ(Routes({Strategy::relay, Shape::chain, 2, 0, 1000, 320}).most_copies(), 1U);
}

TEST(Routes, ToTheRootIsTheFirstOfThem) {
  const Routes routes = Routes::to_root({Strategy::pipelined, Shape::star, 4, 2, 1000, 320});
  ASSERT_EQ(routes.all().size(), 1U);
  EXPECT_EQ(routes.all()[0].to, 2);
  EXPECT_EQ(routes.most_copies(), 4U);
  EXPECT_FALSE(routes.awaited(0));
  EXPECT_FALSE(routes.parallel_source());
  EXPECT_EQ(routes.most_operations(), 1U + 4 + 1);
}

TEST(Routes, AreSummedUpForPeople) {
  EXPECT_EQ(text_of(Routes({Strategy::pipelined, Shape::star, 4, 0, 64U << 20, 8U << 20})),
            "32 along 4 routes, of 8 MiB");
  EXPECT_EQ(text_of(Routes({Strategy::relay, Shape::star, 1, 0, 1536, 64})), "1 along 1 route, of 1.5 KiB");
  EXPECT_EQ(text_of(Routes({Strategy::direct, Shape::star, 2, 0, 3, 64})), "2 along 2 routes, of 3 B");
}

TEST(Routes, AFanCountsTheConcurrentCopiesOfADevice) {
  const auto fan = [](Strategy strategy, Shape shape) {
    return Routes({strategy, shape, 4, 0, 1024, 64}).fan().size();
  };
  EXPECT_EQ(fan(Strategy::direct, Shape::star), 0U);
  EXPECT_EQ(fan(Strategy::relay, Shape::star), 1U);
  EXPECT_EQ(fan(Strategy::relay, Shape::tree), 2U);
  EXPECT_EQ(fan(Strategy::pipelined, Shape::star), 3U);
  EXPECT_EQ(fan(Strategy::pipelined, Shape::chain), 1U);
  EXPECT_EQ(fan(Strategy::pipelined, Shape::tree), 2U);
  EXPECT_EQ(fan(Strategy::scatter_allgather, Shape::star), 3U);
}

TEST(Routes, CountWhatTheBusiestDeviceGets) {
  const auto most = [](Strategy strategy, Shape shape, int root = 0) {
    return Routes({strategy, shape, 4, root, 1024, 64}).most_operations();
  };
  // Of the first device: the signal at the beginning, and the waits at the end.
  EXPECT_EQ(most(Strategy::direct_parallel, Shape::star), 1U + 4 + 3);
  EXPECT_EQ(most(Strategy::direct, Shape::star), 1U + 1 + 3);
  EXPECT_EQ(most(Strategy::pipelined, Shape::star), 1U + 3 + (1 + 16 * 2) + 3 * (16 * 2 + 1));
  EXPECT_EQ(most(Strategy::pipelined, Shape::star, 1), (1U + 16 * 2) + 3 * (16 * 2 + 1));
  EXPECT_EQ(most(Strategy::pipelined, Shape::chain), 1U + 1 + (1 + 16 * 2) + 16 * 3);
  EXPECT_EQ(most(Strategy::scatter_allgather, Shape::star), 1U + 12 + (1 + 4 * 2) + 3 * (4 * 2 + 1));
}

// When the last copy ends, if every copy takes as long as its rate says. Each route out of a device makes one
// copy at a time: one for each route, or one for all.
double makespan(const Routes& routes, Rates rates, bool one_way_out) {
  std::vector<double> ended(routes.all().size(), 0), left(16, 0);
  double last = 0;
  in_order(routes, [&](std::size_t i, std::uint64_t copy) {
    const Route& route = routes.all()[i];
    double begin = ended[i];
    if (route.after != kNoRoute) begin = std::max(begin, ended[static_cast<std::size_t>(route.after)]);
    double& out = left[static_cast<std::size_t>(route.by())];
    const bool onward = route.from != kSource;
    if (onward && one_way_out) begin = std::max(begin, out);
    const double rate = onward ? rates.onward : rates.source;
    ended[i] = begin + static_cast<double>(route.last(copy) - route.first(copy)) / rate;
    if (onward) out = ended[i];
    last = std::max(last, ended[i]);
  });
  return last;
}

TEST(WayBound, FollowsTheFormulaOfTheStrategy) {
  const auto bound = [](Strategy strategy, Shape shape, double sharing = 1, Rates rates = {100, 300}) {
    return lower_bound(Routes({strategy, shape, 4, 0, 1536, 192}), rates, sharing) * 100;
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
  const Routes routes = Routes::to_root({Strategy::pipelined, Shape::star, 4, 0, 1536, 192});
  EXPECT_TRUE(routes.to_root_only());
  EXPECT_DOUBLE_EQ(lower_bound(routes, {100, 0}, 1) * 100, 1536);
  EXPECT_DOUBLE_EQ(lower_bound(routes, {100, 50}, 3) * 100, 1536);
}

TEST(WayBound, IsNeverAboveWhatTheCopiesTake) {
  for (const Rates rates : {Rates{100, 700}, Rates{100, 300}, Rates{100, 100}, Rates{300, 100}}) {
    for (const Plan& plan : plans()) {
      SCOPED_TRACE(text_of(plan));
      const Routes routes(plan);
      const double fan = static_cast<double>(std::max<std::size_t>(1, routes.fan().size()));
      ASSERT_LE(lower_bound(routes, rates, 1), makespan(routes, rates, false) * (1 + 1e-12));
      ASSERT_LE(lower_bound(routes, rates, fan), makespan(routes, rates, true) * (1 + 1e-12));
    }
  }
}

TEST(WayBound, IsReachedWhereChunksAreAlikeAndHaveWaysOfTheirOwn) {
  std::vector<Plan> even;
  for (const int destinations : {1, 2, 4, 8}) add_ways(even, destinations, 0, 4096, 128);
  for (const Rates rates : {Rates{100, 300}, Rates{300, 100}}) {
    for (const Plan& plan : even) {
      SCOPED_TRACE(text_of(plan));
      const Routes routes(plan);
      ASSERT_NEAR(lower_bound(routes, rates, 1) / makespan(routes, rates, false), 1, 1e-12);
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
