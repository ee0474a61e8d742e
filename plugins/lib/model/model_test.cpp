// SPDX-License-Identifier: Apache-2.0
#include "lib/model/model.hpp"

#include "lib/model/buckets.hpp"
#include "lib/model/counts.hpp"
#include "lib/model/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::model {
namespace {

// GPT as Megatron counts it: 4·h, biases, words at the end.
Sizes gpt(std::size_t layers, std::size_t width, std::size_t heads, std::size_t words,
          std::size_t positions) {
  Sizes sizes;
  sizes.layers = layers;
  sizes.width = width;
  sizes.heads = sizes.kv_heads = heads;
  sizes.ffn = 4 * width;
  sizes.words = words;
  sizes.positions = positions;
  sizes.types = 0;
  sizes.word_scores = true;
  return sizes;
}

Sizes mlp(std::size_t layers, std::size_t width, std::size_t classes) {
  Sizes sizes;
  sizes.kind = Layers::mlp;
  sizes.layers = layers;
  sizes.width = width;
  sizes.words = classes;
  return sizes;
}

std::size_t parameters_of(const Sizes& sizes, std::size_t sequence = 1) {
  return make_model("", sizes, sequence).parameters();
}

TEST(Model, HasThePublishedNumbersOfParameters) {
  EXPECT_EQ(parameters_of(bert_base()), 109'482'240U);
  EXPECT_EQ(parameters_of(llama_1b()), 953'223'168U);
  EXPECT_EQ(parameters_of(llama_8b_like(32)), 8'030'261'248U);
}

TEST(Model, GrowsByTheParametersOfALayer) {
  const std::size_t h = 192;
  EXPECT_EQ(parameters_of(gpt(5, h, 4, 100, 8)) - parameters_of(gpt(4, h, 4, 100, 8)), 12 * h * h + 13 * h);

  Sizes four = llama_8b_like(4), five = llama_8b_like(5);
  const std::size_t width = four.width, of_kv = width / four.heads * four.kv_heads;
  EXPECT_EQ(parameters_of(five) - parameters_of(four),
            2 * width * width + 2 * width * of_kv + 3 * width * four.ffn + 2 * width);
  EXPECT_EQ(parameters_of(mlp(3, 10, 7)), 3 * (10 * 10 + 10) + 10 * 7 + 7U);
}

TEST(Model, HasTensorsOneBehindTheOther) {
  for (const Sizes& sizes : {bert_base(), llama_8b_like(2), mlp(2, 8, 4)}) {
    const Model model = make_model("", sizes, 1);
    std::size_t end = 0;
    for (const Tensor& tensor : model.tensors) {
      EXPECT_EQ(tensor.offset, end) << tensor.name;
      end += tensor.size();
    }
    EXPECT_EQ(end, model.parameters());
    int tensors = 0;
    for (const Operation& operation : model.operations) {
      EXPECT_EQ(operation.first_tensor, tensors);
      tensors += operation.tensors;
    }
    EXPECT_EQ(static_cast<std::size_t>(tensors), model.tensors.size());
  }
}

TEST(Model, RefusesSizesThatAreNoModel) {
  const auto refused = [](Sizes sizes, std::size_t sequence) {
    EXPECT_THROW(make_model("", sizes, sequence), std::invalid_argument);
  };
  Sizes sizes = bert_base();
  refused(sizes, 513);
  refused(sizes, 0);
  sizes.heads = 11;
  refused(sizes, 8);
  sizes = llama_8b_like(0);
  refused(sizes, 8);
  sizes = llama_8b_like(1);
  sizes.kv_heads = 5;
  refused(sizes, 8);
  sizes = llama_8b_like(1);
  sizes.width = 32 * 3;
  refused(sizes, 8);
  refused(mlp(2, 8, 4), 2);
  refused(mlp(2, 8, 0), 1);
}

// 72·b·s·L·h²·(1 + s/(6h) + V/(12·L·h)): Narayanan et al., SC21, equation 3 without recomputation.
TEST(Counts, AgreeWithMegatronsFormula) {
  const std::size_t layers = 6, h = 256, words = 5000, samples = 3, s = 96;
  const Model model = make_model("", gpt(layers, h, 8, words, s), s);
  const double b = samples, L = layers, width = h, seq = s;
  const double expected =
      72 * b * seq * L * width * width * (1 + seq / (6 * width) + words / (12 * L * width));

  EXPECT_DOUBLE_EQ(model_flops(model, samples), expected);
  const Flops forward = forward_flops(model, samples);
  EXPECT_DOUBLE_EQ(forward.products,
                   24 * b * seq * L * width * width + 2 * b * seq * width * static_cast<double>(words));
  EXPECT_DOUBLE_EQ(forward.attention, 4 * b * seq * seq * width * L);
  EXPECT_DOUBLE_EQ(backward_flops(model, samples).total(), 2 * forward.total());
}

// 6·N + 12·L·H·D·s for each token, N without the embedding (torchtitan's rule; its rows are read, not multiplied).
TEST(Counts, AgreeWithSixTimesTheParametersForLlama) {
  const std::size_t s = 512, samples = 2;
  const Sizes sizes = llama_1b();
  const Model model = make_model("", sizes, s);
  const double gains = static_cast<double>((2 * sizes.layers + 1) * sizes.width);
  const double multiplied = static_cast<double>(model.parameters() - sizes.words * sizes.width) - gains;
  const double a_token = 6 * multiplied + 12.0 * static_cast<double>(sizes.layers * sizes.width * s);

  EXPECT_DOUBLE_EQ(model_flops(model, samples), a_token * static_cast<double>(s * samples));
}

TEST(Counts, LeaveOutTheGradientOfTheInputOfAnMlp) {
  const Model model = make_model("", mlp(2, 32, 10), 1);
  const double first = 2.0 * 4 * 32 * 32;
  EXPECT_DOUBLE_EQ(backward_flops(model, 4).products, 2 * forward_flops(model, 4).products - first);
}

TEST(Counts, NameTheProductsOfALayer) {
  const Model model = make_model("", llama_8b_like(1), 16);
  std::vector<std::vector<std::size_t>> seen;
  for (const Product& product : products(model, 2))
    seen.push_back({product.m, product.n, product.k, product.count});
  const std::vector<std::vector<std::size_t>> expected = {
      {32, 6144, 4096, 1},  {16, 16, 128, 64},    {16, 128, 16, 64},    {32, 4096, 4096, 1},
      {32, 28672, 4096, 1}, {32, 4096, 14336, 1}, {32, 128256, 4096, 1}};
  EXPECT_EQ(seen, expected);
}

// s·b·h·(34 + 5·a·s/h) bytes of a layer in 16 bits (Korthikanti et al., 2022, equation 2).
TEST(Counts, AgreeWithTheActivationsOfALayer) {
  const std::size_t h = 128, heads = 4, s = 48, b = 3;
  const Model one = make_model("", gpt(1, h, heads, 64, s), s),
              two = make_model("", gpt(2, h, heads, 64, s), s);
  Storage storage;
  storage.element_bytes = 2;
  storage.dropout = true;
  storage.statistics = false;
  const auto of_layer = [&] { return activation_bytes(two, b, storage) - activation_bytes(one, b, storage); };

  EXPECT_EQ(of_layer(), s * b * h * 34 + 5 * heads * s * s * b);
  storage.probabilities = false;
  EXPECT_EQ(of_layer(), s * b * h * 34);
  storage.dropout = false;  // two masks of a byte fewer
  EXPECT_EQ(of_layer(), s * b * h * 32);
}

TEST(Counts, HaveSixteenBytesOfStateForEachParameterOfAdamInFp32) {
  const Model model = make_model("", mlp(1, 4, 2), 1);
  EXPECT_EQ(state_bytes(model, 4, 2), 16 * model.parameters());
  EXPECT_EQ(state_bytes(model, 4, 0), 8 * model.parameters());
}

Sizes small(Sizes sizes) {
  sizes.layers = 3;
  sizes.width = 64;
  sizes.heads = 4;
  sizes.kv_heads = sizes.kind == Layers::llama ? 2 : 4;
  sizes.ffn = 96;
  sizes.words = 80;
  return sizes;
}

Sizes kind_of(const std::string& name) {
  if (name == "bert") return small(bert_base());
  if (name == "gpt") return small(gpt(2, 64, 4, 80, 16));
  if (name == "llama") return small(llama_1b());
  return mlp(3, 64, 16);
}

// Of n layers computing them again adds n forward passes of one: Narayanan et al. have 4 passes in place of 3.
TEST(Flops, OfLayersThatAreComputedAgainAreAForwardPassOfThem) {
  const Model model = make_model("", gpt(3, 64, 4, 80, 16), 16);
  const Flops again = recomputed_flops(model, 5);
  double head = 0;
  for (const Product& product : products(model, 5)) {
    if (product.n == 80) head += product.flop();
  }
  EXPECT_GT(head, 0);
  EXPECT_DOUBLE_EQ(again.total(), forward_flops(model, 5).total() - head);
  EXPECT_DOUBLE_EQ(again.attention, forward_flops(model, 5).attention);
}

class PlanOf : public testing::TestWithParam<std::string> {};

// Who writes a gradient, and who reads it last, in the backward pass: no two that live together overlap.
TEST_P(PlanOf, HasNoTwoThingsInOnePlaceAtOnce) {
  const Sizes sizes = kind_of(GetParam());
  const std::size_t sequence = sizes.kind == Layers::mlp ? 1 : 8, samples = 3;
  const Model model = make_model("", sizes, sequence);
  const Plan plan = make_plan(model, samples);
  struct Range {
    std::size_t from, to;
    bool gradient;
    std::size_t begins, ends;
  };
  std::vector<Range> lives;
  const std::vector<bool> is_kept = kept_values(model);
  for (std::size_t i = 0; i + 1 < model.operations.size(); ++i) {
    const Operation& operation = model.operations[i];
    if (operation.kind == Kind::features) continue;
    std::size_t written = 0;
    for (std::size_t later = i + 1; later < model.operations.size(); ++later) {
      if (model.operations[later].input == static_cast<int>(i) ||
          (model.operations[later].kind == Kind::add && model.operations[later].other == static_cast<int>(i)))
        written = later;
    }
    const std::size_t size = model.rows(operation, samples) * operation.out;
    EXPECT_LE(plan.gradient[i].offset + size,
              plan.gradient[i].in_workspace ? plan.workspace : plan.activations);
    EXPECT_LE(plan.value[i].offset + size, plan.value[i].in_workspace ? plan.workspace : plan.activations);
    if (plan.gradient[i].in_workspace)
      lives.push_back({plan.gradient[i].offset, plan.gradient[i].offset + size, true, written, i});
    // A product's value that is not kept lies where the sum or the tanh is.
    if (operation.kind != Kind::linear) {
      EXPECT_EQ(plan.value[i].in_workspace, !is_kept[i]) << i;
    }
  }
  for (const Range& a : lives) {
    for (const Range& b : lives) {
      const bool same_time = a.ends <= b.begins && b.ends <= a.begins;
      const bool same_place = a.from < b.to && b.from < a.to;
      if (!same_time || !same_place) continue;
      EXPECT_EQ(a.from, b.from) << "they are one gradient or they are apart";
    }
  }
}

// Values that the backward pass reads are apart from each other, and are what was counted.
TEST_P(PlanOf, KeepsWhatIsCounted) {
  const Sizes sizes = kind_of(GetParam());
  const std::size_t sequence = sizes.kind == Layers::mlp ? 1 : 16,
                    samples = 4;  // no rest in a line of the cache
  const Model model = make_model("", sizes, sequence);
  const Plan plan = make_plan(model, samples);
  EXPECT_NEAR(static_cast<double>(plan.activations * 4),
              static_cast<double>(activation_bytes(model, samples, Storage{})),
              64.0 * static_cast<double>(2 * model.operations.size()));
  EXPECT_GE(plan.activations * 4, activation_bytes(model, samples, Storage{}));
  std::vector<std::pair<std::size_t, std::size_t>> kept;
  const std::vector<bool> is_kept = kept_values(model);
  for (std::size_t i = 0; i + 1 < model.operations.size(); ++i) {
    if (!is_kept[i] || model.operations[i].kind == Kind::features) continue;
    const std::size_t size = model.rows(model.operations[i], samples) * model.operations[i].out;
    kept.emplace_back(plan.value[i].offset, plan.value[i].offset + size);
  }
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_GE(kept[i].first, kept[i - 1].second);
}

// The same where layers are computed again: what each hands on lies alone, all else of a layer beside nothing of it.
TEST_P(PlanOf, KeepsBetweenLayersWhatIsCounted) {
  const Sizes sizes = kind_of(GetParam());
  const std::size_t sequence = sizes.kind == Layers::mlp ? 1 : 16, samples = 4;
  const Model model = make_model("", sizes, sequence);
  const Plan whole = make_plan(model, samples),
             plan = make_plan(model, samples, Backward::whole, Keep::between_layers);
  Storage storage;
  storage.between_layers = true;
  EXPECT_NEAR(static_cast<double>(plan.activations * 4),
              static_cast<double>(activation_bytes(model, samples, storage)),
              64.0 * static_cast<double>(2 * model.operations.size()));
  EXPECT_GE(plan.activations * 4, activation_bytes(model, samples, storage));
  EXPECT_LT(plan.activations, whole.activations);
  EXPECT_EQ(plan.workspace, whole.workspace);
  const auto layer_of = [&](std::size_t i) {
    return std::upper_bound(model.layer_begins.begin(), model.layer_begins.end(), i) -
           model.layer_begins.begin();
  };
  const auto outside = static_cast<std::ptrdiff_t>(model.layer_begins.size());
  std::vector<std::size_t> lasting(
      model.operations.size());  // layers as they are, 0 for what is never overwritten
  for (std::size_t i = 0; i + 1 < model.operations.size(); ++i) {
    const bool handed_on = plan.computed_again_from[i] != kNone;
    lasting[i] = layer_of(i) == outside || handed_on ? 0 : static_cast<std::size_t>(layer_of(i));
    EXPECT_EQ(handed_on, layer_of(i) != 0 && layer_of(i) != outside && layer_of(i + 1) != layer_of(i));
    if (handed_on) {
      EXPECT_EQ(plan.computed_again_from[i],
                static_cast<int>(model.layer_begins[static_cast<std::size_t>(layer_of(i)) - 1]));
    }
  }
  for (std::size_t a = 0; a + 1 < model.operations.size(); ++a) {
    for (std::size_t b = a + 1; b + 1 < model.operations.size(); ++b) {
      if (plan.value[a].in_workspace || plan.value[b].in_workspace) continue;
      if (model.operations[a].kind == Kind::features) continue;
      // Values of two layers may share a place; a sum lies where what was added to lies.
      if (lasting[a] != lasting[b] && lasting[a] != 0 && lasting[b] != 0) continue;
      const bool in_place = model.operations[b].input == static_cast<int>(a) &&
                            (model.operations[b].kind == Kind::add || model.operations[b].kind == Kind::tanh);
      if (in_place) continue;
      const auto end = [&](std::size_t i) {
        return plan.value[i].offset + model.rows(model.operations[i], samples) * model.operations[i].out;
      };
      EXPECT_TRUE(end(a) <= plan.value[b].offset || end(b) <= plan.value[a].offset) << a << " and " << b;
    }
  }
  EXPECT_THROW(make_plan(model, samples, Backward::split, Keep::between_layers), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PlanOf, testing::Values("bert", "gpt", "llama", "mlp"),
                         [](const auto& info) { return info.param; });

// The residual stream has one gradient; beside it there is the widest branch, at most three values at once.
TEST(Plan, NeedsLittleForGradients) {
  const Model model = make_model("", gpt(8, 64, 4, 64, 32), 32);
  const std::size_t tokens = 2 * 32, h = 64;
  const Plan plan = make_plan(model, 2);
  EXPECT_LE(plan.workspace, tokens * (h + 4 * h + h));
  EXPECT_EQ(plan.workspace, make_plan(make_model("", gpt(2, 64, 4, 64, 32), 32), 2).workspace);
}

TEST(Buckets, FillFromTheLastTensorAndCloseAtTheirLimit) {
  const Model model = make_model("", mlp(4, 16, 16), 1);  // tensors of 256 and 16 elements
  const std::vector<Bucket> buckets = make_buckets(model, 4, 1024, 2048);
  std::vector<std::size_t> sizes;
  for (const Bucket& bucket : buckets) sizes.push_back(bucket.size);
  // Bias and weight; then 16 + 256 + 16 + 256 reach 2048 bytes, and once more.
  EXPECT_EQ(sizes, (std::vector<std::size_t>{272, 544, 544}));
}

TEST(Buckets, HoldEveryElementOnce) {
  const Model model = make_model("", bert_base(), 1);
  for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{25} << 20, std::uint64_t{1} << 40}) {
    std::size_t end = model.parameters();
    const std::vector<Bucket> buckets =
        make_buckets(model, 4, std::min<std::uint64_t>(limit, 1 << 20), limit);
    for (const Bucket& bucket : buckets) {
      EXPECT_EQ(bucket.offset + bucket.size, end);
      EXPECT_EQ(model.tensors[static_cast<std::size_t>(bucket.lowest_tensor)].offset, bucket.offset);
      end = bucket.offset;
    }
    EXPECT_EQ(end, 0U);
    if (limit == 1) {
      EXPECT_EQ(buckets.size(), model.tensors.size());
    }
  }
}

}  // namespace
}  // namespace assay::plugins::model
