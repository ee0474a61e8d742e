// SPDX-License-Identifier: Apache-2.0
//
// A model on the GPU against the same on the host, from the same weights: its loss, and the gradient of every tensor.
#include "lib/model/cuda_both.hpp"

#include <assay/cuda/graph.hpp>
#include <assay/cuda/stream.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

namespace assay::plugins::model {
namespace {

class CudaNetworkOf : public OnGpu, public testing::WithParamInterface<Case> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CudaNetworkOf,
                         testing::Combine(testing::Values("tiny_mlp", "tiny_bert", "tiny_gpt", "tiny_llama",
                                                          "tiny_grouped", "wide_mlp", "wide_bert", "wide_gpt",
                                                          "wide_llama", "wide_grouped", "long_llama",
                                                          "long_grouped", "long_gpt"),
                                          testing::Values(Arithmetic::fp32, Arithmetic::tf32,
                                                          Arithmetic::bf16, Arithmetic::pure_bf16)),
                         name_of_case);

TEST_P(CudaNetworkOf, HasTheLossAndTheGradientsOfTheHost) {
  const auto [name, arithmetic] = GetParam();
  Both both(name, arithmetic);
  const double expected = both.host_step();
  const cuda::Stream stream;
  both.step(stream, 1, true);
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  const double loss = both.loss.copy_back(stream, 0, 1)[0];
  const double limit = limit_of(arithmetic);
  EXPECT_NEAR(loss, expected, (arithmetic == Arithmetic::fp32 ? 3e-6 : limit / 4) * expected);
  const std::vector<double> far = both.distances();
  std::size_t worst = 0;
  std::string wrong;
  for (std::size_t t = 0; t < far.size(); ++t) {
    if (!(far[t] <= far[worst])) worst = t;
    if (!(far[t] <= limit))
      wrong += "\n  " + both.model.tensors[t].name + ": off by " + std::to_string(far[t]);
  }
  EXPECT_EQ(wrong, "") << "gradients are off by more than " << limit << " of themselves";
  std::cout << "  loss " << loss << " (host " << expected << "), worst gradient off by " << far[worst] << ": "
            << both.model.tensors[worst].name << std::endl;
}

// Layers that are computed again give the gradients of what is kept.
void expect_gradients_where_layers_come_again(Both& both) {
  const double expected = both.host_step(), limit = limit_of(both.arithmetic);
  const cuda::Stream stream;
  both.step(stream, 1, true);
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  EXPECT_NEAR(both.loss.copy_back(stream, 0, 1)[0], expected,
              (both.arithmetic == Arithmetic::fp32 ? 3e-6 : limit / 4) * expected);
  const std::vector<double> far = both.distances();
  for (std::size_t t = 0; t < far.size(); ++t) EXPECT_LE(far[t], limit) << both.model.tensors[t].name;
}

TEST_P(CudaNetworkOf, HasTheHostsGradientsWhereLayersComeAgain) {
  const auto [name, arithmetic] = GetParam();
  Both both(name, arithmetic, false, Keep::between_layers);
  expect_gradients_where_layers_come_again(both);
}

// Two halves of a step add up to the whole, and a captured step does what one that is queued does.
TEST_P(CudaNetworkOf, AddsUpAndReplays) {
  const auto [name, arithmetic] = GetParam();
  Both both(name, arithmetic);
  const double expected = both.host_step();
  const cuda::Stream stream;
  both.step(stream, 0.5, true);
  both.step(stream, 0.5, false);
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  const double limit = limit_of(arithmetic);
  EXPECT_NEAR(both.loss.copy_back(stream, 0, 1)[0], expected, limit * expected);
  for (const double far : both.distances()) EXPECT_LE(far, limit);
  const cuda::Graph graph = cuda::Graph::capture(stream, [&] { both.step(stream, 1, true); });
  ASSAY_CUDA_CHECK(cudaMemset(both.device_gradients.data(), 0xFF, both.device_gradients.bytes()));
  ASSAY_CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 2; ++i) graph.launch(stream);
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  for (const double far : both.distances()) EXPECT_LE(far, limit);
}

// cuDNN's attention within a network: gradients as those of the host, also when it is replayed.
class CudaFusedOf : public OnGpu, public testing::WithParamInterface<Case> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CudaFusedOf,
                         testing::Combine(testing::Values("wide_bert", "wide_llama", "wide_grouped",
                                                          "long_llama", "long_gpt"),
                                          testing::Values(Arithmetic::bf16, Arithmetic::pure_bf16)),
                         name_of_case);

TEST_P(CudaFusedOf, HasTheHostsGradientsWhereLayersComeAgain) {
  const auto [name, arithmetic] = GetParam();
  Both both(name, arithmetic, true, Keep::between_layers);
  if (!both.fused) GTEST_SKIP() << both.why;
  expect_gradients_where_layers_come_again(both);
}

TEST_P(CudaFusedOf, HasTheLossAndTheGradientsOfTheHost) {
  const auto [name, arithmetic] = GetParam();
  Both both(name, arithmetic, true);
  if (!both.fused) GTEST_SKIP() << both.why;
  const double expected = both.host_step(), limit = limit_of(arithmetic);
  const cuda::Stream stream;
  both.step(stream, 1, true);
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  EXPECT_NEAR(both.loss.copy_back(stream, 0, 1)[0], expected, limit / 4 * expected);
  const std::vector<double> far = both.distances();
  for (std::size_t t = 0; t < far.size(); ++t) EXPECT_LE(far[t], limit) << both.model.tensors[t].name;
  std::cout << "  cuDNN " << both.fused->version() << ", worst gradient off by "
            << *std::max_element(far.begin(), far.end()) << std::endl;
  const cuda::Graph graph = cuda::Graph::capture(stream, [&] { both.step(stream, 1, true); });
  ASSAY_CUDA_CHECK(cudaMemset(both.device_gradients.data(), 0xFF, both.device_gradients.bytes()));
  ASSAY_CUDA_CHECK(cudaDeviceSynchronize());
  graph.launch(stream);
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  for (const double each : both.distances()) EXPECT_LE(each, limit);
}

}  // namespace
}  // namespace assay::plugins::model
