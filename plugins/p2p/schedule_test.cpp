// SPDX-License-Identifier: Apache-2.0
//
// What p2p@cuda computes without a device: who copies what to whom, the matrix and what stands out in it.
#include "p2p/schedule.hpp"

#include "p2p/cells.hpp"
#include "p2p/links.hpp"
#include "p2p/pattern.hpp"
#include "p2p/pieces.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace assay::plugins::p2p {
namespace {

constexpr Direction kDirections[] = {Direction::read, Direction::write, Direction::both, Direction::latency};

// "0>1 1<0 | 0>2": what goes there, what goes back, phase after phase.
std::string arrows(const std::vector<Phase>& phases) {
  std::string text;
  for (const Phase& phase : phases) {
    if (!text.empty()) text += " | ";
    for (std::size_t i = 0; i < phase.size(); ++i) {
      text += (i == 0 ? "" : " ") + std::to_string(phase[i].from) + (phase[i].way == Way::there ? ">" : "<") +
              std::to_string(phase[i].to);
    }
  }
  return text;
}

TEST(Schedule, TwoDevicesAreOnePairFromTheFirstToTheSecond) {
  for (const Direction direction : {Direction::read, Direction::write, Direction::latency})
    EXPECT_EQ(arrows(phases_of(2, direction, Traffic::pair)), "0>1");
  EXPECT_EQ(arrows(phases_of(2, Direction::both, Traffic::pair)), "0>1 1<0");
}

TEST(Schedule, MoreDevicesAreEveryOrderedPairOneAfterTheOther) {
  EXPECT_EQ(arrows(phases_of(3, Direction::read, Traffic::pair)), "0>1 | 0>2 | 1>0 | 1>2 | 2>0 | 2>1");
  EXPECT_EQ(arrows(phases_of(3, Direction::both, Traffic::pair)), "0>1 1<0 | 0>2 2<0 | 1>2 2<1");
  EXPECT_EQ(phases_of(8, Direction::latency, Traffic::pair).size(), 56u);
}

TEST(Schedule, OtherPatternsAreOnePhaseOfAllThatGoesAtOnce) {
  EXPECT_EQ(arrows(phases_of(3, Direction::read, Traffic::ring)), "0>1 1>2 2>0");
  EXPECT_EQ(arrows(phases_of(3, Direction::both, Traffic::ring)), "0>1 1<0 1>2 2<1 2>0 0<2");
  EXPECT_EQ(arrows(phases_of(3, Direction::write, Traffic::all_to_one)), "1>0 2>0");
  EXPECT_EQ(arrows(phases_of(3, Direction::both, Traffic::one_to_all)), "0>1 1<0 0>2 2<0");
  EXPECT_EQ(arrows(phases_of(4, Direction::read, Traffic::bisection)), "0>2 1>3");
  EXPECT_EQ(arrows(phases_of(5, Direction::both, Traffic::bisection)), "0>2 2<0 1>3 3<1");
}

TEST(Schedule, NothingGoesTwiceNorToItself) {
  for (std::size_t devices = 2; devices < 9; ++devices) {
    for (const Direction direction : kDirections) {
      for (const Traffic traffic :
           {Traffic::pair, Traffic::ring, Traffic::all_to_one, Traffic::one_to_all, Traffic::bisection}) {
        std::set<std::pair<std::size_t, std::size_t>> seen;
        const std::vector<Phase> phases = phases_of(devices, direction, traffic);
        for (const Phase& phase : phases) {
          for (const Transfer& transfer : phase) {
            EXPECT_NE(transfer.from, transfer.to);
            EXPECT_LT(transfer.from, devices);
            EXPECT_LT(transfer.to, devices);
            EXPECT_TRUE(seen.emplace(transfer.from, transfer.to).second) << arrows(phases);
          }
        }
        EXPECT_EQ(seen.size(), transfers_in(phases));
      }
    }
  }
}

TEST(Schedule, TheDestinationPullsAndTheSourcePushes) {
  const Transfer transfer{3, 5, Way::there};
  EXPECT_EQ(executor_of(transfer, Direction::read), 5u);
  EXPECT_EQ(executor_of(transfer, Direction::latency), 5u);
  EXPECT_EQ(executor_of(transfer, Direction::write), 3u);
  EXPECT_EQ(executor_of(transfer, Direction::both), 3u);
}

TEST(Schedule, MemoryIsASourceAndADestinationOfEachCopyOrOneChain) {
  using Buffers = std::vector<std::uint64_t>;
  const auto buffers = [](std::size_t devices, Direction direction, Traffic traffic) {
    return buffers_on(devices, phases_of(devices, direction, traffic), direction);
  };
  EXPECT_EQ(buffers(2, Direction::read, Traffic::pair), (Buffers{1, 1}));
  EXPECT_EQ(buffers(2, Direction::both, Traffic::pair), (Buffers{2, 2}));
  EXPECT_EQ(buffers(2, Direction::latency, Traffic::pair), (Buffers{1, 0}));
  EXPECT_EQ(buffers(4, Direction::write, Traffic::pair), (Buffers{6, 6, 6, 6}));
  EXPECT_EQ(buffers(4, Direction::write, Traffic::all_to_one), (Buffers{3, 1, 1, 1}));
  EXPECT_EQ(buffers(5, Direction::read, Traffic::bisection), (Buffers{1, 1, 1, 1, 0}));
}

TEST(Schedule, AChainIsFollowedByMultiprocessorsThatLieEvenly) {
  EXPECT_EQ(walkers_of(132, 1), 132u);
  EXPECT_EQ(walkers_of(132, 12), 11u);
  EXPECT_EQ(walkers_of(132, 500), 1u);
  for (const std::uint64_t walkers : {1u, 11u, 56u, 132u}) {
    std::set<unsigned> seen;
    for (std::uint64_t i = 0; i < 3 * walkers; ++i) {
      const unsigned now = walker(i, 132, walkers);
      EXPECT_LT(now, 132u);
      EXPECT_EQ(now, walker(i + walkers, 132, walkers));
      seen.insert(now);
    }
    EXPECT_EQ(seen.size(), walkers);
  }
  EXPECT_EQ(walker(10, 132, 11), 120u);
}

TEST(Schedule, IsSaidInWords) {
  const std::vector<std::string> names = {"cuda:3", "cuda:1", "cuda:0"};
  const auto said = [&](std::size_t devices, Direction direction, Traffic traffic) {
    const std::vector<std::string> those(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(devices));
    return text_of(phases_of(devices, direction, traffic), direction, traffic, those);
  };
  EXPECT_EQ(said(2, Direction::read, Traffic::pair), "cuda:3 to cuda:1");
  EXPECT_EQ(said(2, Direction::both, Traffic::pair), "cuda:3 and cuda:1");
  EXPECT_EQ(said(3, Direction::latency, Traffic::pair), "6 ordered pairs, one after the other");
  EXPECT_EQ(said(3, Direction::both, Traffic::pair), "3 pairs, one after the other");
  EXPECT_EQ(said(3, Direction::write, Traffic::ring), "3 transfers at once");
  EXPECT_EQ(said(3, Direction::write, Traffic::bisection), "1 transfer; cuda:0 has no partner");
}

TEST(SampledWords, AreAllOfFewAndTheEndsOfMany) {
  using Pieces = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(sampled_words(2), (Pieces{{0, 2}}));
  EXPECT_EQ(sampled_words(8192), (Pieces{{0, 8192}}));
  for (const std::size_t words : {8194u, 100000u, 1u << 26}) {
    const Pieces pieces = sampled_words(words);
    ASSERT_EQ(pieces.size(), 16u);
    EXPECT_EQ(pieces.front().first, 0u);
    EXPECT_EQ(pieces.back().first + pieces.back().second, words);
    for (std::size_t i = 1; i < pieces.size(); ++i)
      EXPECT_GE(pieces[i].first, pieces[i - 1].first + pieces[i - 1].second);
  }
}

TEST(CopyPattern, TellsDestinationsApartAndFindsAFlippedBit) {
  std::set<Word> seen;
  std::size_t words = 0;
  for (const std::uint32_t from : {0, 1, 15}) {
    for (const std::uint32_t to : {0, 1, 15}) {
      for (const Way way : {Way::there, Way::back}) {
        for (std::uint64_t i = 0; i < 3000; ++i, ++words) seen.insert(Pattern{from, way, 7, to}(i));
      }
    }
  }
  EXPECT_EQ(seen.size(), words);
  EXPECT_EQ(seen.count(kNoWord), 0u);

  const Pattern expected{1, Way::there, 7, 2};
  std::vector<Word> arrived(1000);
  write_pattern(arrived.data(), 0, arrived.size(), expected);
  arrived[640] ^= Word{1} << 17;
  const Misses misses = check_pattern(arrived.data(), 0, arrived.size(), expected);
  EXPECT_EQ(misses.wrong, 1u);
  EXPECT_EQ(misses.first, 640u);
  EXPECT_EQ(check_pattern(arrived.data(), 0, arrived.size(), {1, Way::there, 7, 3}).wrong, arrived.size());
}

TEST(Links, OfOneKindAreSaidOnceOthersByName) {
  const Link good{"cuda:0", "cuda:1", true, true, 0};
  const Link back{"cuda:1", "cuda:0", true, true, 0};
  EXPECT_EQ(text_of({good, back}), "peer access, native atomics, performance rank 0");
  const Link none{"cuda:0", "cuda:2", false, false, 0};
  const Link slow{"cuda:2", "cuda:1", true, false, 1};
  EXPECT_EQ(text_of({good, none, back, slow}),
            "peer access, native atomics, performance rank 0: cuda:0-cuda:1, cuda:1-cuda:0; no peer access: "
            "cuda:0-cuda:2; peer access, performance rank 1: cuda:2-cuda:1");
}

double at(const std::vector<Cell>& cells, std::size_t from, std::size_t to) {
  for (const Cell& cell : cells) {
    if (cell.from == from && cell.to == to) return cell.value;
  }
  ADD_FAILURE() << "there is no cell [" << from << "][" << to << "]";
  return 0;
}

TEST(Cells, OfPairsAreWhatEachPhaseGave) {
  const auto phases = phases_of(3, Direction::read, Traffic::pair);
  std::vector<PhaseTimes> times;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const double time_s = i == 3 ? 4 : 2;
    times.push_back({time_s, {time_s}});
  }
  const auto cells = bandwidths(phases, times, Direction::read, Traffic::pair, 100);
  EXPECT_EQ(cells.size(), 6u);
  EXPECT_DOUBLE_EQ(at(cells, 0, 1), 50);
  EXPECT_DOUBLE_EQ(at(cells, 1, 2), 25);
}

