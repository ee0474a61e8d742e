// SPDX-License-Identifier: Apache-2.0
#include "train_step/device_layout.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::train_step {
namespace {

using model::Prefetch;

model::Model model_named(const std::string& name) {
  model::Sizes sizes;
  sizes.layers = 5;
  if (name == "llama") sizes.kind = model::Layers::llama, sizes.kv_heads = 2;
  if (name == "gpt") sizes.word_scores = true;
  if (name == "mlp") sizes.kind = model::Layers::mlp, sizes.width = 96, sizes.words = 41;
  return model::make_model(name, sizes, name == "mlp" ? 1 : 32);
}

DeviceStepOptions sharded(std::uint32_t ranks, Prefetch prefetch, std::size_t gathers, bool reshard = true) {
  DeviceStepOptions options;
  options.averages = true;
  options.of_step.ranks = ranks;
  options.of_step.shards.sharding = Sharding::parameters;
  options.of_step.shards.prefetch = prefetch;
  options.of_step.shards.gathered_at_once = gathers;
  options.of_step.shards.reshard_after_forward = reshard;
  return options;
}

DeviceStepOptions in_buckets(std::uint32_t ranks, Sharding sharding) {
  DeviceStepOptions options = sharded(ranks, Prefetch::none, 1);
  options.of_step.shards.sharding = sharding;
  options.of_step.shards.first_bucket = 20'000;
  options.of_step.shards.bucket = 200'000;
  return options;
}

struct Way {
  std::string model;
  DeviceStepOptions options;
};

// Of strategies whose passes take parameters as they lie on the rank.
std::vector<Way> ways_of_buckets() {
  std::vector<Way> all;
  for (const char* model : {"bert", "gpt", "llama", "mlp"}) {
    for (const std::uint32_t ranks : {2U, 3U, 8U}) {
      for (const Sharding sharding : {Sharding::state, Sharding::gradients})
        all.push_back({model, in_buckets(ranks, sharding)});
    }
  }
  return all;
}

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const char* model : {"bert", "gpt", "llama", "mlp"}) {
    for (const std::uint32_t ranks : {2U, 3U, 8U}) {
      all.push_back({model, sharded(ranks, Prefetch::none, 1)});
      all.push_back({model, sharded(ranks, Prefetch::both, 3)});
      all.push_back({model, sharded(ranks, Prefetch::forward, 2, false)});
    }
  }
  return all;
}

std::vector<Way> all_ways() {
  std::vector<Way> all = ways();
  for (Way& way : ways_of_buckets()) all.push_back(std::move(way));
  return all;
}

TEST(DeviceLayout, GivesRanksEqualSharesOfEachUnit) {
  for (const Way& way : all_ways()) {
    const DeviceLayout layout(model_named(way.model), way.options);
    const std::uint32_t ranks = way.options.of_step.ranks;
    const Sharding sharding = way.options.of_step.shards.sharding;
    EXPECT_EQ(layout.state() * ranks, layout.places.size());
    EXPECT_EQ(layout.gradients() * (sharding == Sharding::state ? 1 : ranks), layout.places.size());
    EXPECT_EQ(layout.parameters() * (sharding == Sharding::parameters ? ranks : 1), layout.places.size());
    EXPECT_GT(layout.shards->layout.units.size(), 1U);
    std::size_t end = 0;
    for (std::size_t unit = 0; unit < layout.shards->layout.units.size(); ++unit) {
      const model::ShardUnit& of = layout.shards->layout.units[unit];
      EXPECT_EQ(of.offset, end);
      end += of.size;
      EXPECT_EQ(layout.share(unit) * ranks, of.size);
      EXPECT_EQ(layout.share(unit) % model::TensorPlaces::kGrain, 0U);
    }
    EXPECT_EQ(end, layout.places.size());
  }
}

