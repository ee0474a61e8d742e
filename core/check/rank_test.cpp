// SPDX-License-Identifier: Apache-2.0
#include "check/rank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace assay::check {
namespace {

constexpr int kRanks = 3;

// Ranks as threads: they share nothing but the segments.
struct ThreadRanks {
  wire::Segment group = wire::Segment::create(kRanks), check_segment = wire::Segment::create(kRanks);

  void run(const std::function<void(const CheckedRank&)>& body) {
    std::vector<std::thread> threads;
    for (int number = 0; number < kRanks; ++number) {
      threads.emplace_back([&, number] { body(CheckedRank(number, group, check_segment)); });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

TEST(Rank, AloneDecidesByItself) {
  const CheckedRank rank;
  rank.begin_case();
  EXPECT_TRUE(rank.any(true));
  EXPECT_FALSE(rank.any(false));
  EXPECT_EQ(rank.first(7), 7);
  EXPECT_FALSE(rank.share_failure(CallFailure::fault, "x"));
}

TEST(Rank, DecidesWithTheOthers) {
  ThreadRanks ranks;
  ranks.run([](const CheckedRank& rank) {
    EXPECT_TRUE(rank.any(rank.number() == 1));
    EXPECT_FALSE(rank.any(false));
    EXPECT_EQ(rank.first(10 + rank.number()), 10);
  });
}

TEST(Rank, HearsOfTheLowestFaultAndOfACancelOnlyWithoutOne) {
  ThreadRanks ranks;
  ranks.run([](const CheckedRank& rank) {
    EXPECT_FALSE(rank.share_failure(CallFailure::none, "fine"));
    const auto fault =
        rank.share_failure(rank.number() == 0 ? CallFailure::cancelled : CallFailure::fault, rank.number());
    ASSERT_EQ(fault.has_value(), rank.number() != 1);
    if (fault) {
      EXPECT_EQ(fault->rank, 1);
      EXPECT_EQ(fault->part, 1);
    }
    const auto cancel =
        rank.share_failure(rank.number() == 2 ? CallFailure::cancelled : CallFailure::none, rank.number());
    ASSERT_EQ(cancel.has_value(), rank.number() != 2);
    if (cancel) {
      EXPECT_EQ(cancel->part, 2);
    }
  });
}

TEST(Rank, TellsTextOfAnyLengthAndWhatIsNoText) {
  const std::string text = std::string(1'000'000, 'x') + "\xff";
  ThreadRanks ranks;
  ranks.run([&](const CheckedRank& rank) {
    const auto remote = rank.share_failure(rank.number() == 0 ? CallFailure::fault : CallFailure::none, text);
    if (rank.number() == 0) return;
    ASSERT_TRUE(remote);
    EXPECT_EQ(remote->part.get<std::string>(), std::string(1'000'000, 'x') + "\ufffd");
  });
}

TEST(Rank, BeginsACaseWithoutTheLastOnesCancel) {
  ThreadRanks ranks;
  ranks.group.declare_cancelled();
  ranks.run([&](const CheckedRank& rank) {
    rank.begin_case();
    EXPECT_FALSE(ranks.group.cancelled());
  });
}

TEST(Rank, IsLostWithAnother) {
  ThreadRanks ranks;
  ranks.check_segment.declare_dead(2);
  ranks.run([](const CheckedRank& rank) {
    EXPECT_THROW((void)rank.any(true), RankLost);
    EXPECT_THROW((void)rank.share_failure(CallFailure::fault, "x"), RankLost);
  });
}

}  // namespace
}  // namespace assay::check
