// SPDX-License-Identifier: Apache-2.0
//
// A model in parts is the model: the same loss and gradients, bit for bit, with the backward pass whole or split.
#include "lib/model/partition.hpp"

#include "lib/host_products.hpp"
#include "lib/model/host_network.hpp"
#include "lib/model/plan.hpp"

#include <assay/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::plugins::model {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kSamples = 2, kMicroBatches = 3;

Model four_layers(const std::string& name) {
  Sizes sizes;
  sizes.layers = 4;
  sizes.width = 16;
  sizes.heads = 4;
  sizes.kv_heads = name == "llama" ? 2 : 4;
  sizes.ffn = 20;
  sizes.words = 19;
  sizes.positions = 12;
  sizes.kind = name == "mlp" ? Layers::mlp : name == "llama" ? Layers::llama : Layers::bert;
  sizes.word_scores = name == "gpt";
  return make_model(name, sizes, name == "mlp" ? 1 : 7);
}

struct Batch {
  explicit Batch(const Model& model, std::uint64_t micro) {
    const Random random(12, micro);
    tokens.resize(kSamples * model.sequence);
    for (std::size_t i = 0; i < tokens.size(); ++i)
      tokens[i] = static_cast<std::int32_t>(random.bits(i) % 19);
    features.resize(kSamples * model.operations.front().out);
    for (std::size_t i = 0; i < features.size(); ++i)
      features[i] = static_cast<float>(random.normal(1000 + i));
    labels.resize(kSamples * model.labels());
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = static_cast<std::int32_t>(random.bits(2000 + i) % model.classes());
  }
  HostBatch view() const { return {tokens.data(), features.data(), labels.data()}; }
  std::vector<std::int32_t> tokens, labels;
  std::vector<float> features;
};

// A model or a part of one, with memory for every micro-batch.
struct Net {
  Net(const Model& of, Backward backward, std::size_t first_parameter)
      : model(of),
        plan(make_plan(model, kSamples, backward)),
        parameters(model.parameters()),
        gradients(model.parameters(), kNothing),
        activations(kMicroBatches, std::vector<float>(plan.activations, kNothing)),
        workspace(kMicroBatches, std::vector<float>(plan.workspace, kNothing)),
        scratch(attention_scratch(model)),
        workers({}),
        network(
            model, plan,
            {parameters.data(), gradients.data(), activations[0].data(), workspace[0].data(), scratch.data()},
            workers) {
    const Random random(11);
    for (const Tensor& tensor : model.tensors)
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i)
        parameters[i] = static_cast<float>((tensor.start == Start::ones ? 1 : 0) +
                                           0.3 * random.uniform(first_parameter + i));
  }

  // Whole backward passes share one workspace; split ones have one for each micro-batch.
  void use(std::size_t micro, bool split) {
    network.use(activations[micro].data(), workspace[split ? micro : 0].data());
  }

  Model model;
  Plan plan;
  std::vector<float> parameters, gradients;
  std::vector<std::vector<float>> activations, workspace;
  std::vector<float> scratch;
  HostWorkers workers;
  HostNetwork network;
};

class PartsOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, PartsOf, testing::Values("bert", "gpt", "llama", "mlp"),
                         [](const auto& info) { return info.param; });

TEST_P(PartsOf, HaveEachParameterOnceAndInOrder) {
  const Model whole = four_layers(GetParam());
  for (const std::vector<std::size_t>& layers :
       {std::vector<std::size_t>{4}, {1, 3}, {2, 1, 1}, {1, 1, 1, 1}}) {
    std::size_t next = 0;
    std::vector<std::string> names;
    for (const Part& part : make_parts(whole, layers)) {
      EXPECT_EQ(part.first_parameter, next);
      next += part.model.parameters();
      for (const Tensor& tensor : part.model.tensors) names.push_back(tensor.name);
    }
    EXPECT_EQ(next, whole.parameters());
    ASSERT_EQ(names.size(), whole.tensors.size());
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], whole.tensors[i].name);
  }
}