TEST(Cells, OfBothWaysAreTheirSumFromEitherSide) {
  const auto phases = phases_of(2, Direction::both, Traffic::pair);
  const std::vector<PhaseTimes> times = {{4, {4, 2}}};
  const auto cells = bandwidths(phases, times, Direction::both, Traffic::pair, 100);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_DOUBLE_EQ(at(cells, 0, 1), 50);  // both ways' bytes until the later has ended
  EXPECT_DOUBLE_EQ(at(cells, 1, 0), 50);
  EXPECT_DOUBLE_EQ(way_bandwidth(phases, times, Way::there, 100), 25);
  EXPECT_DOUBLE_EQ(way_bandwidth(phases, times, Way::back, 100), 50);
}

TEST(Cells, OfTransfersAtOnceAreEachItsOwn) {
  const auto one_way = phases_of(3, Direction::write, Traffic::all_to_one);
  const auto cells = bandwidths(one_way, {{4, {4, 2}}}, Direction::write, Traffic::all_to_one, 100);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_DOUBLE_EQ(at(cells, 1, 0), 25);
  EXPECT_DOUBLE_EQ(at(cells, 2, 0), 50);

  const auto ring = phases_of(3, Direction::both, Traffic::ring);
  const auto sums = bandwidths(ring, {{4, {4, 2, 4, 4, 4, 4}}}, Direction::both, Traffic::ring, 100);
  ASSERT_EQ(sums.size(), 6u);
  EXPECT_DOUBLE_EQ(at(sums, 0, 1), 75);
  EXPECT_DOUBLE_EQ(at(sums, 1, 0), 75);
  EXPECT_DOUBLE_EQ(at(sums, 2, 1), 50);
}

