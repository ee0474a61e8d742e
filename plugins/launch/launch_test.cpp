// SPDX-License-Identifier: Apache-2.0
#include "chain_shape.hpp"
#include "task_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
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
