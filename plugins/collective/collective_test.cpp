// SPDX-License-Identifier: Apache-2.0
#include "collective/arithmetic.hpp"
#include "collective/operation.hpp"
#include "collective/schedule.hpp"

#include <assay/nccl/rank_sets.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::collective {
namespace {

constexpr Operation kOperations[] = {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                                     Operation::broadcast,  Operation::reduce,     Operation::all_to_all,
                                     Operation::gather,     Operation::scatter,    Operation::send_recv};
constexpr Algorithm kAlgorithms[] = {Algorithm::direct, Algorithm::ring, Algorithm::recursive_doubling,
                                     Algorithm::tree};
constexpr std::size_t kGap = 2;
using Memory = std::vector<std::vector<std::int64_t>>;  // by rank

// As nccl-tests 2.19 counts: factors and buffers of 4 ranks and 1024 bytes.
TEST(Operation, CountsAsNcclTestsDoes) {
  EXPECT_DOUBLE_EQ(bus_factor(Operation::all_reduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::all_gather, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::reduce_scatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::all_to_all, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::gather, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::scatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::broadcast, 4), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::reduce, 4), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::send_recv, 4), 1);
  EXPECT_EQ(counts_of(Operation::all_reduce, 1027, 4, 4).whole, 256U);
  EXPECT_EQ(counts_of(Operation::all_gather, 1087, 4, 4).part, 64U);
  EXPECT_EQ(counts_of(Operation::all_gather, 1088, 4, 4).part, 68U);
  EXPECT_EQ(counts_of(Operation::all_to_all, 63, 4, 4).whole, 0U);
}

// An operation of this many ranks on memory of its own, whose expected results follow from the inputs.
struct World {
  World(Operation operation, Algorithm algorithm, std::uint32_t ranks, bool in_place, std::size_t bytes) {
    call.operation = operation;
    call.algorithm = algorithm;
    call.ranks = ranks;
    call.root = has_root(operation) ? ranks / 2 : 0;
    call.counts = counts_of(operation, bytes, sizeof(std::int64_t), ranks);
    call.chunk = 3;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      call.layouts.push_back(layout_of(operation, call.counts, rank, call.root, in_place, kGap));
      memory.emplace_back(call.layouts.back().end() + kGap, -7);
    }
  }

  std::int64_t expected(const Coded<std::int64_t>& coded, std::uint32_t rank, std::size_t i) const {
    const Origin from = origin_of(call.operation, call.counts.part, call.ranks, call.root, rank, i);
    return from.combined ? coded.combined(from.index) : coded.input(from.rank, from.index);
  }

  void run_step(std::uint32_t rank, const Step& step, Operator operation) {
    const std::int64_t* from = memory[step.from.rank].data() + step.from.at;
    std::int64_t* to = memory[rank].data() + step.to;
    if (step.combines) {
      combine(operation, from, memory[step.with.rank].data() + step.with.at, to, step.count, step.completes,
              call.ranks);
    } else {
      std::copy(from, from + step.count, to);
    }
  }

  // Elements before and behind the buffers that somebody has written.
  std::size_t wrong_around() const {
    std::size_t count = 0;
    for (std::uint32_t rank = 0; rank < call.ranks; ++rank) {
      for (std::size_t i = 0; i < kGap; ++i) {
        count += memory[rank][i] != -7 ? 1U : 0U;
        count += memory[rank][call.layouts[rank].end() + i] != -7 ? 1U : 0U;
      }
    }
    return count;
  }

  Call call;
  Memory memory;
};

// What a program does around its operations: a rank has its input before it begins, looks at its result when
// it has ended, and does with its buffers what it likes until it begins the next.
class Caller {
 public:
  Caller(World& world, Operator operation) : world_(world), operation_(operation) {}

  void begin(std::uint32_t rank, std::size_t round) {
    const Layout& layout = world_.call.layouts[rank];
    for (std::size_t i = 0; i < layout.send_count; ++i)
      world_.memory[rank][layout.send + i] = coded(round).input(rank, i);
  }

