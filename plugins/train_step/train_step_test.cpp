// SPDX-License-Identifier: Apache-2.0
//
// Steps of several ranks, each a process of its own.
#include "lib/model/counts.hpp"
#include "train_step/phase_times.hpp"
#include "train_step/rank_of_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace assay::plugins::train_step {
namespace {

class StepOf : public testing::TestWithParam<std::string> {
 public:
  static Parameters given() {
    const std::string& name = GetParam();
    return name == "mlp" ? small_mlp() : small(name == "llama" ? Block::llama : Block::bert);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, StepOf, testing::Values("bert", "llama", "mlp"),
                         [](const auto& info) { return info.param; });

TEST_P(StepOf, PassesItsOwnCheckAfterOneStepAndAfterMany) {
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adamw}) {
    for (const Without without : {Without::none, Without::compute, Without::optimizer}) {
      Parameters given = StepOf::given();
      given.optimizer = optimizer;
      given.without = without;
      given.accumulation = 2;
      Rank rank(given, 0, 1, nullptr);
      for (const int more : {1, 4, 95}) {
        for (int i = 0; i < more; ++i) rank.step->run();
        const Verification seen = rank.check();
        EXPECT_EQ(seen.wrong(), 0U) << seen.reason();
        EXPECT_GE(seen.checked(), 2U);
      }
    }
  }
}

// Whatever is wrong in what a step leaves, its check says so.
TEST_P(StepOf, FailsItsCheckWhereSomethingIsWrong) {
  const auto wrong_after = [&](const std::function<void(TrainingStep&)>& change,
                               Optimizer optimizer = Optimizer::adamw, Without without = Without::none) {
    Parameters given = StepOf::given();
    given.optimizer = optimizer;
    given.without = without;
    Rank rank(given, 0, 1, nullptr);
    rank.step->run();
    change(*rank.step);
    return rank.check().wrong() > 0;
  };
  const std::size_t count = model_of(given()).parameters();
  EXPECT_FALSE(wrong_after([](TrainingStep&) {}));
  EXPECT_TRUE(wrong_after([&](TrainingStep& step) {
    for (std::size_t i = 0; i < count; ++i) step.memory().gradients[i] *= -1;
  }));
  for (const model::Tensor& tensor : model_of(given()).tensors) {
    EXPECT_TRUE(wrong_after([&](TrainingStep& step) {
      for (std::size_t i = 0; i < tensor.size(); ++i) step.memory().gradients[tensor.offset + i] *= -1;
    })) << tensor.name;
  }
  EXPECT_TRUE(wrong_after([&](TrainingStep& step) { step.destroy_gradients(); }));
  EXPECT_TRUE(wrong_after([&](TrainingStep& step) { step.memory().parameters[count / 2] += 1e-6F; }));
  EXPECT_TRUE(wrong_after([&](TrainingStep& step) { step.memory().first_moments[count / 3] += 1e-3F; }));
  EXPECT_TRUE(wrong_after([&](TrainingStep& step) { step.memory().second_moments[1] = 1; }));
  // The update of a step that was not made, and one that was made though it was left out.
  EXPECT_TRUE(
      wrong_after([](TrainingStep& step) { step.restore(Rank::kSeed); }, Optimizer::sgd, Without::compute));
  EXPECT_TRUE(
      wrong_after([](TrainingStep& step) { step.restore(Rank::kSeed); }, Optimizer::adamw, Without::compute));
  EXPECT_TRUE(wrong_after([](TrainingStep& step) { step.memory().parameters[0] *= 1.0001F; }, Optimizer::sgd,
                          Without::optimizer));
  EXPECT_TRUE(wrong_after([](TrainingStep& step) { step.memory().gradients[3] += 0.5F; }, Optimizer::sgd,
                          Without::compute));
}

TEST_P(StepOf, HasTheSameBitsInLessMemoryWhereLayersAreComputedAgain) {
  Parameters kept = given();
  kept.layers = 4;
  Parameters again = kept;
  again.recompute = true;
  for (const Strategy strategy : {Strategy::single, Strategy::ddp}) {
    kept.strategy = again.strategy = strategy;
    EXPECT_EQ(after_steps(again, 2, 3), after_steps(kept, 2, 3));
  }
  const model::Model model = model_of(kept);
  const StepSizes less = sizes_of(model, step_options_of(again, 0, 1, 1), nullptr);
  const StepSizes more = sizes_of(model, step_options_of(kept, 0, 1, 1), nullptr);
  model::Storage storage;
  const auto whole = static_cast<double>(activation_bytes(model, kept.micro_batch, storage));
  storage.between_layers = true;
  const auto between = static_cast<double>(activation_bytes(model, kept.micro_batch, storage));
  EXPECT_NEAR(static_cast<double>(less.activations) / static_cast<double>(more.activations), between / whole,
              0.05);
  EXPECT_LT(between, whole);
}

