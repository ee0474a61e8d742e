// SPDX-License-Identifier: Apache-2.0
//
// Steps of ranks that hold shares, beside those of ranks that hold everything.
#include "train_step/rank_of_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {
namespace {

using model::Prefetch;

struct Way {
  std::string name;
  Strategy strategy;
  Prefetch prefetch = Prefetch::none;
  std::uint32_t gathers = 0;
  bool reshard = true, overlap = true;
};

Parameters with(const Way& way, Parameters given) {
  given.strategy = way.strategy;
  given.prefetch = way.prefetch;
  given.gathers = way.gathers;
  given.reshard = way.reshard;
  given.overlap = way.overlap;
  return given;
}

class ShardedStepOf : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, ShardedStepOf,
                         testing::Values(Way{"zero1", Strategy::zero1},
                                         Way{"zero1_after", Strategy::zero1, Prefetch::none, 0, true, false},
                                         Way{"zero2", Strategy::zero2},
                                         Way{"zero2_after", Strategy::zero2, Prefetch::none, 0, true, false},
                                         Way{"zero3", Strategy::zero3},
                                         Way{"zero3_after", Strategy::zero3, Prefetch::none, 0, true, false},
                                         Way{"zero3_forward", Strategy::zero3, Prefetch::forward},
                                         Way{"fsdp_backward", Strategy::fsdp, Prefetch::backward},
                                         Way{"fsdp_both_3", Strategy::fsdp, Prefetch::both, 3},
                                         Way{"fsdp_kept", Strategy::fsdp, Prefetch::none, 0, false},
                                         Way{"fsdp_kept_forward", Strategy::fsdp, Prefetch::forward, 2,
                                             false}),
                         [](const auto& info) { return info.param.name; });

// The sum of every element is made in the same order, so that not a bit differs.
TEST_P(ShardedStepOf, HasTheBitsOfRanksThatHoldEverything) {
  for (const Parameters& whole : {small(Block::bert), small(Block::llama), small_mlp()}) {
    for (const std::uint32_t ranks : {2U, 3U}) {
      Parameters replicated = whole;
      replicated.strategy = Strategy::ddp;
      EXPECT_EQ(after_steps(with(GetParam(), whole), ranks, 4), after_steps(replicated, ranks, 4));
    }
  }
}

// Layers are computed again from the parameters that the backward stage gathered.
TEST_P(ShardedStepOf, HasTheSameBitsWhereLayersAreComputedAgain) {
  for (const Parameters& given : {small(Block::gpt), small(Block::llama), small_mlp()}) {
    const Parameters kept = with(GetParam(), given);
    Parameters again = kept;
    again.recompute = true;
    EXPECT_EQ(after_steps(again, 2, 3), after_steps(kept, 2, 3));
  }
}

TEST_P(ShardedStepOf, AccumulatesToTheLargeBatch) {
  Parameters many = with(GetParam(), small(Block::llama)), large = many;
  many.micro_batch = 1;
  many.accumulation = 3;
  large.micro_batch = 3;
  many.optimizer = large.optimizer = Optimizer::sgd;
  const std::size_t count = model_of(many).parameters();
  const std::vector<float> a = after_steps(many, 2, 1), b = after_steps(large, 2, 1);
  EXPECT_LT(distance(a.data(), b.data(), count), 1e-5);
  EXPECT_LT(distance(a.data() + count, b.data() + count, count), 1e-6);
}

// Rank by rank, with whatever it was that the case left out.
TEST_P(ShardedStepOf, PassesItsOwnCheckOnEveryRank) {
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adamw}) {
    for (const Without without : {Without::none, Without::compute, Without::optimizer}) {
      Parameters given = with(GetParam(), small(Block::bert));
      given.optimizer = optimizer;
      given.without = without;
      given.accumulation = 2;
      constexpr std::uint32_t kRanks = 3;
      Shared shared(RankExchange::bytes(kRanks, model_of(given).parameters())), results(4096);
      WordBoard board(kRanks);
      auto* seen = results.as<std::uint64_t>();
      EXPECT_TRUE(all_well(in_ranks(kRanks, [&](std::uint32_t r) {
        Rank rank(given, r, kRanks, shared.data());
        const StepCheck::Gather gather = board.gather(r);
        for (const int more : {1, 1, 5}) {
          for (int i = 0; i < more; ++i) rank.step->run();
          const Verification found = rank.check(gather);
          seen[2 * r] += found.wrong();
          seen[2 * r + 1] += found.checked();
        }
      })));
      for (std::uint32_t r = 0; r < kRanks; ++r) {
        EXPECT_EQ(seen[2 * r], 0U) << "rank " << r;
        EXPECT_GT(seen[2 * r + 1], 6U);
      }
    }
  }
}