// A unit is moved as a whole, so that its tensors lie in a buffer as they lie among all parameters.
TEST(DeviceLayout, KeepsUnitsTogetherInEveryBuffer) {
  for (const Way& way : all_ways()) {
    const DeviceLayout layout(model_named(way.model), way.options);
    for (const model::ShardUnit& unit : layout.shards->layout.units) {
      for (const auto* places :
           {&layout.network.forward, &layout.network.backward, &layout.network.gradients}) {
        const std::size_t begin = places->offset(unit.first_tensor);
        for (std::size_t t = unit.first_tensor; t < unit.end_tensor; ++t)
          EXPECT_EQ(places->offset(t) - begin, layout.places.offset(t) - unit.offset);
        EXPECT_LE(begin + unit.size, places->size());
      }
    }
  }
}

TEST(DeviceLayout, PutsUnitsThatAreThereAtOnceApart) {
  for (const Way& way : ways()) {
    const DeviceLayout layout(model_named(way.model), way.options);
    const auto& units = layout.shards->layout.units;
    const auto apart = [&](const model::TensorPlaces& places, std::size_t a, std::size_t b) {
      const std::size_t at_a = places.offset(units[a].first_tensor),
                        at_b = places.offset(units[b].first_tensor);
      return at_a + units[a].size <= at_b || at_b + units[b].size <= at_a;
    };
    const std::size_t at_once = way.options.of_step.shards.gathered_at_once;
    for (std::size_t a = 0; a < units.size(); ++a) {
      for (std::size_t b = a + 1; b < units.size(); ++b) {
        if (b - a < at_once || !way.options.of_step.shards.reshard_after_forward) {
          EXPECT_TRUE(apart(layout.network.forward, a, b)) << way.model << ": " << a << " and " << b;
          EXPECT_TRUE(apart(layout.network.backward, a, b)) << way.model << ": " << a << " and " << b;
        }
        if (b == a + 1) {
          EXPECT_TRUE(apart(layout.network.gradients, a, b)) << way.model << ": " << a;
        }
      }
    }
  }
}

TEST(DeviceLayout, OfBucketsComputesWhereNumbersLie) {
  for (const Way& way : ways_of_buckets()) {
    const model::Model model = model_named(way.model);
    const DeviceLayout layout(model, way.options);
    const bool whole = way.options.of_step.shards.sharding == Sharding::state;
    for (std::size_t t = 0; t < model.tensors.size(); ++t) {
      EXPECT_EQ(layout.network.forward.offset(t), layout.places.offset(t));
      EXPECT_EQ(layout.network.backward.offset(t), layout.places.offset(t));
      if (whole) {
        EXPECT_EQ(layout.network.gradients.offset(t), layout.places.offset(t));
      }
    }
    EXPECT_EQ(layout.gathered(), 0U);
    EXPECT_EQ(layout.unreduced() == 0, whole);
  }
}

// A gradient that another unit's stage writes would be in a buffer that is being reduced.
TEST(DeviceLayout, OfBucketsKeepsAGradientWithWhoMakesIt) {
  std::size_t made_behind = 0;
  for (const std::uint64_t bucket : {1'000, 20'000, 100'000, 300'000}) {
    for (const char* name : {"bert", "gpt", "llama", "mlp"}) {
      DeviceStepOptions options = in_buckets(2, Sharding::gradients);
      options.of_step.shards.bucket = bucket;
      const model::Model model = model_named(name);
      const DeviceLayout layout(model, options);
      const model::CudaPlan plan = model::make_cuda_plan(model, 4, {});
      for (const model::ShardUnit& unit : layout.shards->layout.units) {
        for (std::size_t i = unit.first_operation; i < unit.end_operation; ++i) {
          if (plan.bias_of[i] == model::kNone) continue;
          ++made_behind;
          EXPECT_GE(static_cast<std::size_t>(plan.bias_of[i]), unit.first_operation) << name << ": " << i;
        }
      }
    }
  }
  EXPECT_GT(made_behind, 0U);
}

