// SPDX-License-Identifier: Apache-2.0
#include "train_step/compression.hpp"

#include "train_step/rank_of_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace assay::plugins::train_step {
namespace {

Parameters compressed(Block block, CompressionKind kind, std::uint32_t rank, bool overlap) {
  Parameters given = small(block);
  given.strategy = Strategy::ddp;
  given.compression = kind;
  given.compression_rank = rank;
  given.overlap = overlap;
  return given;
}

TEST(HalfCompression, AveragesToTheClosedFormInHalves) {
  for (const std::uint32_t ranks : {2U, 3U, 4U}) {
    Parameters given = compressed(Block::bert, CompressionKind::fp16, 0, ranks == 3);
    given.without = Without::compute;
    const model::Model model = model_of(given);
    const std::vector<float> results = after_steps(given, ranks, 3);
    const model::StepInputs inputs(model, Rank::kSeed);
    std::size_t wrong = 0;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      for (std::size_t i = 0; i < model.parameters(); ++i) {
        const float expected = to_float(to_half(inputs.average_gradient(ranks, i)));
        wrong += results[r * 2 * model.parameters() + i] != expected ? 1 : 0;
      }
    }
    EXPECT_EQ(wrong, 0U);
  }
}

TEST(HalfCompression, IsNearTheGradientAndHalfAsLarge) {
  const Parameters given = compressed(Block::llama, CompressionKind::fp16, 0, true);
  Parameters plain = given;
  plain.compression = CompressionKind::none;
  const std::size_t count = model_of(given).parameters();
  EXPECT_LT(distance(after_steps(given, 2, 1).data(), after_steps(plain, 2, 1).data(), count), 1e-2);
  EXPECT_GT(distance(after_steps(given, 2, 1).data(), after_steps(plain, 2, 1).data(), count), 0);
  const model::Model model = model_of(given);
  const HalfCompression compression(model::make_buckets(model, 4, given.first_bucket, given.bucket));
  EXPECT_EQ(compression.bytes(), 2 * count);
}

// Of ranks that share nothing but the exchange: each has other matrices, and ends with the average of all.
struct Averaged {
  double distance = 0, carried = 0;  // of the average that would be exact
  bool same = true;                  // bits on all ranks
};

Averaged average_of_matrices(std::size_t rank, int steps) {
  constexpr std::uint32_t kRanks = 3;
  Parameters given = small(Block::llama);
  const model::Model model = model_of(given);
  const auto buckets = model::make_buckets(model, 4, 256, 4096);
  const std::size_t count = model.parameters();
  Shared shared(RankExchange::bytes(kRanks, count)), results(kRanks * count * sizeof(float)),
      rests(kRanks * count * sizeof(float));
  const auto value = [](std::uint32_t r, std::size_t i) {
    return static_cast<float>((i * 2654435761ULL + r * 40503ULL) % 1000003) / 1000003.0F - 0.5F;
  };
  const bool well = all_well(in_ranks(kRanks, [&](std::uint32_t r) {
    use_product_threads(1);
    RankExchange exchange(shared.data(), r, kRanks, count, true, [] { return false; });
    PowerSgd compression(model, buckets, rank, 0);  // whether or not it makes a matrix smaller
    std::vector<float> memory(compression.floats());
    compression.use(memory.data(), exchange, now_ns);
    compression.restore(4);
    float* gradients = results.as<float>() + r * count;
    for (int step = 0; step < steps; ++step) {
      for (std::size_t i = 0; i < count; ++i) gradients[i] = value(r, i);
      for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) compression.average(bucket, gradients);
    }
    compression.remainder(rests.as<float>() + r * count);
  }));
  EXPECT_TRUE(well);
  std::vector<float> exact(count), carried(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t r = 0; r < kRanks; ++r) exact[i] += value(r, i) / kRanks;
    carried[i] = results.as<float>()[i] + rests.as<float>()[i];
  }
  Averaged seen;
  seen.distance = distance(results.as<float>(), exact.data(), count);
  seen.carried = distance(carried.data(), exact.data(), count);
  for (std::uint32_t r = 1; r < kRanks; ++r) {
    seen.same = seen.same &&
                std::equal(results.as<float>(), results.as<float>() + count, results.as<float>() + r * count);
  }
  return seen;
}

TEST(PowerSgd, AtFullRankReproducesTheGradient) {
  for (const int steps : {1, 3}) {
    const Averaged seen = average_of_matrices(1000, steps);
    EXPECT_LT(seen.distance, 1e-5);
    EXPECT_TRUE(seen.same);
  }
}

TEST(PowerSgd, CarriesOnWhatItLoses) {
  const Averaged seen = average_of_matrices(2, 1);
  EXPECT_GT(seen.distance, 0.3);
  EXPECT_LT(seen.carried, 1e-5) << "what it made and what it carries on are the gradient";
  EXPECT_TRUE(seen.same);
}

TEST(PowerSgd, SendsLessByItsFormula) {
  Parameters given = small(Block::bert);
  given.width = 64;
  given.ffn = 128;
  const model::Model model = model_of(given);
  std::uint64_t sent = 0;
  for (const model::Tensor& tensor : model.tensors) {
    const std::uint64_t low = 2 * (tensor.rows + tensor.columns);
    sent += tensor.rows > 1 && 2 * low <= tensor.size() ? low : tensor.size();
  }
  const PowerSgd compression(model, model::make_buckets(model, 4, 256, 4096), 2);
  EXPECT_EQ(compression.bytes(), 4 * sent);
  EXPECT_LT(sent, model.parameters() / 4);
}

// The check of the first step and of later ones, overlapped and after the backward pass, and of one that is wrong.
TEST(Compression, PassesTheCheckOfItsStepsUnlessSomethingIsWrong) {
  using Fault = std::function<void(TrainingStep&)>;
  const auto wrong_of = [](const Parameters& given, int steps, const Fault& fault) {
    constexpr std::uint32_t kRanks = 2;
    Shared shared(RankExchange::bytes(kRanks, model_of(given).parameters())), results(4096);
    WordBoard board(kRanks);
    auto* wrong = results.as<std::uint64_t>();
    EXPECT_TRUE(all_well(in_ranks(kRanks, [&](std::uint32_t r) {
      Rank rank(given, r, kRanks, shared.data());
      for (int i = 0; i < steps; ++i) rank.step->run();
      if (fault) fault(*rank.step);
      wrong[r] = rank.check(board.gather(r)).wrong();
    })));
    EXPECT_EQ(wrong[0] > 0, wrong[1] > 0);
    return wrong[0];
  };
  for (const CompressionKind kind : {CompressionKind::fp16, CompressionKind::powersgd}) {
    for (const Block block : {Block::bert, Block::llama}) {
      const Parameters given =
          compressed(block, kind, kind == CompressionKind::powersgd ? 2 : 0, block == Block::bert);
      const std::size_t count = model_of(given).parameters();
      for (const int steps : {1, 2, 20}) EXPECT_EQ(wrong_of(given, steps, nullptr), 0U) << steps;
      EXPECT_GT(wrong_of(given, 1,
                         [count](TrainingStep& step) {
                           for (std::size_t i = 0; i < count; ++i) step.memory().gradients[i] *= -1;
                         }),
                0U);
      // What was lost in a later step is orthogonal to what was kept, and no longer if that is spoilt.
      EXPECT_GT(wrong_of(given, 3,
                         [count](TrainingStep& step) {
                           for (std::size_t i = 0; i < count; i += 3) step.memory().gradients[i] *= 1.5F;
                         }),
                0U);
    }
  }
}

}  // namespace
}  // namespace assay::plugins::train_step
