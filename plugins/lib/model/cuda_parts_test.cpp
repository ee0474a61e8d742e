// SPDX-License-Identifier: Apache-2.0
//
// A model in parts on the GPU against the whole on the host: loss and gradients are the same, with other micro-batches
// between the passes of each.
#include "lib/model/cuda_both.hpp"
#include "lib/model/partition.hpp"

#include <assay/cuda/stream.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace assay::plugins::model {
namespace {

// One part with memory for two micro-batches; its parameters and gradients are its own.
struct PartOnGpu {
  PartOnGpu(const Both& both, const Part& of)
      : part(of),
        bytes(both.bytes),
        plan(make_cuda_plan(part.model, Both::kSamples, bytes, false, InFlight::several)),
        places(part.model),
        parameters(both.gpu, places.size() * bytes.parameter),
        copy(both.gpu, places.size() * bytes.compute),
        gradients(both.gpu, places.size() * bytes.parameter),
        kept(both.gpu, 2 * plan.arena_bytes),
        passing(both.gpu, plan.passing_bytes),
        turns(both.gpu, turns_of(part.model)),
        workspace(both.gpu, device::kWorkspaceBytes) {
    for (const auto* buffer : {&parameters, &copy, &gradients, &kept, &passing}) {
      if (buffer->bytes() != 0) ASSAY_CUDA_CHECK(cudaMemset(buffer->data(), 0xFF, buffer->bytes()));
    }
  }

  // Tensors of the whole from `first` on are this part's.
  void take_parameters(const Both& both, std::size_t first) {
    for (std::size_t t = 0; t < part.model.tensors.size(); ++t) {
      const auto take = [&](const auto& to, const auto& from, std::size_t size) {
        ASSAY_CUDA_CHECK(cudaMemcpy(to.data() + places.offset(t) * size,
                                    from.data() + both.places.offset(first + t) * size,
                                    part.model.tensors[t].size() * size, cudaMemcpyDeviceToDevice));
      };
      take(parameters, both.device_parameters, bytes.parameter);
      if (bytes.copies_parameters()) take(copy, both.device_copy, bytes.compute);
    }
    CudaMemory memory;
    memory.parameters = parameters.data();
    memory.compute_parameters = bytes.copies_parameters() ? copy.data() : parameters.data();
    memory.gradients = gradients.data();
    memory.arena = kept.data();
    memory.passing = passing.data();
    memory.turns = turns.data();
    memory.workspace = {workspace.data(), workspace.bytes()};
    ASSAY_CUDA_CHECK(cudaDeviceSynchronize());
    network = make_cuda_network(both.handle, part.model, plan, places, both.arithmetic, memory);
  }
  void give_gradients(const Both& both, std::size_t first) const {
    for (std::size_t t = 0; t < part.model.tensors.size(); ++t)
      ASSAY_CUDA_CHECK(
          cudaMemcpy(both.device_gradients.data() + both.places.offset(first + t) * bytes.parameter,
                     gradients.data() + places.offset(t) * bytes.parameter,
                     part.model.tensors[t].size() * bytes.parameter, cudaMemcpyDeviceToDevice));
  }
  void use(std::size_t micro) { network->use(kept.data() + micro * plan.arena_bytes); }

  const Part part;
  const NumberBytes bytes;
  const CudaPlan plan;
  const TensorPlaces places;
  cuda::DeviceBuffer<std::byte> parameters, copy, gradients, kept, passing;
  cuda::DeviceBuffer<float> turns;
  cuda::DeviceBuffer<std::byte> workspace;
  std::unique_ptr<CudaNetwork> network;
};

class CudaPartsOf : public OnGpu, public testing::WithParamInterface<Case> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CudaPartsOf,
                         testing::Combine(testing::Values("tiny_mlp", "tiny_bert", "tiny_gpt", "tiny_llama",
                                                          "wide_mlp", "wide_bert", "wide_gpt",
                                                          "wide_grouped"),
                                          testing::Values(Arithmetic::fp32, Arithmetic::tf32,
                                                          Arithmetic::bf16, Arithmetic::pure_bf16)),
                         name_of_case);

// Twice the same micro-batch, each with half a share: both go forward before either goes back.
TEST_P(CudaPartsOf, HaveTheLossAndTheGradientsOfTheWhole) {
  const auto [name, arithmetic] = GetParam();
  Both both(name, arithmetic);
  const double expected = both.host_step();
  std::vector<std::unique_ptr<PartOnGpu>> parts;
  std::vector<std::size_t> firsts;
  std::size_t first = 0;
  for (const Part& part : make_parts(both.model, {1, 1})) {
    parts.push_back(std::make_unique<PartOnGpu>(both, part));
    parts.back()->take_parameters(both, first);
    firsts.push_back(first);
    first += part.model.tensors.size();
  }
  const cuda::Stream stream;
  PartOnGpu &front = *parts[0], &behind = *parts[1];
  const std::size_t bytes = result_bytes(front.part.model, front.plan, both.bytes);
  const auto hand = [&, &queue = stream](void* to, const void* from) {
    ASSAY_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, queue));
  };
  for (const std::size_t micro : {0U, 1U}) {
    front.use(micro);
    front.network->forward(stream, both.batch(), 0.5, micro != 0, both.loss.data());
    behind.use(micro);
    hand(behind.network->received(), front.network->result());
    behind.network->forward(stream, both.batch(), 0.5, micro != 0, both.loss.data());
  }
  for (const std::size_t micro : {0U, 1U}) {
    behind.use(micro);
    behind.network->backward(stream, both.batch(), micro == 0, nullptr);
    front.use(micro);
    hand(front.network->given_gradient(), behind.network->received_gradient());
    front.network->backward(stream, both.batch(), micro == 0, nullptr);
  }
  ASSAY_CUDA_CHECK(cudaStreamSynchronize(stream));
  const double limit = limit_of(arithmetic);
  EXPECT_NEAR(both.loss.copy_back(stream, 0, 1)[0], expected, limit * expected);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i]->give_gradients(both, firsts[i]);
  const std::vector<double> far = both.distances();
  for (std::size_t t = 0; t < far.size(); ++t) EXPECT_LE(far[t], limit) << both.model.tensors[t].name;
}

}  // namespace
}  // namespace assay::plugins::model