// A rank of a step, with whole numbers: gradients of all ranks are reduced to its shares, it updates them, and gathers
// parameters. Numbers lie where the step has them.
class ModelledRank {
 public:
  ModelledRank(const DeviceLayout& layout, std::uint32_t rank, std::uint32_t ranks)
      : layout_(layout),
        rank_(rank),
        ranks_(ranks),
        parameters_(layout.parameters(), kNothing),
        gradients_(layout.gradients(), kNothing) {}

  static std::int64_t parameter(std::size_t i) { return 7 * static_cast<std::int64_t>(i); }
  static std::int64_t gradient(std::size_t i, std::uint32_t rank) {
    return static_cast<std::int64_t>(i % 1000) * (rank + 1);
  }
  static std::int64_t updated(std::size_t i, std::uint32_t ranks) {
    std::int64_t sum = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) sum += gradient(i, rank);
    return parameter(i) - sum;
  }

  void step() {
    const auto& units = layout_.shards->layout.units;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      const std::size_t share = layout_.share(unit), first = units[unit].offset + rank_ * share;
      for (std::size_t i = 0; i < share; ++i) {
        std::int64_t sum = 0;
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) sum += gradient(first + i, rank);
        gradients_[layout_.gradients_of(unit, rank_) + i] = sum;
        parameters_[layout_.parameters_of(unit, rank_) + i] =
            parameter(first + i) - gradients_[layout_.gradients_of(unit, rank_) + i];
      }
    }
  }
  // What an all-gather of every unit leaves, in an array of all numbers.
  static std::vector<std::int64_t> gathered(const std::vector<ModelledRank>& ranks) {
    const DeviceLayout& layout = ranks.front().layout_;
    std::vector<std::int64_t> whole(layout.places.size(), kNothing);
    for (const ModelledRank& from : ranks) {
      for (std::size_t unit = 0; unit < layout.shards->layout.units.size(); ++unit) {
        for (std::size_t i = 0; i < layout.share(unit); ++i)
          whole[layout.in_all(unit, from.rank_) + i] =
              from.parameters_[layout.parameters_of(unit, from.rank_) + i];
      }
    }
    return whole;
  }

 private:
  static constexpr std::int64_t kNothing = INT64_MIN;

  const DeviceLayout& layout_;
  const std::uint32_t rank_, ranks_;
  std::vector<std::int64_t> parameters_, gradients_;
};

TEST(DeviceLayout, OfSharesUpdatesEveryNumberOnce) {
  for (const Way& way : all_ways()) {
    const DeviceLayout layout(model_named(way.model), way.options);
    const std::uint32_t count = way.options.of_step.ranks;
    if (count == 8 && way.model != "mlp") continue;  // arrays of millions
    std::vector<ModelledRank> ranks;
    for (std::uint32_t rank = 0; rank < count; ++rank) ranks.emplace_back(layout, rank, count).step();
    const std::vector<std::int64_t> whole = ModelledRank::gathered(ranks);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < whole.size(); ++i)
      wrong += whole[i] == ModelledRank::updated(i, count) ? 0 : 1;
    EXPECT_EQ(wrong, 0U) << way.model << " on " << count;
  }
}

TEST(DeviceLayout, HasEverythingInItsBytes) {
  for (Way way : all_ways()) {
    for (const auto arithmetic :
         {model::Arithmetic::fp32, model::Arithmetic::bf16, model::Arithmetic::pure_bf16}) {
      way.options.arithmetic = arithmetic;
      const model::Model model = model_named(way.model);
      const DeviceLayout layout(model, way.options);
      const model::CudaPlan plan =
          model::make_cuda_plan(model, way.options.of_step.micro_batch, model::bytes_of(arithmetic));
      std::byte* const begin = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
      const DeviceStepMemory memory(begin, model, way.options, layout, plan);
      const auto* const end =
          reinterpret_cast<const std::byte*>(memory.labels + labels_of(model, way.options.of_step));
      const std::uint64_t total = bytes_of_step(model, way.options).total();
      EXPECT_LE(end, begin + total);
      EXPECT_GT(end + (std::size_t{2} << 20) + 256, begin + total);
    }
  }
}