// One rank does something wrong to a share of its own, and every rank's check says so.
TEST_P(ShardedStepOf, IsFoundWrongByItsCheckOnEveryRank) {
  const std::vector<std::function<void(TrainingStep&)>> faults = {
      [](TrainingStep&) {},
      [](TrainingStep& step) { step.destroy_gradients(); },
      [](TrainingStep& step) {
        for (std::size_t i = 0; i < 2000; ++i) step.memory().gradients[i] *= -1;
      },
      [](TrainingStep& step) { step.memory().second_moments[1] = 1; },
  };
  for (std::size_t fault = 0; fault < faults.size(); ++fault) {
    const Parameters given = with(GetParam(), small(Block::llama));
    Shared shared(RankExchange::bytes(2, model_of(given).parameters())), results(4096);
    WordBoard board(2);
    auto* wrong = results.as<std::uint64_t>();
    EXPECT_TRUE(all_well(in_ranks(2, [&](std::uint32_t r) {
      Rank rank(given, r, 2, shared.data());
      rank.step->run();
      if (r == 0) faults[fault](*rank.step);
      wrong[r] = rank.check(board.gather(r)).wrong();
    })));
    for (std::uint32_t r = 0; r < 2; ++r) EXPECT_EQ(wrong[r] > 0, fault != 0) << "fault " << fault;
  }
}

// A rank that dies between two passes leaves others that wait for it; the host's cancelling ends them.
TEST_P(ShardedStepOf, EndsWhenItIsCancelledWhileAnotherRankIsGone) {
  const Parameters given = with(GetParam(), small(Block::bert));
  const std::size_t count = model_of(given).parameters();
  Shared shared(RankExchange::bytes(2, count)), gone(sizeof(std::atomic<int>));
  auto* flag = new (gone.data()) std::atomic<int>(0);
  const std::vector<int> statuses = in_ranks(2, [&](std::uint32_t r) {
    Rank rank(given, r, 2, shared.data(), [&] { return flag->load() != 0; });
    rank.step->run();
    if (r == 1) {
      flag->store(1);
      ::raise(SIGKILL);
    }
    try {
      rank.step->run();
    } catch (const Cancelled&) {
      ::_exit(7);
    }
  });
  EXPECT_TRUE(WIFSIGNALED(statuses[1]));
  EXPECT_EQ(WEXITSTATUS(statuses[0]), 7);
}

TEST(ShardSizes, AreThoseOfTheFormulas) {
  const auto sizes = [](Strategy strategy, bool reshard, std::uint32_t gathers) {
    Parameters given = small(Block::llama);
    given.strategy = strategy;
    given.reshard = reshard;
    given.gathers = gathers;
    given.prefetch = gathers > 1 ? Prefetch::forward : Prefetch::none;
    const model::Model model = model_of(given);
    const StepOptions options = step_options_of(given, 0, 4, 1);
    const ShardPlan plan = make_shard_plan(model, options.shards, 4);
    return std::pair(sizes_of(model, options, &plan), plan);
  };
  const std::size_t all = model_of(small(Block::llama)).parameters();
  const auto is_share = [&](std::size_t size, const ShardPlan& plan) {
    // Lines of the cache are not divided: at most one of them more for each unit.
    return size * 4 >= all && size * 4 <= all + plan.layout.units.size() * 4 * 16;
  };
  const auto [zero1, plan1] = sizes(Strategy::zero1, true, 0);
  EXPECT_EQ(zero1.parameters, all);
  EXPECT_EQ(zero1.gradients, all);
  EXPECT_TRUE(is_share(zero1.state, plan1));
  EXPECT_EQ(zero1.gathered + zero1.unreduced, 0U);
  const auto [zero2, plan2] = sizes(Strategy::zero2, true, 0);
  EXPECT_EQ(zero2.parameters, all);
  EXPECT_TRUE(is_share(zero2.gradients, plan2));
  EXPECT_LE(zero2.unreduced, 2 * plan2.largest_unit());
  const auto [zero3, plan3] = sizes(Strategy::zero3, true, 0);
  EXPECT_TRUE(is_share(zero3.parameters, plan3));
  EXPECT_TRUE(is_share(zero3.gradients, plan3));
  EXPECT_EQ(zero3.gathered, plan3.largest_unit());
  EXPECT_EQ(sizes(Strategy::fsdp, false, 0).first.gathered, all);
  EXPECT_GT(sizes(Strategy::fsdp, true, 2).first.gathered, zero3.gathered);
}

TEST(SentElements, AreThoseOfTheFormulas) {
  Parameters given = small(Block::bert);
  const model::Model model = model_of(given);
  const auto all = static_cast<double>(model.parameters());
  const auto sent = [&](Strategy strategy, bool reshard, std::size_t accumulation) {
    given.strategy = strategy;
    given.reshard = reshard;
    const StepOptions options = step_options_of(given, 0, 4, 1);
    return sent_elements(make_shard_plan(model, options.shards, 4), options.shards.sharding, accumulation) /
           all;
  };
  EXPECT_DOUBLE_EQ(sent(Strategy::zero1, true, 1), 2 * 0.75);
  EXPECT_DOUBLE_EQ(sent(Strategy::zero2, true, 1), 2 * 0.75);
  EXPECT_DOUBLE_EQ(sent(Strategy::zero3, true, 1), 3 * 0.75);
  EXPECT_DOUBLE_EQ(sent(Strategy::fsdp, false, 1), 2 * 0.75);
  EXPECT_DOUBLE_EQ(sent(Strategy::zero1, true, 5), 2 * 0.75);
  EXPECT_DOUBLE_EQ(sent(Strategy::zero2, true, 5), 6 * 0.75);
  EXPECT_DOUBLE_EQ(sent(Strategy::zero3, true, 5), 15 * 0.75);
}

}  // namespace
}  // namespace assay::plugins::train_step