// All forward passes, then all backward passes, and weight gradients at the end: other micro-batches lie between the
// passes of each.
TEST_P(PartsOf, HaveTheLossAndGradientsOfTheWhole) {
  use_product_threads(1);
  const Model model = four_layers(GetParam());
  std::vector<Batch> batches;
  for (std::size_t micro = 0; micro < kMicroBatches; ++micro) batches.emplace_back(model, micro);
  Net whole(model, Backward::whole, 0);
  std::vector<double> losses;
  for (std::size_t micro = 0; micro < kMicroBatches; ++micro) {
    losses.push_back(whole.network.forward(batches[micro].view(), 1.0 / kMicroBatches));
    whole.network.backward(batches[micro].view(), micro == 0, nullptr);
  }
  for (const std::vector<std::size_t>& layers :
       {std::vector<std::size_t>{4}, {3, 1}, {1, 2, 1}, {1, 1, 1, 1}}) {
    for (const bool split : {false, true}) {
      std::vector<std::unique_ptr<Net>> nets;
      std::vector<Part> parts = make_parts(model, layers);
      for (const Part& part : parts)
        nets.push_back(std::make_unique<Net>(part.model, split ? Backward::split : Backward::whole,
                                             part.first_parameter));
      std::vector<std::vector<float>> handed(kMicroBatches);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t micro = 0; micro < kMicroBatches; ++micro) {
          nets[i]->use(micro, split);
          if (i > 0) std::copy(handed[micro].begin(), handed[micro].end(), nets[i]->network.received());
          nets[i]->network.forward_values(batches[micro].view());
          const float* result = nets[i]->network.result();
          handed[micro].assign(result, result + handed_over(parts[i], kSamples));
        }
      }
      for (std::size_t i = parts.size(); i-- > 0;) {
        for (std::size_t micro = 0; micro < kMicroBatches; ++micro) {
          nets[i]->use(micro, split);
          if (i + 1 == parts.size()) {
            EXPECT_EQ(nets[i]->network.loss(batches[micro].view(), 1.0 / kMicroBatches), losses[micro]);
          } else {
            std::copy(handed[micro].begin(), handed[micro].end(), nets[i]->network.given_gradient());
          }
          if (split) {
            nets[i]->network.backward_values(batches[micro].view());
          } else {
            nets[i]->network.backward(batches[micro].view(), micro == 0, nullptr);
          }
          if (i == 0) continue;
          const float* gradient = nets[i]->network.received_gradient();
          handed[micro].assign(gradient, gradient + handed_over(parts[i - 1], kSamples));
        }
        for (std::size_t micro = 0; micro < kMicroBatches && split; ++micro) {
          nets[i]->use(micro, split);
          nets[i]->network.backward_parameters(batches[micro].view(), micro == 0);
        }
        for (std::size_t at = 0; at < parts[i].model.parameters(); ++at)
          ASSERT_EQ(nets[i]->gradients[at], whole.gradients[parts[i].first_parameter + at])
              << layers.size() << " parts, part " << i << ", split " << split << ", parameter " << at;
      }
    }
  }
}

// With a plan that is not for it, what is still to be read would be gone.
TEST_P(PartsOf, NeedMoreMemoryForASplitBackwardPass) {
  if (GetParam() == "mlp") return;  // it has no residual connections, and its gradients are few
  const Model model = four_layers(GetParam());
  EXPECT_GT(make_plan(model, kSamples, Backward::split).workspace, 2 * make_plan(model, kSamples).workspace);
  EXPECT_EQ(make_plan(model, kSamples, Backward::split).activations, make_plan(model, kSamples).activations);
}

TEST(Splits, AreEvenOrAsTheySay) {
  using Layers = std::vector<std::size_t>;
  EXPECT_EQ(layers_of_parts("even", 12, 4), (Layers{3, 3, 3, 3}));
  EXPECT_EQ(layers_of_parts("even", 8, 3), (Layers{3, 3, 2}));
  EXPECT_EQ(layers_of_parts("6-2-2-2", 12, 4), (Layers{6, 2, 2, 2}));
  EXPECT_EQ(layers_of_parts("5", 5, 1), (Layers{5}));
  const auto refusal = [](const std::string& text, std::size_t layers, std::size_t parts) {
    try {
      layers_of_parts(text, layers, parts);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("2-2-2-2", 12, 4), "'2-2-2-2' adds up to 8 layers, and the model has 12");
  EXPECT_EQ(refusal("6-6", 12, 4), "'6-6' has 2 numbers, and there are 4 parts");
  EXPECT_EQ(refusal("0-12", 12, 2), "'0-12' leaves a part without a layer");
  EXPECT_EQ(refusal("13-1", 12, 2), "'13-1' is more layers than there are: the model has 12");
  EXPECT_EQ(refusal("even", 3, 4), "4 parts need a layer each, and the model has 3");
  for (const char* text : {"", "uneven", "6-", "-6", "6--6", "6 -6", "6,6", "99999999999999999999-1"})
    EXPECT_NE(refusal(text, 12, 2).find("neither 'even' nor numbers"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::plugins::model