TEST(DeviceLayout, HasInEachStageOfZeroLessThanBefore) {
  const model::Model model = model::make_model("llama_1b", model::llama_1b(), 128);
  const auto bytes = [&](Sharding sharding) {
    DeviceStepOptions options = sharded(4, Prefetch::none, 1);
    options.arithmetic = model::Arithmetic::bf16;
    options.of_step.shards.sharding = sharding;
    options.of_step.shards.first_bucket = 1 << 20;
    options.of_step.shards.bucket = 25 << 20;
    return bytes_of_step(model, options);
  };
  const StepBytes none = bytes(Sharding::none), state = bytes(Sharding::state),
                  gradients = bytes(Sharding::gradients), all = bytes(Sharding::parameters);
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  EXPECT_NEAR(share(state.state, none.state), 0.25, 0.001);
  EXPECT_NEAR(share(state.gradients, none.gradients), 1, 0.001);
  EXPECT_NEAR(share(state.copy, none.copy), 1, 0.001);
  EXPECT_NEAR(share(gradients.gradients, none.gradients), 0.25, 0.001);
  EXPECT_NEAR(share(gradients.parameters, none.parameters), 1, 0.001);
  EXPECT_NEAR(share(all.parameters, none.parameters), 0.25, 0.001);
  EXPECT_EQ(state.unreduced, 0U);
  EXPECT_GT(none.total(), state.total());
  EXPECT_GT(state.total(), gradients.total());
  EXPECT_GT(gradients.total(), all.total());
}

// In bytes of parameters on each rank, of four.
TEST(DeviceLayout, SendsShardedParametersInTheTypeOfProducts) {
  const model::Model model = model_named("llama");
  const auto sent = [&](Sharding sharding, model::Arithmetic arithmetic, std::size_t accumulation) {
    DeviceStepOptions options = sharded(4, Prefetch::none, 1);
    options.arithmetic = arithmetic;
    options.of_step.shards.sharding = sharding;
    options.of_step.accumulation = accumulation;
    return sent_bytes(model, options) / (0.75 * static_cast<double>(model.parameters()));
  };
  using model::Arithmetic;
  EXPECT_DOUBLE_EQ(sent(Sharding::none, Arithmetic::bf16, 2), 4 + 4);
  EXPECT_DOUBLE_EQ(sent(Sharding::none, Arithmetic::pure_bf16, 2), 2 + 2);
  EXPECT_DOUBLE_EQ(sent(Sharding::state, Arithmetic::bf16, 2), 4 + 4);
  EXPECT_DOUBLE_EQ(sent(Sharding::gradients, Arithmetic::bf16, 3), 3 * 4 + 4);
  EXPECT_DOUBLE_EQ(sent(Sharding::parameters, Arithmetic::fp32, 2), 2 * (4 + 4 + 4));
  EXPECT_DOUBLE_EQ(sent(Sharding::parameters, Arithmetic::bf16, 2), 2 * (2 + 2 + 4));
  EXPECT_DOUBLE_EQ(sent(Sharding::parameters, Arithmetic::pure_bf16, 1), 2 + 2 + 2);
}

TEST(DeviceLayout, OfSharesIsSmallerThanOfTheWhole) {
  const model::Model model = model::make_model("llama_1b", model::llama_1b(), 128);
  DeviceStepOptions whole = sharded(8, Prefetch::both, 2);
  const std::uint64_t shared = bytes_of_step(model, whole).total();
  whole.of_step.shards.sharding = Sharding::none;
  const StepBytes all = bytes_of_step(model, whole);
  EXPECT_LT(shared - all.values, (all.total() - all.values) / 3);
  EXPECT_EQ(all.gathered + all.unreduced, 0U);
}

}  // namespace
}  // namespace assay::plugins::train_step
