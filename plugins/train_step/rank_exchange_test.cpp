// SPDX-License-Identifier: Apache-2.0
#include "train_step/rank_exchange.hpp"

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

TEST(RankExchange, IsExactInWholeNumbersAtEveryRank) {
  for (const std::uint32_t ranks : {2U, 3U, 4U}) {
    const std::size_t largest = 5000;
    Shared shared(RankExchange::bytes(ranks, largest)), wrong(sizeof(int) * ranks);
    const bool well = all_well(in_ranks(ranks, [&](std::uint32_t r) {
      RankExchange average(shared.data(), r, ranks, largest, true, [] { return false; });
      std::vector<float> data;
      for (std::size_t round = 0; round < 50; ++round) {
        const std::size_t count = round % 3 == 0 ? largest : 1 + round * 37;
        data.resize(count);
        const auto of = [&](std::size_t rank, std::size_t i) {
          return static_cast<float>((i * 7 + rank * 131 + round * 17) % 1021) - 510;
        };
        for (std::size_t i = 0; i < count; ++i) data[i] = of(r, i);
        average.average(data.data(), count, round * round % RankExchange::kSlots);
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

// Every rank ends with its share of the sums, and what all shares make up is the same array everywhere.
TEST(RankExchange, ReducesToSharesAndGathersThem) {
  for (const std::uint32_t ranks : {2U, 3U, 4U}) {
    const std::size_t largest = 5000;
    Shared shared(RankExchange::bytes(ranks, largest)), wrong(sizeof(int) * ranks);
    const bool well = all_well(in_ranks(ranks, [&](std::uint32_t r) {
      RankExchange exchange(shared.data(), r, ranks, largest, true, [] { return false; });
      for (std::size_t round = 0; round < 50; ++round) {
        const std::size_t count = round % 3 == 0 ? largest : 1 + round * 37;
        const auto of = [&](std::size_t rank, std::size_t i) {
          return static_cast<float>((i * 7 + rank * 131 + round * 17) % 1021) - 510;
        };
        std::vector<float> data(count), all(count, -1);
        for (std::size_t i = 0; i < count; ++i) data[i] = of(r, i);
        const model::Share mine = model::share_of(count, r, ranks);
        std::vector<float> share(mine.size() + 1, 3);
        exchange.reduce_scatter(data.data(), count, share.data(), false, round % RankExchange::kSlots);
        exchange.reduce_scatter(data.data(), count, share.data(), true, round % RankExchange::kSlots);
        if (share[mine.size()] != 3) ++wrong.as<int>()[r];
        exchange.all_gather(share.data(), all.data(), count, round * round % RankExchange::kSlots);
        for (std::size_t i = 0; i < count; ++i) {
          float sum = 0;
          for (std::uint32_t rank = 0; rank < ranks; ++rank) sum += of(rank, i);
          if (all[i] != 2 * (sum / static_cast<float>(ranks))) ++wrong.as<int>()[r];
        }
      }
    }));
    EXPECT_TRUE(well);
    for (std::uint32_t r = 0; r < ranks; ++r) EXPECT_EQ(wrong.as<int>()[r], 0) << r << " of " << ranks;
  }
}

// Its own part and its share of the others'; of what is gathered everybody's share where it lies.
TEST(RankExchange, SaysWhatARankUsesOfTheSharedMemory) {
  using Kind = RankExchange::Kind;
  EXPECT_EQ(RankExchange::used_bytes(0, 2, {}), 0U);
  EXPECT_EQ(RankExchange::used_bytes(0, 2, {{Kind::average, 1600, 0}}), 4U * (1600 + 1600));
  EXPECT_EQ(RankExchange::used_bytes(1, 2, {{Kind::reduce_scatter, 1600, 0}}), 4U * (1600 + 800));
  EXPECT_EQ(RankExchange::used_bytes(1, 2, {{Kind::all_gather, 1600, 0}}), 4U * 1600);
  EXPECT_EQ(RankExchange::used_bytes(3, 4, {{Kind::average, 1600, 1}}), 4U * (1600 + 3 * 2 * 400));
  // Slots are apart, and what is used twice counts once.
  EXPECT_EQ(RankExchange::used_bytes(0, 2, {{Kind::average, 1600, 0}, {Kind::average, 1600, 1}}), 4U * 6400);
  EXPECT_EQ(RankExchange::used_bytes(0, 2, {{Kind::average, 1600, 0}, {Kind::all_gather, 1600, 0}}),
            4U * 3200);
}

// A rank that dies is not a rank that the others wait for without end: the host cancels them.
TEST(RankExchange, EndsWhenItIsCancelledWhileAnotherRankIsGone) {
  Shared shared(RankExchange::bytes(2, 64)), gone(sizeof(std::atomic<int>));
  auto* flag = new (gone.data()) std::atomic<int>(0);
  const std::vector<int> statuses = in_ranks(2, [&](std::uint32_t r) {
    if (r == 1) {
      flag->store(1);
      ::raise(SIGKILL);
    }
    RankExchange average(shared.data(), r, 2, 64, true, [&] { return flag->load() != 0; });
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
  std::vector<std::byte> zeros(RankExchange::bytes(2, 64) + 64);
  auto* memory =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(zeros.data()) + 63) / 64 * 64);
  RankExchange average(memory, 0, 2, 64, true, [] { return true; });
  Communication communication(average, data.data(), {{0, 64, 0}}, true, now_ns);
  EXPECT_THROW(communication.finish(), Cancelled);
}

TEST(Communication, IsReleasedWhileItWaits) {
  std::vector<float> data(64, 1);
  std::vector<std::byte> zeros(RankExchange::bytes(2, 64) + 64);
  auto* memory =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(zeros.data()) + 63) / 64 * 64);
  RankExchange average(memory, 0, 2, 64, true, [] { return false; });
  Communication communication(average, data.data(), {{0, 64, 0}}, true, now_ns);
  communication.ready(0);  // and nobody else comes
}

}  // namespace
}  // namespace assay::plugins::train_step
