// SPDX-License-Identifier: Apache-2.0
//
// Schedules and the bounds that follow from them, without a single copy.
#include "broadcast/bounds.hpp"
#include "broadcast/kept_spans.hpp"
#include "broadcast/schedule_cases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::plugins::broadcast {
namespace {

std::vector<Plan> plans() {
  std::vector<Plan> all;
  for (int destinations = 1; destinations <= 9; ++destinations) {
    for (const int root : {0, destinations / 2, destinations - 1}) {
      for (const std::uint64_t bytes : {64U, 1000U, 1024U}) {
        for (const std::uint64_t chunk : {64U, 128U, 4096U}) add_ways(all, destinations, root, bytes, chunk);
      }
    }
  }
  return all;
}

// All copies of one round in an order in which workers could make them.
struct Made {
  int worker;
  std::uint64_t number;
  Copy copy;
};
std::vector<Made> carried_out(const Schedule& schedule) {
  const int workers = schedule.plan().destinations;
  std::vector<std::uint64_t> made(static_cast<std::size_t>(workers), 0);
  std::vector<Made> order;
  for (bool moved = true; moved;) {
    moved = false;
    for (int worker = workers - 1; worker >= 0; --worker) {
      std::uint64_t& mine = made[static_cast<std::size_t>(worker)];
      if (mine == schedule.copies(worker)) continue;
      const Copy copy = schedule.copy(worker, mine);
      if (copy.from != kSource && made[static_cast<std::size_t>(copy.from)] < copy.after) continue;
      order.push_back({worker, mine++, copy});
      moved = true;
    }
  }
  return order;
}

// When the last copy ends, if every copy takes as long as its rate says and every worker has a processor.
double makespan(const Schedule& schedule, Rates rates) {
  std::vector<std::vector<double>> ended(static_cast<std::size_t>(schedule.plan().destinations));
  double last = 0;
  for (const Made& made : carried_out(schedule)) {
    auto& mine = ended[static_cast<std::size_t>(made.worker)];
    double begin = mine.empty() ? 0 : mine.back();
    if (made.copy.from != kSource && made.copy.after > 0) {
      begin = std::max(begin, ended[static_cast<std::size_t>(made.copy.from)][made.copy.after - 1]);
    }
    const double rate = made.copy.from == kSource ? rates.source : rates.onward;
    mine.push_back(begin + static_cast<double>(made.copy.end - made.copy.begin) / rate);
    last = std::max(last, mine.back());
  }
  return last;
}

TEST(Schedule, BringsEveryByteToEveryDestinationOnce) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    std::vector<std::vector<int>> arrived(static_cast<std::size_t>(plan.destinations),
                                          std::vector<int>(plan.bytes, 0));
    for (const Made& made : carried_out(Schedule(plan))) {
      for (std::uint64_t i = made.copy.begin; i < made.copy.end; ++i) {
        ++arrived[static_cast<std::size_t>(made.copy.to)][i];
      }
    }
    for (const auto& destination : arrived) ASSERT_EQ(destination, std::vector<int>(plan.bytes, 1));
  }
}

TEST(Schedule, ReadsOnlyWhatItWaitedFor) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Schedule schedule(plan);
    for (const Made& made : carried_out(schedule)) {
      if (made.copy.from == kSource) continue;
      std::uint64_t there = 0;
      for (std::uint64_t i = 0; i < made.copy.after; ++i) {
        const Copy before = schedule.copy(made.copy.from, i);
        if (before.to != made.copy.from) continue;
        const std::uint64_t begin = std::max(before.begin, made.copy.begin);
        const std::uint64_t end = std::min(before.end, made.copy.end);
        if (end > begin) there += end - begin;
      }
      ASSERT_EQ(there, made.copy.end - made.copy.begin);
    }
  }
}

TEST(Schedule, OnlyOneThreadWritesABuffer) {
  for (const Plan& plan : plans()) {
    SCOPED_TRACE(text_of(plan));
    const Schedule schedule(plan);
    for (const Made& made : carried_out(schedule)) {
      ASSERT_EQ(made.worker, schedule.by_root_alone() ? plan.root : made.copy.to);
    }
  }
}

