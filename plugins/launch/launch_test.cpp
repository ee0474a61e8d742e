// SPDX-License-Identifier: Apache-2.0
#include "launch/chain_shape.hpp"
#include "launch/requests.hpp"
#include "launch/task_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

namespace assay::plugins::launch {
namespace {

TEST(Chain, EveryKernelGoesToOneStreamInTurn) {
  for (std::uint32_t streams = 1; streams <= 9; ++streams) {
    for (std::uint32_t kernels = streams; kernels < 40; ++kernels) {
      std::vector<std::uint32_t> counted(streams);
      for (std::uint32_t k = 0; k < kernels; ++k) ++counted[k % streams];
      for (std::uint32_t s = 0; s < streams; ++s) EXPECT_EQ(kernels_of(s, kernels, streams), counted[s]);
    }
  }
}

TEST(Chain, SubmitsNoMoreThanAStreamTakes) {
  EXPECT_EQ(chains_without_wait(1), 512U);
  EXPECT_EQ(chains_without_wait(100), 5U);
  EXPECT_EQ(chains_without_wait(512), 1U);
  EXPECT_EQ(chains_without_wait(513), 0U);
}

TEST(Buckets, GoFromTheSmallestToTheLongest) {
  EXPECT_THAT(bucket_sizes(128, 4096, 2), testing::ElementsAre(128, 256, 512, 1024, 2048, 4096));
  EXPECT_THAT(bucket_sizes(100, 1000, 2.5), testing::ElementsAre(100, 250, 625, 1000));
  EXPECT_THAT(bucket_sizes(4096, 4096, 2), testing::ElementsAre(4096));
  EXPECT_THAT(bucket_sizes(1, 4, 1.01), testing::ElementsAre(1, 2, 3, 4));  // at least the next length
  const std::uint32_t most = 1 << 20;
  EXPECT_EQ(bucket_sizes(1, most, 1.01).back(), most);
}

TEST(Buckets, EveryLengthGoesIntoTheSmallestThatHoldsIt) {
  const auto sizes = bucket_sizes(128, 4096, 2);
  for (std::uint32_t length = 1; length <= 4096; ++length) {
    const std::size_t bucket = bucket_of(sizes, length);
    EXPECT_GE(sizes[bucket], length);
    if (bucket > 0) {
      EXPECT_LT(sizes[bucket - 1], length);
    }
  }
}

// A quarter of the computed tokens: E[length] is 2048.5, and E[bucket] is (128² + Σ b²/2) / 4096 over the
// buckets from 256 on, 2732.
TEST(Buckets, PowersOfTwoPadUniformLengthsByAQuarter) {
  const Requests requests(uniform_lengths(1, 100000, 4096), bucket_sizes(128, 4096, 2));
  EXPECT_NEAR(requests.padding_share(), 1 - 2048.5 / 2732, 0.003);
  EXPECT_EQ(Requests(uniform_lengths(1, 100, 4096)).padding_share(), 0);
}

TEST(Buckets, FinerOnesPadLess) {
  double before = 1;
  for (const double growth : {4.0, 2.0, 1.5, 1.25, 1.1}) {
    const Requests requests(uniform_lengths(1, 10000, 4096), bucket_sizes(128, 4096, growth));
    EXPECT_LT(requests.padding_share(), before);
    before = requests.padding_share();
  }
}

TEST(Requests, LengthsAreUniformAndTheSeeds) {
  const auto lengths = uniform_lengths(7, 100000, 10);
  std::vector<int> seen(11);
  for (const std::uint32_t length : lengths) ++seen.at(length);
  EXPECT_EQ(seen[0], 0);
  for (std::size_t length = 1; length <= 10; ++length) EXPECT_NEAR(seen[length], 10000, 500);
  EXPECT_EQ(uniform_lengths(7, 100, 4096), uniform_lengths(7, 100, 4096));
  EXPECT_NE(uniform_lengths(8, 100, 4096), uniform_lengths(7, 100, 4096));
  EXPECT_THAT(uniform_lengths(7, 3, 1), testing::Each(1));
}

TEST(Requests, LengthsCanBeListed) {
  EXPECT_THAT(listed_lengths("17", 20), testing::ElementsAre(17));
  EXPECT_THAT(listed_lengths("17, 3,20 ,  1", 20), testing::ElementsAre(17, 3, 20, 1));
  for (const char* bad : {"", "0", "21", "3,", ",3", "3 4", "-1", "uniforn", "4294967297", "3;4", "1.5"}) {
    try {
      listed_lengths(bad, 20);
      ADD_FAILURE() << "'" << bad << "' was taken";
    } catch (const BadParameter& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("not a length from 1 to longest, which is 20")) << bad;
    }
  }
}

TEST(Requests, EveryRowKnowsHowOftenItIsComputed) {
  const Requests exact({3, 1, 3, 5});
  EXPECT_THAT(exact.runs_of_rows(6), testing::ElementsAre(4, 3, 3, 1, 1, 0));
  const Requests padded({3, 1, 3, 5}, {2, 4, 6});
  EXPECT_THAT(padded.runs_of_rows(6), testing::ElementsAre(4, 4, 3, 3, 1, 1));
  EXPECT_EQ(padded.tokens(), 12U);
  EXPECT_DOUBLE_EQ(padded.padding_share(), 0.25);
}

TEST(TaskPool, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    std::atomic<std::uint64_t> count{0};
    TaskPool pool(threads);
    for (std::uint64_t round = 1; round <= 20; ++round) {
      for (int i = 0; i < 100; ++i) pool.submit([&count] { count.fetch_add(1); });
      pool.wait_idle();
      EXPECT_EQ(count.load(), 100 * round);
    }
  }
}

TEST(TaskPool, RunsEveryTaskOfAListOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> seen(1000);
    std::vector<TaskPool::Task> list;
    for (auto& each : seen) list.emplace_back([&each] { each.fetch_add(1); });
    TaskPool pool(threads);
    for (int round = 1; round <= 20; ++round) {
      pool.run(list);
      for (const auto& each : seen) ASSERT_EQ(each.load(), round);
    }
  }
}

TEST(TaskPool, EndsWithTasksLeft) {
  std::atomic<int> count{0};
  {
    TaskPool pool(2);
    for (int i = 0; i < 1000; ++i) pool.submit([&count] { count.fetch_add(1); });
  }
  EXPECT_LE(count.load(), 1000);
}

}  // namespace
}  // namespace assay::plugins::launch
