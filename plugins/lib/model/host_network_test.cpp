// SPDX-License-Identifier: Apache-2.0
#include "lib/model/host_network.hpp"

#include "lib/host_products.hpp"
#include "lib/model/gradient_check.hpp"
#include "lib/model/host_kernels.hpp"
#include "lib/model/host_optimizer.hpp"
#include "lib/model/reference_loss.hpp"

#include <assay/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace assay::plugins::model {
namespace {

Model tiny(const std::string& name) {
  Sizes sizes;
  sizes.layers = 2;
  sizes.width = 16;
  sizes.heads = 4;
  sizes.kv_heads = 4;
  sizes.ffn = 20;
  sizes.words = 19;
  sizes.positions = 12;
  if (name == "mlp") {
    sizes.kind = Layers::mlp;
    return make_model(name, sizes, 1);
  }
  if (name == "llama") {
    sizes.kind = Layers::llama;
    sizes.kv_heads = 2;
  }
  sizes.word_scores = name == "gpt";
  return make_model(name, sizes, 7);
}

// A model with parameters that are not the usual ones: gains, shifts and biases are not ones and zeros, and
// gradients are large.
struct Network {
  explicit Network(const std::string& name, std::size_t batch = 3, std::vector<int> cpus = {},
                   Keep keep = Keep::all)
      : model(tiny(name)),
        samples(batch),
        plan(make_plan(model, samples, Backward::whole, keep)),
        parameters(model.parameters()),
        gradients(model.parameters(), std::numeric_limits<float>::quiet_NaN()),
        activations(plan.activations, std::numeric_limits<float>::quiet_NaN()),
        workspace(plan.workspace, std::numeric_limits<float>::quiet_NaN()),
        scratch(attention_scratch(model)),
        workers(std::move(cpus)),
        network(model, plan,
                {parameters.data(), gradients.data(), activations.data(), workspace.data(), scratch.data()},
                workers) {
    use_product_threads(1);
    const Random random(11);
    for (const Tensor& tensor : model.tensors) {
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i)
        parameters[i] = static_cast<float>((tensor.start == Start::ones ? 1 : 0) + 0.3 * random.uniform(i));
    }
    fill(0);
  }

  // Inputs of samples `first` and after.
  void fill(std::size_t first) {
    const Random random(12);
    const std::size_t rows = samples * model.sequence, from = first * model.sequence;
    tokens.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) tokens[i] = static_cast<std::int32_t>(random.bits(from + i) % 19);
    features.resize(samples * model.operations.front().out);
    for (std::size_t i = 0; i < features.size(); ++i)
      features[i] = static_cast<float>(random.normal(1000 + first * model.operations.front().out + i));
    labels.resize(samples * model.labels());
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = static_cast<std::int32_t>(random.bits(2000 + first * model.labels() + i) % model.classes());
  }

  HostBatch batch() const { return {tokens.data(), features.data(), labels.data()}; }
  ParametersOf exact() const {
    return [this](std::size_t first, std::size_t count, double* out) {
      std::copy_n(parameters.begin() + static_cast<std::ptrdiff_t>(first), count, out);
    };
  }
  double reference() const { return reference_loss(model, samples, batch(), exact()); }

  std::vector<Slope> check() const {
    return slopes(
        model, gradients.data(), exact(),
        [this](const ParametersOf& of) { return reference_loss(model, samples, batch(), of); }, 2, 5);
  }
  bool is_found_right() const {
    for (const Slope& slope : check()) {
      if (!(std::fabs(slope.by_gradient - slope.by_difference) <= kSlopeTolerance)) return false;
    }
    return true;
  }

  Model model;
  std::size_t samples;
  Plan plan;
  std::vector<float> parameters, gradients, activations, workspace, scratch;
  std::vector<std::int32_t> tokens, labels;
  std::vector<float> features;
  HostWorkers workers;
  HostNetwork network;
};

class HostNetworkOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, HostNetworkOf, testing::Values("bert", "gpt", "llama", "mlp"),
                         [](const auto& info) { return info.param; });

TEST_P(HostNetworkOf, HasTheLossOfTheReference) {
  Network net(GetParam());
  const double loss = net.network.forward(net.batch(), 1);
  EXPECT_NEAR(loss, net.reference(), 1e-6 * loss);
}