TEST(Pieces, AreAllIterationsOnce) {
  for (const std::uint64_t sets : {1u, 3u, 16u, 999u, 1001u, 16384u}) {
    for (const std::uint64_t rings : {1u, 2u, 700u}) {
      const Pieces graphs = pieces_of(rings * sets, true, sets, true, 508);
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < graphs.count(); ++i) {
        EXPECT_EQ(graphs.length(i) % sets, 0u);
        sum += graphs.length(i);
      }
      EXPECT_EQ(sum, rings * sets);
    }
  }
  const Pieces single = pieces_of(700, false, 7, true, 508);
  EXPECT_EQ(single.count(), 700u);
  EXPECT_EQ(single.length(699), 1u);
}

TEST(Pieces, BehindAGateAreNoMoreThanItHoldsBack) {
  EXPECT_EQ(pieces_of(300, false, 1, true, 508).held, 300u);
  EXPECT_EQ(pieces_of(700, false, 1, true, 508).held, 508u);
  EXPECT_EQ(pieces_of(700, false, 1, false, 508).held, 0u);
  // A stream has 1021 places, and every copy of a graph takes one.
  EXPECT_EQ(pieces_of(5000, true, 1, true, 508).held, 1u);
  EXPECT_EQ(pieces_of(5000, true, 1, false, 508).held, 0u);
  EXPECT_EQ(pieces_of(1000, true, 1000, true, 508).held, 1u);
  EXPECT_EQ(pieces_of(1021, true, 1021, true, 508).held, 0u);
  EXPECT_EQ(pieces_of(2 * 16384, true, 16384, true, 508).held, 0u);
}

}  // namespace
}  // namespace assay::plugins::p2p
