// SPDX-License-Identifier: Apache-2.0
//
// The loss in double precision on the GPU against that on the host, and whether gradients are found right and wrong
// by it.
#include "lib/model/cuda_reference.hpp"

#include "lib/model/cuda_both.hpp"
#include "lib/model/cuda_gradient_check.hpp"
#include "lib/model/reference_loss.hpp"

#include <assay/cuda/stream.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace assay::plugins::model {
namespace {

// What the network computed, compared with the reference.
struct Checked : Both {
  using Both::Both;

  std::vector<Slope> check(cudaStream_t stream) {
    if (!reference)
      reference.emplace(handle, gpu, model, kSamples, device::Workspace{workspace.data(), workspace.bytes()});
    CudaState state;
    state.arithmetic = arithmetic;
    state.parameters = device_parameters.data();
    state.gradients = device_gradients.data();
    return slopes(
        gpu, stream, model, places, state,
        [&](const DeviceParametersOf& of) {
          return reference->loss(stream, {tokens_there.data(), features_wide->data(), labels_there.data()},
                                 of);
        },
        slope_directions(arithmetic), 5);
  }
  bool is_found_right(cudaStream_t stream) {
    return rms_difference(check(stream)) <= slope_tolerance(arithmetic);
  }
  std::optional<CudaReference> reference;
};

class CudaReferenceOf : public OnGpu, public testing::WithParamInterface<Case> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CudaReferenceOf,
                         testing::Combine(testing::Values("tiny_mlp", "tiny_bert", "tiny_gpt", "tiny_grouped",
                                                          "wide_bert", "wide_grouped"),
                                          testing::Values(Arithmetic::fp32, Arithmetic::tf32,
                                                          Arithmetic::bf16, Arithmetic::pure_bf16)),
                         name_of_case);

TEST_P(CudaReferenceOf, HasTheLossOfTheHost) {
  const auto [name, arithmetic] = GetParam();
  Checked both(name, arithmetic);
  const cuda::Stream stream;
  const CudaReference reference(both.handle, both.gpu, both.model, Both::kSamples,
                                {both.workspace.data(), both.workspace.bytes()});
  const double there = reference.loss(
      stream, {both.tokens_there.data(), both.features_wide->data(), both.labels_there.data()},
      [&](cudaStream_t queue, std::size_t t, double* out) {
        const Tensor& tensor = both.model.tensors[t];
        const std::vector<double> values(
            both.parameters.begin() + static_cast<std::ptrdiff_t>(tensor.offset),
            both.parameters.begin() + static_cast<std::ptrdiff_t>(tensor.offset + tensor.size()));
        ASSAY_CUDA_CHECK(cudaMemcpyAsync(out, values.data(), values.size() * sizeof(double),
                                         cudaMemcpyHostToDevice, queue));
        ASSAY_CUDA_CHECK(cudaStreamSynchronize(queue));
      });
  const double here = reference_loss(
      both.model, Both::kSamples, {both.tokens.data(), both.features.data(), both.labels.data()},
      [&](std::size_t first, std::size_t count, double* out) {
        std::copy_n(both.parameters.begin() + static_cast<std::ptrdiff_t>(first), count, out);
      });
  EXPECT_NEAR(there, here, 1e-12 * here);
}

// A wrong sign, half too much and what is not a number, in each tensor of some weight by itself.
TEST_P(CudaReferenceOf, AcceptsRightGradientsAndRefusesWrongOnes) {
  const auto [name, arithmetic] = GetParam();
  Checked both(name, arithmetic);
  const cuda::Stream stream;
  both.step(stream, 1, true);
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  const double off = rms_difference(both.check(stream));
  std::cout << "  off by " << off << std::endl;
  ASSERT_LE(off, slope_tolerance(arithmetic) / 2);
  std::size_t missed = 0;
  for (std::size_t t = 0; t < both.model.tensors.size(); ++t) {
    const Floats right = both.gradient_of(t);
    Floats wrong = right;
    for (float& g : wrong) g = -g;
    both.set_gradient(t, wrong);
    if (both.is_found_right(stream)) {
      ++missed;
      std::cout << "  a wrong sign is not found: " << both.model.tensors[t].name << std::endl;
    }
    wrong[wrong.size() / 2] = std::numeric_limits<float>::quiet_NaN();
    both.set_gradient(t, wrong);
    EXPECT_FALSE(both.is_found_right(stream)) << both.model.tensors[t].name;
    both.set_gradient(t, right);
  }
  // With few bits by chance, along the directions that happened to be drawn.
  EXPECT_LE(missed, arithmetic == Arithmetic::fp32 ? 0 : both.model.tensors.size() / 10);
}

}  // namespace
}  // namespace assay::plugins::model