// Layers are computed again from the same numbers in the same order: not a bit of a gradient differs.
TEST_P(HostNetworkOf, HasTheSameGradientsWhereLayersAreComputedAgain) {
  Network kept(GetParam()), again(GetParam(), 3, {}, Keep::between_layers);
  EXPECT_LT(again.activations.size(), kept.activations.size());
  for (const std::size_t sample : {0U, 3U}) {
    for (Network* net : {&kept, &again}) {
      net->fill(sample);
      net->network.forward(net->batch(), 1);
      net->network.backward(net->batch(), sample == 0, nullptr);
    }
    EXPECT_EQ(kept.gradients, again.gradients);
  }
}

// Every parameter by itself: its gradient is the difference of two losses in double precision.
TEST_P(HostNetworkOf, HasTheGradientOfTheReferenceAtEveryParameter) {
  Network net(GetParam());
  net.network.forward(net.batch(), 1);
  net.network.backward(net.batch(), true, nullptr);
  constexpr double kStep = 1e-5;
  for (const Tensor& tensor : net.model.tensors) {
    double error = 0, norm = 0;
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
      const auto at = [&](double change) {
        return reference_loss(net.model, net.samples, net.batch(),
                              [&](std::size_t first, std::size_t count, double* out) {
                                net.exact()(first, count, out);
                                if (i >= first && i < first + count) out[i - first] += change;
                              });
      };
      const double expected = (at(kStep) - at(-kStep)) / (2 * kStep);
      const double difference = static_cast<double>(net.gradients[i]) - expected;
      error += difference * difference;
      norm += expected * expected;
    }
    EXPECT_LE(std::sqrt(error), 1e-5 * std::sqrt(norm) + 1e-7) << tensor.name;
    EXPECT_GT(std::sqrt(norm), 1e-6) << tensor.name << " has no gradient to speak of";
  }
}

TEST_P(HostNetworkOf, AddsUpMicroBatchesToTheLargeBatch) {
  Network large(GetParam(), 4), small(GetParam(), 2);
  large.network.forward(large.batch(), 1);
  large.network.backward(large.batch(), true, nullptr);
  for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {
    small.fill(first);
    small.network.forward(small.batch(), 0.5);
    small.network.backward(small.batch(), first == 0, nullptr);
  }
  for (const Tensor& tensor : large.model.tensors) {
    double error = 0, norm = 0;
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
      const double a = static_cast<double>(large.gradients[i]), b = static_cast<double>(small.gradients[i]);
      error += (a - b) * (a - b);
      norm += a * a;
    }
    EXPECT_LE(std::sqrt(error), 1e-5 * std::sqrt(norm) + 1e-8) << tensor.name;
  }
}

TEST_P(HostNetworkOf, SaysInOrderWhichGradientsAreThere) {
  Network net(GetParam());
  net.network.forward(net.batch(), 1);
  int above = static_cast<int>(net.model.tensors.size());
  net.network.backward(net.batch(), true, [&](int lowest) {
    EXPECT_LT(lowest, above);
    for (int i = lowest; i < above; ++i) {
      const Tensor& tensor = net.model.tensors[static_cast<std::size_t>(i)];
      for (std::size_t at = tensor.offset; at < tensor.offset + tensor.size(); ++at)
        ASSERT_TRUE(std::isfinite(net.gradients[at])) << tensor.name;
    }
    above = lowest;
  });
  EXPECT_EQ(above, 0);
}

TEST_P(HostNetworkOf, HasTheSameBitsWithSeveralThreads) {
  Network one(GetParam()), two(GetParam(), 3, {allowed_cpus().front(), allowed_cpus().back()});
  EXPECT_EQ(two.workers.size(), 2);
  EXPECT_EQ(one.network.forward(one.batch(), 1), two.network.forward(two.batch(), 1));
  one.network.backward(one.batch(), true, nullptr);
  two.network.backward(two.batch(), true, nullptr);
  EXPECT_EQ(one.gradients, two.gradients);
}

TEST_P(HostNetworkOf, IsFoundRightByTheCheckOfGradients) {
  Network net(GetParam());
  net.network.forward(net.batch(), 1);
  net.network.backward(net.batch(), true, nullptr);
  for (const Slope& slope : net.check()) {
    EXPECT_NEAR(slope.by_gradient, slope.by_difference, 1e-4);
    EXPECT_GT(std::fabs(slope.by_difference), 1e-3) << "a direction that says nothing";
  }
}