std::uint64_t from_source(const Plan& plan, int to) {
  std::uint64_t bytes = 0;
  for (const Made& made : carried_out(Schedule(plan))) {
    if (made.copy.from == kSource && made.copy.to == to) bytes += made.copy.end - made.copy.begin;
  }
  return bytes;
}

TEST(Schedule, TakesFromTheSourceWhatTheStrategySays) {
  Plan plan{Strategy::direct, Shape::chain, 4, 2, 1024, 64};
  for (int to = 0; to < 4; ++to) {
    for (const Strategy all : {Strategy::direct, Strategy::direct_parallel}) {
      plan.strategy = all;
      EXPECT_EQ(from_source(plan, to), 1024U);
    }
    for (const Strategy root : {Strategy::relay, Strategy::pipelined}) {
      plan.strategy = root;
      EXPECT_EQ(from_source(plan, to), to == 2 ? 1024U : 0U);
    }
    plan.strategy = Strategy::scatter_allgather;
    EXPECT_EQ(from_source(plan, to), 256U);
  }
}

TEST(Schedule, ShapesSayWhoPassesOn) {
  const auto parents = [](Shape shape) {
    const Schedule schedule({Strategy::pipelined, shape, 6, 1, 64, 64});
    std::vector<int> from;
    for (int worker = 0; worker < 6; ++worker) from.push_back(schedule.copy(worker, 0).from);
    return from;
  };
  EXPECT_EQ(parents(Shape::star), (std::vector<int>{1, kSource, 1, 1, 1, 1}));
  EXPECT_EQ(parents(Shape::chain), (std::vector<int>{5, kSource, 1, 2, 3, 4}));
  EXPECT_EQ(parents(Shape::tree), (std::vector<int>{3, kSource, 1, 1, 2, 2}));
}

TEST(Schedule, DepthIsTheLongestWay) {
  const auto depth = [](Shape shape, int destinations) {
    return Schedule({Strategy::pipelined, shape, destinations, 0, 64, 64}).depth();
  };
  for (const Shape shape : {Shape::star, Shape::chain, Shape::tree}) EXPECT_EQ(depth(shape, 1), 0);
  EXPECT_EQ(depth(Shape::star, 8), 1);
  EXPECT_EQ(depth(Shape::chain, 8), 7);
  EXPECT_EQ(depth(Shape::tree, 7), 2);
  EXPECT_EQ(depth(Shape::tree, 8), 3);
}

TEST(Schedule, IsCutIntoChunks) {
  const Schedule schedule({Strategy::pipelined, Shape::chain, 2, 0, 1000, 300});
  ASSERT_EQ(schedule.pieces(), 4U);
  EXPECT_EQ(schedule.piece_bytes(0), 300U);
  EXPECT_EQ(schedule.piece_bytes(3), 100U);
}

// 1200 B at 100 B/s from the source and 300 B/s onward, to four.
TEST(Bound, FollowsTheFormulaOfTheStrategy) {
  const auto bound = [](Strategy strategy, Shape shape, Rates rates = {100, 300}) {
    return path_bound(Schedule({strategy, shape, 4, 0, 1536, 192}), rates) * 100;
  };
  EXPECT_DOUBLE_EQ(bound(Strategy::direct, Shape::star), 4 * 1536);
  EXPECT_DOUBLE_EQ(bound(Strategy::direct_parallel, Shape::star), 1536);
  EXPECT_DOUBLE_EQ(bound(Strategy::relay, Shape::star), 1536 + 3 * 512);
  EXPECT_DOUBLE_EQ(bound(Strategy::relay, Shape::chain), 1536 + 3 * 512);
  EXPECT_DOUBLE_EQ(bound(Strategy::relay, Shape::tree), 1536 + 2 * 512);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, Shape::star), 1536 + 64);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, Shape::chain), 1536 + 3 * 64);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, Shape::chain, {100, 50}), 192 + 2 * 384 + 2 * 1536);
  EXPECT_DOUBLE_EQ(bound(Strategy::scatter_allgather, Shape::star), 384 + 3 * 128);
}