  void end(std::uint32_t rank, std::size_t round) {
    const Layout& layout = world_.call.layouts[rank];
    for (std::size_t i = 0; i < layout.receive_count; ++i)
      wrong += world_.memory[rank][layout.receive + i] != world_.expected(coded(round), rank, i) ? 1U : 0U;
    std::fill_n(world_.memory[rank].begin() + static_cast<std::ptrdiff_t>(layout.send), layout.send_count,
                -9);
    std::fill_n(world_.memory[rank].begin() + static_cast<std::ptrdiff_t>(layout.receive),
                layout.receive_count, -9);
  }

  std::size_t wrong = 0;

 private:
  Coded<std::int64_t> coded(std::size_t round) const { return {operation_, world_.call.ranks, 5 + round}; }

  World& world_;
  Operator operation_;
};

// Runs the operation `operations` times, every step as soon as what it waits for is done, in a random order.
bool run_in_any_order(World& world, const Schedule& schedule, int operations, Operator operation,
                      std::mt19937& random, Caller& caller) {
  std::vector<std::size_t> done(schedule.size());
  const auto ready = [&](std::uint32_t rank) {
    const std::size_t length = schedule[rank].size();
    if (done[rank] == length * static_cast<std::size_t>(operations)) return false;
    const std::size_t round = done[rank] / length;
    const std::vector<Wait>& waits = schedule[rank][done[rank] % length].waits;
    return std::all_of(waits.begin(), waits.end(), [&](const Wait& wait) {
      if (wait.before && round == 0) return true;
      return done[wait.rank] >= (round - (wait.before ? 1 : 0)) * schedule[wait.rank].size() + wait.step + 1;
    });
  };
  for (;;) {
    std::vector<std::uint32_t> able;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
      if (!schedule[rank].empty() && ready(rank)) able.push_back(rank);
    if (able.empty()) break;
    const std::uint32_t rank = able[random() % able.size()];
    const std::size_t length = schedule[rank].size(), round = done[rank] / length;
    if (done[rank] % length == 0) caller.begin(rank, round);
    world.run_step(rank, schedule[rank][done[rank] % length], operation);
    ++done[rank];
    if (done[rank] % length == 0) caller.end(rank, round);
  }
  for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
    if (done[rank] != schedule[rank].size() * static_cast<std::size_t>(operations)) return false;
  return true;
}

