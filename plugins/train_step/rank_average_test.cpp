// SPDX-License-Identifier: Apache-2.0
#include "train_step/rank_average.hpp"

#include "lib/testing/forked_ranks.hpp"
#include "train_step/communication.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::train_step {
namespace {

TEST(RankAverage, IsExactInWholeNumbersAtEveryRank) {
  for (const std::uint32_t ranks : {2U, 3U, 4U}) {
    const std::size_t largest = 5000;
    Shared shared(RankAverage::bytes(ranks, largest)), wrong(sizeof(int) * ranks);
    const bool well = all_well(in_ranks(ranks, [&](std::uint32_t r) {
      RankAverage average(shared.data(), r, ranks, largest, true, [] { return false; });
      std::vector<float> data;
      for (std::size_t round = 0; round < 50; ++round) {
        const std::size_t count = round % 3 == 0 ? largest : 1 + round * 37;
        data.resize(count);
        const auto of = [&](std::size_t rank, std::size_t i) {
          return static_cast<float>((i * 7 + rank * 131 + round * 17) % 1021) - 510;
        };
        for (std::size_t i = 0; i < count; ++i) data[i] = of(r, i);
        average.average(data.data(), count, round * round % RankAverage::kSlots);
        for (std::size_t i = 0; i < count; ++i) {
          float sum = 0;
          for (std::uint32_t rank = 0; rank < ranks; ++rank) sum += of(rank, i);
          if (data[i] != sum / static_cast<float>(ranks)) ++wrong.as<int>()[r];
        }
      }
    }));
    EXPECT_TRUE(well);
    for (std::uint32_t r = 0; r < ranks; ++r) EXPECT_EQ(wrong.as<int>()[r], 0) << r << " of " << ranks;
  }
}

TEST(RankAverage, SaysWhatARankUsesOfTheSharedMemory) {
  EXPECT_EQ(RankAverage::slot_sizes({100, 300, 200}), (std::vector<std::size_t>{200, 300}));
  EXPECT_EQ(RankAverage::slot_sizes({100, 300}), (std::vector<std::size_t>{100, 300}));
  EXPECT_EQ(RankAverage::slot_sizes({100}), (std::vector<std::size_t>{100, 0}));
  EXPECT_EQ(RankAverage::used_bytes(2, {1600, 3200}), 4U * 2 * 4800);
  EXPECT_EQ(RankAverage::used_bytes(4, {1600, 3200}), 4U * (4800 + 4800 * 3 / 2));
}

// A rank that dies is no rank that the others wait for without end: the host cancels them.
TEST(RankAverage, EndsWhenItIsCancelledWhileAnotherRankIsGone) {
  Shared shared(RankAverage::bytes(2, 64)), gone(sizeof(std::atomic<int>));
  auto* flag = new (gone.data()) std::atomic<int>(0);
  const std::vector<int> statuses = in_ranks(2, [&](std::uint32_t r) {
    if (r == 1) {
      flag->store(1);
      ::raise(SIGKILL);
    }
    RankAverage average(shared.data(), r, 2, 64, true, [&] { return flag->load() != 0; });
    std::vector<float> data(64, 1);
    try {
      average.average(data.data(), data.size(), 0);
    } catch (const Cancelled&) {
      ::_exit(7);
    }
  });
  EXPECT_EQ(WEXITSTATUS(statuses[0]), 7);
  EXPECT_TRUE(WIFSIGNALED(statuses[1]));
}

// The same on the thread that averages, whose step is on another; then the step is released.
TEST(Communication, HandsOnWhatItsThreadThrew) {
  std::vector<float> data(64, 1);
  std::vector<std::byte> zeros(RankAverage::bytes(2, 64) + 64);
  auto* memory =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(zeros.data()) + 63) / 64 * 64);
  RankAverage average(memory, 0, 2, 64, true, [] { return true; });
  Communication communication(average, data.data(), {{0, 64, 0}}, true, now_ns);
  EXPECT_THROW(communication.finish(), Cancelled);
}

TEST(Communication, IsReleasedWhileItWaits) {
  std::vector<float> data(64, 1);
  std::vector<std::byte> zeros(RankAverage::bytes(2, 64) + 64);
  auto* memory =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(zeros.data()) + 63) / 64 * 64);
  RankAverage average(memory, 0, 2, 64, true, [] { return false; });
  Communication communication(average, data.data(), {{0, 64, 0}}, true, now_ns);
  communication.ready(0);  // and nobody else comes
}

}  // namespace
}  // namespace assay::plugins::train_step