// A wrong sign, half too much, a row of nothing and what is not a number, in each tensor by itself.
TEST_P(HostNetworkOf, IsFoundWrongWhereOneTensorIs) {
  Network net(GetParam());
  net.network.forward(net.batch(), 1);
  net.network.backward(net.batch(), true, nullptr);
  const std::vector<float> right = net.gradients;
  for (const Tensor& tensor : net.model.tensors) {
    const auto with = [&](const auto& change) {
      net.gradients = right;
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i) change(net.gradients[i]);
      return net.is_found_right();
    };
    EXPECT_TRUE(with([](float&) {}));
    EXPECT_FALSE(with([](float& g) { g = -g; })) << tensor.name;
    EXPECT_FALSE(with([](float& g) { g *= 1.5F; })) << tensor.name;
    EXPECT_FALSE(with([](float& g) { g = 0; })) << tensor.name;
    EXPECT_FALSE(with([](float& g) { g = std::numeric_limits<float>::quiet_NaN(); })) << tensor.name;
  }
}

TEST(HostKernels, AreCloseToTheFunctionsOfTheLibrary) {
  std::vector<float> x, y, slope;
  for (int i = -20000; i <= 20000; ++i) x.push_back(static_cast<float>(i) * 5e-4F);
  y.resize(x.size());
  slope.assign(x.size(), 1);
  host::gelu({0, x.size()}, x.data(), y.data());
  host::gelu_backward({0, x.size()}, x.data(), slope.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double of = static_cast<double>(x[i]);
    const double below = 0.5 * std::erfc(-of / std::sqrt(2.0));
    const double density = std::exp(-of * of / 2) / std::sqrt(2 * 3.14159265358979323846);
    ASSERT_NEAR(y[i], of * below, 4e-7 * (1 + std::fabs(of))) << of;
    ASSERT_NEAR(slope[i], below + of * density, 1e-6) << of;
  }
  std::vector<float> scores = {-90, -1e30F, 3, 2.5F};
  host::softmax({0, 1}, 4, false, scores.data());
  EXPECT_NEAR(scores[2], 1 / (1 + std::exp(-0.5)), 2e-7);
  EXPECT_NEAR(scores[3], std::exp(-0.5) / (1 + std::exp(-0.5)), 2e-7);
  EXPECT_LT(scores[0] + scores[1], 1e-30F);
}

TEST(Optimizers, DoWhatTheirFormulasSay) {
  const Random random(3);
  const std::size_t count = 100;
  std::vector<float> w(count), m(count), v(count);
  std::vector<double> exact_w(count), exact_m(count), exact_v(count);
  for (std::size_t i = 0; i < count; ++i)
    exact_w[i] = static_cast<double>(w[i] = static_cast<float>(random.uniform(i)));
  AdamW adam;
  adam.rate = 1e-2F;
  for (std::uint64_t step = 1; step <= 5; ++step) {
    std::vector<float> g(count);
    const std::vector<float> before = w;
    for (std::size_t i = 0; i < count; ++i) g[i] = static_cast<float>(random.normal(step * 1000 + i));
    adam.update(0, count, step, g.data(), w.data(), m.data(), v.data());
    for (std::size_t i = 0; i < count; ++i) {
      const double of = static_cast<double>(g[i]), b1 = static_cast<double>(0.9F),
                   b2 = static_cast<double>(0.999F);
      exact_m[i] = b1 * exact_m[i] + (1 - b1) * of;
      exact_v[i] = b2 * exact_v[i] + (1 - b2) * of * of;
      const double t = static_cast<double>(step);
      exact_w[i] -= 1e-2 * 0.01 * exact_w[i];
      exact_w[i] -= 1e-2 * (exact_m[i] / (1 - std::pow(b1, t))) /
                    (std::sqrt(exact_v[i] / (1 - std::pow(b2, t))) + 1e-8);
      EXPECT_NEAR(w[i], exact_w[i], 1e-6);
      EXPECT_NEAR(adam.exact(step).before(static_cast<double>(w[i]), static_cast<double>(m[i]),
                                          static_cast<double>(v[i])),
                  static_cast<double>(before[i]), 1e-6);
    }
  }
  Sgd sgd;
  const float g = 2;
  float one = 1;
  sgd.update(0, 1, &g, &one);
  EXPECT_NEAR(one, 0.998, 1e-7);
  EXPECT_NEAR(sgd.before(static_cast<double>(one), 2), 1, 1e-7);
}

}  // namespace
}  // namespace assay::plugins::model