template <class Body>
void for_each_schedule(Body&& body) {
  for (const Operation operation : kOperations) {
    for (const Algorithm algorithm : kAlgorithms) {
      for (const std::uint32_t ranks : {2U, 3U, 4U, 5U, 8U}) {
        for (const bool in_place : {false, true}) {
          if (!is_there(operation, algorithm, ranks) || (in_place && !can_be_in_place(operation))) continue;
          SCOPED_TRACE("operation " + std::to_string(static_cast<int>(operation)) + ", algorithm " +
                       std::to_string(static_cast<int>(algorithm)) + ", " + std::to_string(ranks) + " ranks" +
                       (in_place ? " in place" : ""));
          body(operation, algorithm, ranks, in_place);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(Schedule, EveryOrderOfStepsThatTheWaitsAllowIsRight) {
  std::mt19937 random(1);
  for_each_schedule([&](Operation operation, Algorithm algorithm, std::uint32_t ranks, bool in_place) {
    for (int trial = 0; trial < 5; ++trial) {
      World world(operation, algorithm, ranks, in_place, ranks * 48);
      Caller caller(world, Operator::sum);
      ASSERT_TRUE(run_in_any_order(world, schedule_of(world.call), 3, Operator::sum, random, caller))
          << "no step can go on";
      ASSERT_EQ(caller.wrong + world.wrong_around(), 0U);
    }
  });
}

// What is not written is not read either: memory behind it would be taken for nothing.
TEST(Schedule, RunsCorrectlyWithOnlyTheScratchThatItKeeps) {
  std::mt19937 random(3);
  for_each_schedule([&](Operation operation, Algorithm algorithm, std::uint32_t ranks, bool in_place) {
    World world(operation, algorithm, ranks, in_place, ranks * 48);
    const Schedule schedule = schedule_of(world.call);
    keep_used_scratch(world.call.layouts, schedule);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      world.memory[rank].resize(world.call.layouts[rank].end() + kGap, -7);
    Caller caller(world, Operator::sum);
    ASSERT_TRUE(run_in_any_order(world, schedule, 2, Operator::sum, random, caller));
    ASSERT_EQ(caller.wrong + world.wrong_around(), 0U);
  });

  const auto kept = [](Operation operation, Algorithm algorithm, bool in_place) {
    World world(operation, algorithm, 4, in_place, 4 * 64);
    keep_used_scratch(world.call.layouts, schedule_of(world.call));
    std::vector<std::size_t> counts;
    for (const Layout& layout : world.call.layouts) counts.push_back(layout.scratch_count);
    return counts;
  };
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(kept(Operation::all_reduce, Algorithm::ring, false), Counts(4, 0));
  EXPECT_EQ(kept(Operation::all_reduce, Algorithm::direct, false), Counts(4, 0));
  EXPECT_EQ(kept(Operation::all_reduce, Algorithm::direct, true), Counts(4, 32));
  EXPECT_EQ(kept(Operation::reduce, Algorithm::ring, false), (Counts{32, 32, 0, 0}));
}

// Every two steps of different ranks that touch the same memory, one of them writing, have an order.
TEST(Schedule, NoTwoStepsRace) {
  constexpr std::size_t kOperationsInARow = 3;
  for_each_schedule([&](Operation operation, Algorithm algorithm, std::uint32_t ranks, bool in_place) {
    const World world(operation, algorithm, ranks, in_place, ranks * 48);
    const Schedule schedule = schedule_of(world.call);
    // For each step how many steps of each rank have ended before it begins.
    std::vector<std::vector<std::vector<std::size_t>>> before(ranks);
    std::vector<std::size_t> known(ranks);
    const auto total = [&](std::uint32_t rank) { return schedule[rank].size() * kOperationsInARow; };
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        if (known[rank] == total(rank)) continue;
        const std::size_t round = known[rank] / schedule[rank].size();
        std::vector<std::size_t> clock =
            known[rank] == 0 ? std::vector<std::size_t>(ranks) : before[rank].back();
        clock[rank] = known[rank];
        bool able = true;
        for (const Wait& wait : schedule[rank][known[rank] % schedule[rank].size()].waits) {
          if (wait.before && round == 0) continue;
          const std::size_t step = (round - (wait.before ? 1 : 0)) * schedule[wait.rank].size() + wait.step;
          if (known[wait.rank] <= step) {
            able = false;
            break;
          }
          for (std::uint32_t r = 0; r < ranks; ++r) clock[r] = std::max(clock[r], before[wait.rank][step][r]);
          clock[wait.rank] = std::max(clock[wait.rank], step + 1);
        }
        if (!able) continue;
        before[rank].push_back(clock);
        ++known[rank];
        more = true;
      }
    }
    struct Touch {
      std::uint32_t rank;
      std::size_t step, at, count;
      bool writes;
    };
    std::vector<std::vector<Touch>> touches(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      ASSERT_EQ(known[rank], total(rank));
      for (std::size_t i = 0; i < total(rank); ++i) {
        const Step& step = schedule[rank][i % schedule[rank].size()];
        touches[step.from.rank].push_back({rank, i, step.from.at, step.count, false});
        if (step.combines) touches[step.with.rank].push_back({rank, i, step.with.at, step.count, false});
        touches[rank].push_back({rank, i, step.to, step.count, true});
        // What the rank's program does before it begins and after it has ended.
        const bool begins = i % schedule[rank].size() == 0, ends = (i + 1) % schedule[rank].size() == 0;
        const Layout& layout = world.call.layouts[rank];
        if (begins || ends) {
          touches[rank].push_back({rank, i, layout.send, layout.send_count, true});
          touches[rank].push_back({rank, i, layout.receive, layout.receive_count, true});
        }
      }
    }
    for (const std::vector<Touch>& memory : touches) {
      for (const Touch& a : memory) {
        for (const Touch& b : memory) {
          if (!a.writes || a.rank == b.rank || a.at >= b.at + b.count || b.at >= a.at + a.count) continue;
          ASSERT_TRUE(before[b.rank][b.step][a.rank] > a.step || before[a.rank][a.step][b.rank] > b.step)
              << "step " << a.step << " of rank " << a.rank << " and step " << b.step << " of rank "
              << b.rank;
        }
      }
    }
  });
}

TEST(Schedule, EveryOperatorIsRightInEveryAlgorithm) {
  std::mt19937 random(2);
  for (const Operator operation :
       {Operator::sum, Operator::product, Operator::minimum, Operator::maximum, Operator::average}) {
    for_each_schedule([&](Operation what, Algorithm algorithm, std::uint32_t ranks, bool in_place) {
      if (!reduces(what)) return;
      World world(what, algorithm, ranks, in_place, ranks * 48);
      Caller caller(world, operation);
      ASSERT_TRUE(run_in_any_order(world, schedule_of(world.call), 2, operation, random, caller));
      ASSERT_EQ(caller.wrong + world.wrong_around(), 0U) << "operator " << static_cast<int>(operation);
    });
  }
}

// Bytes that the busiest rank takes from others, over the size: what theory says of each algorithm.
TEST(Schedule, MovesAsMuchAsTheAlgorithmShould) {
  const auto taken = [](Operation operation, Algorithm algorithm, std::uint32_t ranks) {
    const World world(operation, algorithm, ranks, false, ranks * 4096);
    const Schedule schedule = schedule_of(world.call);
    std::size_t most = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      std::size_t count = 0;
      for (const Step& step : schedule[rank])
        count += (step.from.rank != rank || (step.combines && step.with.rank != rank)) ? step.count : 0;
      most = std::max(most, count);
    }
    return static_cast<double>(most) / static_cast<double>(world.call.counts.whole);
  };
  EXPECT_NEAR(taken(Operation::all_reduce, Algorithm::ring, 4), 1.5, 0.01);              // 2 (n - 1) / n
  EXPECT_NEAR(taken(Operation::all_reduce, Algorithm::direct, 4), 3, 0.01);              // n - 1
  EXPECT_NEAR(taken(Operation::all_reduce, Algorithm::recursive_doubling, 8), 3, 0.01);  // log2 n
  EXPECT_NEAR(taken(Operation::all_reduce, Algorithm::tree, 7), 3, 0.01);  // two children and the parent
  EXPECT_NEAR(taken(Operation::reduce_scatter, Algorithm::ring, 4), 0.75, 0.01);
  EXPECT_NEAR(taken(Operation::all_gather, Algorithm::ring, 4), 0.75, 0.01);
  EXPECT_NEAR(taken(Operation::all_gather, Algorithm::recursive_doubling, 8), 0.875, 0.01);
  EXPECT_NEAR(taken(Operation::broadcast, Algorithm::ring, 4), 1, 0.01);
  EXPECT_NEAR(taken(Operation::broadcast, Algorithm::tree, 7), 1, 0.01);
}

TEST(Schedule, ThatIsNotThereSaysWhatIs) {
  EXPECT_EQ(why_not_there(Operation::gather, Algorithm::ring, 4),
            "gather has no algorithm 'ring'; it has direct");
  EXPECT_EQ(why_not_there(Operation::reduce_scatter, Algorithm::tree, 4),
            "reduce_scatter has no algorithm 'tree'; it has direct, ring");
  EXPECT_EQ(why_not_there(Operation::all_gather, Algorithm::recursive_doubling, 6),
            "all_gather has no algorithm 'recursive_doubling' for 6 ranks; for so many it has direct, ring");
}

TEST(Coded, IsExactInEveryTypeAndTellsNeighboursApart) {
  for (const std::uint32_t ranks : {2U, 4U, 16U, 64U}) {
    for (const Type type : {Type::int8, Type::uint8, Type::int32, Type::uint32, Type::int64, Type::uint64,
                            Type::fp32, Type::fp64}) {
      with_type(type, [&](auto zero) {
        using T = decltype(zero);
        for (const Operator operation :
             {Operator::sum, Operator::product, Operator::minimum, Operator::maximum, Operator::average}) {
          const Coded<T> coded(operation, ranks, 3);
          std::size_t different = 0;
          for (std::size_t i = 0; i < 200; ++i) {
            double exact = static_cast<double>(coded.input(0, i));
            T backwards = coded.input(ranks - 1, i);
            for (std::uint32_t rank = 1; rank < ranks; ++rank) {
              const double value = static_cast<double>(coded.input(rank, i));
              if (operation == Operator::product) exact *= value;
              if (operation == Operator::minimum) exact = std::min(exact, value);
              if (operation == Operator::maximum) exact = std::max(exact, value);
              if (operation == Operator::sum || operation == Operator::average) exact += value;
              const T next = coded.input(ranks - 1 - rank, i);
              combine(operation, &next, &backwards, &backwards, 1, rank + 1 == ranks, ranks);
            }
            ASSERT_EQ(coded.combined(i), backwards);
            if (operation != Operator::average) {
              ASSERT_EQ(static_cast<double>(coded.combined(i)), exact);
            }
            different += coded.combined(i) != coded.combined(i + 1) ? 1 : 0;
          }
          EXPECT_GT(different, 50U) << ranks << " ranks, operator " << static_cast<int>(operation);
          // A rank that hands out what it brought would be seen.
          for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            std::size_t changed = 0;
            for (std::size_t i = 0; i < 200; ++i)
              changed += coded.input(rank, i) != coded.combined(i) ? 1 : 0;
            EXPECT_GT(changed, 20U) << ranks << " ranks, operator " << static_cast<int>(operation);
          }
        }
      });
    }
  }
}

// What two ranks do that keep communicators, and which devices each one's was made for.
class RanksThatKeep {
 public:
  // Whether both found one of the same making for these devices; else they make a new one.
  bool find(const std::string& first, const std::string& second) {
    const nccl::detail::RankSet set{nccl::detail::number_of(first), nccl::detail::number_of(second)};
    std::array<Made*, 2> mine{};
    std::vector<std::uint64_t> generations;
    for (std::size_t rank = 0; rank < 2; ++rank) {
      mine[rank] = &kept_[rank].of(set);
      generations.push_back(mine[rank]->generation);
    }
    const bool found = nccl::detail::belong_together(generations);
    for (Made* each : mine) {
      if (found) {
        EXPECT_EQ(each->devices, first + second);
      } else {
        *each = {*std::max_element(generations.begin(), generations.end()) + 1, first + second};
      }
    }
    return found;
  }
  void lose(std::size_t rank, const std::string& first, const std::string& second) {
    kept_[rank].of({nccl::detail::number_of(first), nccl::detail::number_of(second)}) = {};
  }

 private:
  struct Made {
    std::uint64_t generation = 0;
    std::string devices;
  };
  std::array<nccl::detail::KeptByRankSet<Made>, 2> kept_;
};

TEST(RankSets, AreNeverThoseOfOtherPairs) {
  RanksThatKeep ranks;
  EXPECT_FALSE(ranks.find("0", "1"));
  EXPECT_FALSE(ranks.find("2", "0"));
  EXPECT_FALSE(
      ranks.find("2", "1"));  // each rank has one with its own device, and they are of different pairs
  EXPECT_TRUE(ranks.find("0", "1"));
  EXPECT_FALSE(ranks.find("1", "0"));
}

TEST(RankSets, AreFoundAgainInAnyOrderOfVisits) {
  std::mt19937_64 random(7);
  RanksThatKeep ranks;
  std::set<std::pair<int, int>> made;
  for (int visit = 0; visit < 400; ++visit) {
    const int first = static_cast<int>(random() % 4),
              second = static_cast<int>(random() % 4);  // 16 sets are kept
    if (first == second) continue;
    EXPECT_EQ(ranks.find(std::to_string(first), std::to_string(second)),
              !made.insert({first, second}).second);
  }
}

TEST(RankSets, OfWhichOneRankLostItsShareAreMadeAnew) {
  RanksThatKeep ranks;
  ranks.find("0", "1");
  ranks.lose(1, "0", "1");
  EXPECT_FALSE(ranks.find("0", "1"));
  EXPECT_TRUE(ranks.find("0", "1"));
}

}  // namespace
}  // namespace assay::plugins::collective
