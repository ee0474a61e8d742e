// SPDX-License-Identifier: Apache-2.0
#include "lib/cache_size.hpp"
#include "lib/cpu_team.hpp"
#include "lib/fastest.hpp"
#include "lib/fma_peak.hpp"
#include "lib/permutation.hpp"
#include "lib/pointer_chase.hpp"
#include "lib/stream_kernels.hpp"
#include "membw/launch_shapes.hpp"
#include "membw/stream_values.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins {
namespace {

using stream::Kernel;
using stream::Stores;

double expected(Kernel kernel, double b, double c, double scalar) {
  switch (kernel) {
    case Kernel::read:
      return 0;
    case Kernel::write:
      return scalar;
    case Kernel::copy:
      return b;
    case Kernel::scale:
      return scalar * b;
    case Kernel::add:
      return b + c;
    case Kernel::triad:
      return b + scalar * c;
  }
  return 0;
}

// The lengths leave every possible rest behind whole vectors.
TEST(StreamKernels, ComputeWhatTheyAreNamedForAndNothingOutsideTheirSlice) {
  for (const Stores stores : {Stores::temporal, Stores::nontemporal}) {
    for (const Kernel kernel : {Kernel::write, Kernel::copy, Kernel::scale, Kernel::add, Kernel::triad}) {
      const stream::Pass pass = stream::find_pass(kernel, stores);
      if (pass == nullptr) continue;
      for (std::size_t length = 0; length < 80; ++length) {
        alignas(64) double a[128], b[128], c[128];
        for (int i = 0; i < 128; ++i) a[i] = -1, b[i] = i, c[i] = 1000 - i;
        pass({a, b, c, 16, 16 + length}, 3);
        for (std::size_t i = 0; i < 128; ++i) {
          const bool inside = i >= 16 && i < 16 + length;
          ASSERT_EQ(a[i], inside ? expected(kernel, b[i], c[i], 3) : -1)
              << static_cast<int>(kernel) << " " << length << " " << i;
        }
      }
    }
  }
}

TEST(StreamKernels, ReadGivesTheSumOfItsSlice) {
  std::vector<double> b(1000);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i);
  const stream::Pass read = stream::find_pass(Kernel::read, Stores::temporal);

  EXPECT_EQ(read({nullptr, b.data(), nullptr, 8, 1000}, 0), 999.0 * 1000 / 2 - 7.0 * 8 / 2);
  EXPECT_EQ(read({nullptr, b.data(), nullptr, 8, 11}, 0), 8 + 9 + 10);
  EXPECT_EQ(stream::find_pass(Kernel::read, Stores::nontemporal), nullptr);
}

TEST(PointerChase, VisitsEveryNodeOnceInARandomOrder) {
  std::vector<chase::Node> nodes(1000);
  std::mt19937_64 random(1);
  const auto draw = [&](std::uint64_t bound) { return random() % bound; };
  ASSERT_TRUE(chase::link_cycle(nodes.data(), nodes.size(), draw, [] { return true; }));

  const auto place_of = [&](const chase::Node* wanted) {
    const chase::Cycle cycle = chase::look_at_cycle(nodes.data(), wanted, nodes.size(), [] { return true; });
    EXPECT_EQ(cycle.length, nodes.size());
    return cycle.place;
  };
  EXPECT_EQ(place_of(nodes.data()), 0u);
  EXPECT_EQ(place_of(nodes.data()->next), 1u);
  EXPECT_EQ(place_of(chase::follow(nodes.data(), 999)), 999u);
  EXPECT_EQ(place_of(chase::follow(nodes.data(), 12345)), 345u);
  const chase::Node elsewhere{};
  EXPECT_EQ(place_of(&elsewhere), 0u);
  std::set<const chase::Node*> seen;
  const chase::Node* node = nodes.data();
  int neighbours = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    seen.insert(node);
    if (node->next == node + 1) ++neighbours;
    node = node->next;
  }
  EXPECT_EQ(seen.size(), nodes.size());
  EXPECT_EQ(node, nodes.data());
  EXPECT_LT(neighbours, 20);
}

TEST(PointerChase, IsGivenUpWhenItShallNotGoOn) {
  std::vector<chase::Node> nodes(4 * chase::kNodesBetweenLooks);
  const auto last = [](std::uint64_t bound) { return bound - 1; };
  int looks = 0, most = 6;
  const auto go_on = [&] { return ++looks <= most; };
  EXPECT_FALSE(chase::link_cycle(nodes.data(), nodes.size(), last, go_on));
  EXPECT_EQ(looks, 7);

  ASSERT_TRUE(chase::link_cycle(nodes.data(), nodes.size(), last, [] { return true; }));
  looks = 0;
  most = 2;
  EXPECT_EQ(chase::look_at_cycle(nodes.data(), nodes.data(), nodes.size(), go_on).length,
            3 * chase::kNodesBetweenLooks);
}

