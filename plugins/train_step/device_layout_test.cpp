// SPDX-License-Identifier: Apache-2.0
#include "train_step/device_layout.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
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

struct Way {
  std::string model;
  DeviceStepOptions options;
};

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

TEST(DeviceLayout, GivesRanksEqualSharesOfEachUnit) {
  for (const Way& way : ways()) {
    const DeviceLayout layout(model_named(way.model), way.options);
    const std::uint32_t ranks = way.options.of_step.ranks;
    EXPECT_EQ(layout.held() * ranks, layout.places.size());
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
  for (const Way& way : ways()) {
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

TEST(DeviceLayout, HasEverythingInItsBytes) {
  for (Way way : ways()) {
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