TEST_P(StepOf, HasTheSameBitsWhereItsSamplesAreLoaded) {
  for (const Strategy strategy : {Strategy::single, Strategy::ddp}) {
    Parameters ready = given();
    ready.strategy = strategy;
    ready.accumulation = 2;
    for (const std::uint32_t workers : {1U, 3U}) {
      Parameters loaded = ready;
      loaded.loader_workers = workers;
      EXPECT_EQ(after_steps(loaded, 2, 5), after_steps(ready, 2, 5));
    }
  }
}

// It begins with the first micro-batch again, and with samples of another seed.
TEST_P(StepOf, LoadsSamplesAnewWhenItIsRestored) {
  Parameters loaded = given();
  loaded.accumulation = 2;
  loaded.loader_workers = 2;
  Rank rank(loaded, 0, 1, nullptr);
  for (const std::uint64_t seed : {Rank::kSeed, Rank::kSeed + 1}) {
    rank.step->run();
    rank.step->restore(seed);
    rank.step->run();
    const Verification seen = rank.check();
    EXPECT_EQ(seen.wrong(), 0U) << seen.reason();
  }
}

TEST_P(StepOf, AccumulatesToTheLargeBatch) {
  Parameters many = given(), large = given();
  many.micro_batch = 2;
  many.accumulation = 3;
  large.micro_batch = 6;
  Rank a(many, 0, 1, nullptr), b(large, 0, 1, nullptr);
  a.step->run();
  b.step->run();
  EXPECT_NEAR(a.step->loss(), b.step->loss(), 1e-6);
  EXPECT_LT(distance(a.step->memory().gradients, b.step->memory().gradients, a.model.parameters()), 1e-5);
}

// With the same samples in all, ranks end with the gradient and parameters of one that has them all.
TEST_P(StepOf, OfSeveralRanksIsThatOfOneWithAllSamples) {
  for (const bool overlap : {false, true}) {
    for (const std::uint32_t ranks : {2U, 4U}) {
      Parameters shared = given(), alone = given();
      shared.strategy = Strategy::ddp;
      shared.overlap = overlap;
      shared.micro_batch = 1;
      shared.accumulation = 2;
      // The step that sees micro-batches in the order that ranks have them.
      alone.micro_batch = ranks;
      alone.accumulation = 2;
      shared.optimizer = alone.optimizer = Optimizer::sgd;  // Adam divides rounding errors by themselves
      const std::size_t count = model_of(shared).parameters();
      const std::vector<float> many = after_steps(shared, ranks, 5), one = after_steps(alone, 1, 5);
      EXPECT_LT(distance(many.data(), one.data(), count), 1e-5);
      EXPECT_LT(distance(many.data() + count, one.data() + count, count), 1e-6);
      for (std::uint32_t r = 1; r < ranks; ++r) {
        const float* mine = many.data() + 2 * r * count;
        EXPECT_EQ(hash_of(mine, count), hash_of(many.data(), count)) << "gradients of rank " << r;
        EXPECT_EQ(hash_of(mine + count, count), hash_of(many.data() + count, count))
            << "parameters of rank " << r;
      }
    }
  }
}

TEST_P(StepOf, OfRanksThatDoNotShareDiffersFromRankToRank) {
  const std::size_t count = model_of(given()).parameters();
  const std::vector<float> both = after_steps(given(), 2, 1);
  EXPECT_GT(distance(both.data(), both.data() + 2 * count, count), 1e-3);
}

// The mean gradient of many samples is small beside their losses, whose rounding must not hide it.
TEST(StepOfManySamples, IsFoundRightByItsCheck) {
  Parameters rows, tokens, parts;
  rows.model = Choice::mlp;
  rows.width = 8;
  rows.words = 2;
  rows.micro_batch = 65536;
  tokens.width = tokens.words = 8;
  tokens.heads = tokens.sequence = 1;
  tokens.micro_batch = 65536;
  parts = tokens;
  parts.block = Block::llama;
  parts.micro_batch = 1;
  parts.accumulation = 16384;
  for (const Parameters& given : {rows, tokens, parts}) {
    Rank rank(given, 0, 1, nullptr);
    rank.step->run();
    const Verification seen = rank.check();
    EXPECT_EQ(seen.wrong(), 0U) << seen.reason();
  }
}