TEST(PointerChase, FollowsExactlyAsManyPointersAsAsked) {
  std::vector<chase::Node> nodes(64);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].next = &nodes[(i + 1) % nodes.size()];

  for (std::uint64_t loads = 0; loads < 64; ++loads)
    EXPECT_EQ(chase::follow(nodes.data(), loads), &nodes[loads]);
}

TEST(Permutation, VisitsEveryPlaceOnceWhateverTheCount) {
  for (std::uint64_t count = 1; count < 600; ++count) {
    const Permutation order(count, count);
    std::vector<bool> seen(count, false);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t place = order(i);
      ASSERT_LT(place, count);
      ASSERT_FALSE(seen[place]) << count << " " << i;
      seen[place] = true;
    }
  }
}

// Memory that is read in order, or in a few strides, would be fetched ahead. Of 2^16 steps between neighbours
// a random order has about one that is any given distance.
TEST(Permutation, LeavesNoOrderThatAPrefetcherCouldGuess) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    constexpr std::uint64_t kCount = 1 << 16;
    const Permutation order(kCount, seed);
    std::map<std::int64_t, int> steps;
    int most = 0, risen = 0;
    for (std::uint64_t i = 0; i + 1 < kCount; ++i) {
      const auto step = static_cast<std::int64_t>(order(i + 1)) - static_cast<std::int64_t>(order(i));
      most = std::max(most, ++steps[step]);
      if (step > 0) ++risen;
    }
    EXPECT_LT(most, 600) << seed;
    EXPECT_NEAR(risen, kCount / 2, kCount / 16) << seed;
  }
}

TEST(Permutation, DiffersBetweenSeeds) {
  const Permutation one(1000, 1), other(1000, 2);
  int same = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) same += one(i) == other(i) ? 1 : 0;
  EXPECT_LT(same, 20);
}

TEST(StreamValues, AreWhatEachKernelMakesOfItsInputs) {
  using membw::Array;
  using membw::Operation;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double b = membw::initial(Array::b, i, 5), c = membw::initial(Array::c, i, 5);
    ASSERT_TRUE(b >= 0 && b < 1024 && b == std::floor(b));
    const auto expected_of = [&](Operation operation) { return membw::Expected{operation, 5}(i); };
    EXPECT_EQ(expected_of(Operation::write), 3);
    EXPECT_EQ(expected_of(Operation::copy), b);
    EXPECT_EQ(expected_of(Operation::scale), 3 * b);
    EXPECT_EQ(expected_of(Operation::add), b + c);
    EXPECT_EQ(expected_of(Operation::triad), b + 3 * c);
    EXPECT_EQ(expected_of(Operation::dot), b * c);
    EXPECT_EQ(expected_of(Operation::read), b);
    EXPECT_EQ(expected_of(Operation::random), b);
  }
}

// STREAM's counting: copy and scale 2, add and triad 3; dot reads 2, read and write 1.
TEST(StreamValues, CountTheArraysThatAKernelNames) {
  using membw::Operation;
  const std::vector<std::pair<Operation, std::uint64_t>> arrays = {
      {Operation::read, 1}, {Operation::write, 1}, {Operation::copy, 2}, {Operation::scale, 2},
      {Operation::add, 3},  {Operation::triad, 3}, {Operation::dot, 2},  {Operation::random, 1}};
  for (const auto& [operation, count] : arrays) {
    EXPECT_EQ(membw::arrays_of(operation), count) << static_cast<int>(operation);
  }
}

TEST(LaunchShapes, CoverAnyLengthInWholeWarps) {
  using membw::Access;
  using membw::Operation;
  for (const Operation operation : {Operation::triad, Operation::read, Operation::random}) {
    const auto shapes = membw::shapes_to_try(operation, Access::streaming);
    EXPECT_GE(shapes.size(), 4u);
    for (const membw::Shape& shape : shapes) {
      EXPECT_EQ(shape.threads % 32, 0u);
      EXPECT_LE(shape.threads, 1024u);
      for (const std::uint64_t vectors : {1u, 1023u, 1024u, 1025u, 1u << 20}) {
        const std::uint64_t blocks = membw::blocks_of(shape, vectors);
        EXPECT_GE(blocks * shape.vectors_per_block(), vectors);
        EXPECT_LT((blocks - 1) * shape.vectors_per_block(), vectors);
      }
    }
  }
  EXPECT_EQ(membw::text_of({256, 2, Access::cached}), "blocks of 256 threads, 2 × 16 B a thread, cached");
}

TEST(LaunchSearch, TakesTheFirstOfThoseThatAreAsGoodAsTheBest) {
  EXPECT_EQ(first_of_fastest({2.0}), 0u);
  EXPECT_EQ(first_of_fastest({1.002, 1.0005, 1.0}), 1u);
  EXPECT_EQ(first_of_fastest({1.0, 1.0005, 0.9995}), 0u);
  EXPECT_EQ(first_of_fastest({3, 2, 1}), 2u);
}