TEST(Bound, IsWhatTheScheduleTakesIfNothingElseCosts) {
  for (const Rates rates : {Rates{100, 300}, Rates{100, 100}, Rates{300, 100}}) {
    for (const Plan& plan : plans()) {
      SCOPED_TRACE(text_of(plan));
      const Schedule schedule(plan);
      const double takes = makespan(schedule, rates);
      const double bound = path_bound(schedule, rates);
      ASSERT_LE(bound, takes * (1 + 1e-12));
      // Pieces of one size: the bound is reached. Shares travel at the pace of two rates, so that some wait.
      const bool alike = schedule.piece_bytes(0) == schedule.piece_bytes(schedule.pieces() - 1);
      const bool one_rate = !(rates.source < rates.onward) && !(rates.onward < rates.source);
      if (alike && (plan.strategy != Strategy::scatter_allgather || one_rate)) {
        ASSERT_NEAR(bound / takes, 1, 1e-12);
      }
    }
  }
}

TEST(Bound, SharesTheWorkAmongProcessors) {
  const Rates rates{100, 300};
  const auto bound = [&](Strategy strategy, int processors) {
    return lower_bound(Schedule({strategy, Shape::star, 4, 0, 1536, 192}), rates, processors) * 100;
  };
  EXPECT_DOUBLE_EQ(bound(Strategy::direct_parallel, 4), 1536);
  EXPECT_DOUBLE_EQ(bound(Strategy::direct_parallel, 2), 2 * 1536);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, 4), 1536 + 64);
  EXPECT_DOUBLE_EQ(bound(Strategy::pipelined, 1), 1536 + 3 * 512);
  EXPECT_DOUBLE_EQ(bound(Strategy::scatter_allgather, 1), 1536 + 3 * 512);
}

TEST(Bound, IsOfTheFastestThatWasSeen) {
  const Rates before{100, 300}, after{120, 250}, both = fastest(before, after);
  EXPECT_EQ(both.source, 120);
  EXPECT_EQ(both.onward, 300);
  const Schedule schedule({Strategy::relay, Shape::star, 4, 0, 1536, 192});
  EXPECT_LE(lower_bound(schedule, both, 4), lower_bound(schedule, before, 4));
  EXPECT_LE(lower_bound(schedule, both, 4), lower_bound(schedule, after, 4));
}

TEST(Bound, OfOneDestinationNeedsNoOnwardRate) {
  for (const Strategy strategy : {Strategy::direct, Strategy::direct_parallel, Strategy::relay,
                                  Strategy::pipelined, Strategy::scatter_allgather}) {
    const Schedule schedule({strategy, Shape::chain, 1, 0, 1000, 64});
    EXPECT_DOUBLE_EQ(lower_bound(schedule, {100, 0}, 1), 10);
  }
}

TEST(KeptSpans, AreAllThatTheHostTakes) {
  using Counts = std::vector<std::uint64_t>;
  EXPECT_EQ(kept_spans({2048, 2048, 0, 2048}), (Counts{2048, 2048, 0, 2048}));
  EXPECT_EQ(kept_text({2048, 0}, {2048, 0}), "");
  EXPECT_EQ(kept_spans({4, 4, 2}, 10), (Counts{4, 4, 2}));
  // What few leave, the others have.
  EXPECT_EQ(kept_spans({100, 2, 100}, 12), (Counts{5, 2, 5}));
  EXPECT_EQ(kept_spans({100, 100}, 1), (Counts{0, 0}));
  const Counts many(8, 16384);
  EXPECT_EQ(kept_spans(many), Counts(8, 12500));
  EXPECT_EQ(kept_text(kept_spans(many), many), "the first 100000 of 131072 copies");
}

}  // namespace
}  // namespace assay::plugins::broadcast