// Bucket by bucket, on a thread and without: what ranks average is what is to be had exactly.
TEST(Ddp, AveragesToTheClosedForm) {
  for (const bool overlap : {false, true}) {
    for (const std::uint32_t ranks : {2U, 3U, 4U}) {
      Parameters given = small(Block::bert);
      given.strategy = Strategy::ddp;
      given.without = Without::compute;
      given.overlap = overlap;
      const model::Model model = model_of(given);
      const std::vector<float> results = after_steps(given, ranks, 3);
      const StepInputs inputs(model, Rank::kSeed);
      std::size_t wrong = 0, differ = 0;
      for (std::uint32_t r = 0; r < ranks; ++r) {
        for (std::size_t i = 0; i < model.parameters(); ++i) {
          double sum = 0;
          for (std::uint32_t rank = 0; rank < ranks; ++rank)
            sum += static_cast<double>(inputs.gradient(rank, i));
          wrong += results[r * 2 * model.parameters() + i] != static_cast<float>(sum / ranks) ? 1 : 0;
          differ += inputs.gradient(0, i) != inputs.gradient(1, i) ? 1 : 0;
        }
      }
      EXPECT_EQ(wrong, 0U);
      EXPECT_GT(differ, model.parameters() / 2);
    }
  }
}

// Its check, on ranks, where the words of all are gathered in shared memory; rank 1 does something wrong.
TEST(Ddp, IsFoundWrongByItsCheckOnEveryRank) {
  enum Fault { kNone, kNotAveraged, kOtherParameters };
  for (const Fault fault : {kNone, kNotAveraged, kOtherParameters}) {
    Parameters given = small(Block::llama);
    given.strategy = Strategy::ddp;
    const std::size_t count = model_of(given).parameters();
    Shared shared(RankExchange::bytes(2, count)), results(4096);
    WordBoard board(2);
    auto* wrong = results.as<std::uint64_t>();
    const bool well = all_well(in_ranks(2, [&](std::uint32_t r) {
      Rank rank(given, r, 2, shared.data());
      rank.step->run();
      if (r == 1 && fault == kNotAveraged) {
        Parameters own = given;
        own.strategy = Strategy::single;
        Rank other(own, r, 2, nullptr);
        other.step->run();
        std::copy_n(other.step->memory().gradients, count, rank.step->memory().gradients);
      }
      if (r == 1 && fault == kOtherParameters) rank.step->memory().parameters[5] *= 1 + 2e-7F;
      wrong[r] = rank.check(board.gather(r)).wrong();
    }));
    EXPECT_TRUE(well);
    for (std::uint32_t r = 0; r < 2; ++r) EXPECT_EQ(wrong[r] > 0, fault != kNone);
  }
}

TEST(PhaseTimes, AreMeansOfASamplesStepsAndSharesOfAll) {
  PhaseClock clock;
  PhaseTimes times;
  EXPECT_EQ(times.mean(Phase::forward), 0);
  EXPECT_FALSE(times.share(Phase::exposed, Phase::communication));
  for (const std::int64_t slow : {1, 3, 20}) {
    if (slow == 20) times.begin_sample();
    clock.start(1000);
    clock.mark(Phase::forward, 1000 + slow);
    clock.mark(Phase::backward, 1010 + slow);
    clock.mark(Phase::forward, 1013 + slow);
    clock.add(Phase::communication, 10);
    clock.add(Phase::exposed, slow == 20 ? 3 : 0);
    times.add(clock.seconds());
    if (slow == 3) {
      EXPECT_NEAR(times.mean(Phase::forward), 5e-9, 1e-15);
    }
  }
  EXPECT_NEAR(times.mean(Phase::forward), 23e-9, 1e-15) << "of the last sample";
  EXPECT_NEAR(times.mean(Phase::backward), 10e-9, 1e-15);
  EXPECT_NEAR(*times.share(Phase::exposed, Phase::communication), 0.1, 1e-12) << "of all samples";
}

}  // namespace
}  // namespace assay::plugins::train_step