class CacheSize : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(root_); }

  void put(int cpu, int index, const std::string& level, const std::string& type, const std::string& size,
           const std::string& shared) const {
    const auto folder = root_ / ("sys/devices/system/cpu/cpu" + std::to_string(cpu)) / "cache" /
                        ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "type") << type << '\n';
    std::ofstream(folder / "size") << size << '\n';
    std::ofstream(folder / "shared_cpu_list") << shared << '\n';
  }

  std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) / ("membw_caches_" + std::to_string(::getpid()));
};

TEST_F(CacheSize, IsOfTheLastLevelEachCacheOnce) {
  for (const int cpu : {0, 1, 2, 3}) {
    put(cpu, 0, "1", "Data", "48K", std::to_string(cpu));
    put(cpu, 1, "1", "Instruction", "32K", std::to_string(cpu));
    put(cpu, 2, "2", "Unified", "2M", std::to_string(cpu));
    put(cpu, 3, "3", "Unified", "32768K", cpu < 2 ? "0-1" : "2-3");
  }
  EXPECT_EQ(last_level_cache_bytes({0, 1}, root_), std::size_t{32} << 20);
  EXPECT_EQ(last_level_cache_bytes({1, 2}, root_), std::size_t{64} << 20);
  EXPECT_EQ(last_level_cache_bytes({0, 1, 2, 3}, root_), std::size_t{64} << 20);
}

TEST_F(CacheSize, IsTheCLibrarysWhereTheKernelSaysNothing) {
  const long level3 = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (level3 > 0) {
    EXPECT_GE(last_level_cache_bytes({0}, root_), static_cast<std::size_t>(level3));
  }
  put(0, 0, "3", "Unified", "nonsense", "0");
  EXPECT_EQ(last_level_cache_bytes({0}, root_), last_level_cache_bytes({7}, root_));
}

TEST(CpuTeam, SharesCoverEverythingOnceAtGrainBorders) {
  CpuTeam team;
  for (const std::size_t count : {0UL, 1UL, 7UL, 8UL, 9UL, 1000UL}) {
    std::size_t next = 0;
    for (int member = 0; member < team.size(); ++member) {
      const auto [first, last] = team.share(member, count, 8);
      EXPECT_EQ(first, next);
      EXPECT_TRUE(first % 8 == 0 || first == count);
      next = last;
    }
    EXPECT_EQ(next, count);
  }
}

TEST(CpuTeam, RunsEveryMemberOnceAndLeavesTheCallersAffinity) {
  const std::vector<int> before = allowed_cpus();
  CpuTeam team;
  std::vector<int> runs(static_cast<std::size_t>(team.size()));
  for (int round = 0; round < 100; ++round)
    team.run([&](int member) { ++runs[static_cast<std::size_t>(member)]; });

  for (const int count : runs) EXPECT_EQ(count, 100);
  EXPECT_EQ(allowed_cpus(), before);
  EXPECT_LE(CpuTeam(1).size(), 1);
}

TEST(SpinBarrier, TheLastToComeIsAloneBeforeTheOthersGoOn) {
  CpuTeam team;
  const int turns = 2000;
  std::atomic<int> came = 0, went_on = 0;
  int wrong = 0;
  SpinBarrier barrier(team.size());
  team.run([&](int) {
    for (int turn = 1; turn <= turns; ++turn) {
      ++came;
      barrier.wait([&] { wrong += came != turn * team.size() || went_on != (turn - 1) * team.size(); });
      ++went_on;
      barrier.wait();
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(went_on, turns * team.size());
}

// A rate beyond what one operation a clock tick allows, and below a thousand of them, on any CPU there is.
TEST(FmaPeak, IsWithinWhatAnyCpuCanDo) {
  CpuTeam team(1);
  // Other work on the machine takes from either; the best of a few is what the units do.
  FmaPeak single, twice;
  const auto keep_best = [](FmaPeak& best, const FmaPeak& next) {
    if (next.operations_per_second > best.operations_per_second) best = next;
  };
  for (int attempt = 0; attempt < 200; ++attempt) {
    keep_best(single, measure_fma_peak<float>(team, 2, 0.002));
    keep_best(twice, measure_fma_peak<double>(team, 2, 0.002));
    if (single.operations_per_second > 1.5 * twice.operations_per_second) break;
  }

  EXPECT_GT(single.operations_per_second, 1e8);
  EXPECT_LT(single.operations_per_second, 1e13);
  EXPECT_GT(single.operations_per_second, 1.5 * twice.operations_per_second);
  EXPECT_STRNE(single.vector, "");
}

TEST(FmaPeak, IsNotMeasuredInPiecesOfMicrosecondsWhereSomeWereInterrupted) {
  int calls = 0;
  // A step takes 3 ns; the first two were interrupted.
  const std::uint64_t steps = fma::steps_for(0.01, [&](std::uint64_t count) {
    return (calls++ < 2 ? 0.02 : 0.0) + 3e-9 * static_cast<double>(count);
  });
  EXPECT_GE(3e-9 * static_cast<double>(steps), 0.01);
  EXPECT_LT(3e-9 * static_cast<double>(steps), 0.2);
}

}  // namespace
}  // namespace assay::plugins
