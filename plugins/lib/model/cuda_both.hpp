// SPDX-License-Identifier: Apache-2.0
//
// For tests: one model with one batch on the host and on the GPU.
#pragma once

#include "lib/model/cuda_network.hpp"
#include "lib/model/cuda_test.hpp"
#include "lib/model/host_network.hpp"
#include "lib/model/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace assay::plugins::model {

using Bf16 = __nv_bfloat16;

// Small ones are read number by number, wide ones in pieces of 16 bytes; long ones in bands.
inline Model model_of(const std::string& name) {
  Sizes sizes;
  const bool tiny = name.rfind("tiny_", 0) == 0, is_long = name.rfind("long_", 0) == 0;
  sizes.layers = is_long ? 1 : 2;
  sizes.width = tiny ? 20 : 128;
  sizes.heads = sizes.kv_heads = tiny ? 5 : 4;
  sizes.ffn = tiny ? 28 : 256;
  sizes.words = tiny ? 19 : 128;
  sizes.positions = 2048;
  const std::string kind = name.substr(name.find('_') + 1);
  if (kind == "mlp") {
    sizes.kind = Layers::mlp;
    return make_model(name, sizes, 1);
  }
  if (kind == "llama" || kind == "grouped") sizes.kind = Layers::llama;
  if (kind == "grouped") sizes.kv_heads = tiny ? 1 : 2;
  sizes.word_scores = kind == "gpt";
  return make_model(name, sizes, is_long ? 1030 : tiny ? 7 : 64);
}

inline const char* name_of(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::fp32:
      return "fp32";
    case Arithmetic::tf32:
      return "tf32";
    case Arithmetic::bf16:
      return "bf16";
    case Arithmetic::pure_bf16:
      break;
  }
  return "pure_bf16";
}

// By how much of itself the gradient of a tensor may be off: the rounding of some tens of operations.
inline double limit_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::fp32 ? 5e-5 : arithmetic == Arithmetic::tf32 ? 1e-2 : 8e-2;
}

// The same step on both sides.
struct Both {
  Both(const std::string& name, Arithmetic of, bool with_fused = false, Keep keep = Keep::all)
      : arithmetic(of),
        bytes(bytes_of(of)),
        model(model_of(name)),
        host_plan(make_plan(model, kSamples)),
        fused(with_fused ? FusedAttention::make(model, kSamples, why) : nullptr),
        plan(make_cuda_plan(model, kSamples, bytes, fused != nullptr, InFlight::one, keep)),
        places(model),
        parameters(model.parameters()),
        gradients(model.parameters()),
        host_activations(host_plan.activations),
        host_workspace(host_plan.workspace),
        host_scratch(attention_scratch(model)),
        workers({}),
        host(model, host_plan,
             {parameters.data(), gradients.data(), host_activations.data(), host_workspace.data(),
              host_scratch.data()},
             workers),
        device_parameters(gpu, places.size() * bytes.parameter),
        device_copy(gpu, places.size() * bytes.compute),
        device_gradients(gpu, places.size() * bytes.parameter),
        arena(gpu, plan.arena_bytes),
        workspace(gpu, device::kWorkspaceBytes),
        turns(gpu, turns_of(model)),
        loss(gpu, 1) {
    draw();
    for (const auto* buffer : {&device_parameters, &device_copy, &device_gradients, &arena})
      ASSAY_CUDA_CHECK(cudaMemset(buffer->data(), 0xFF, buffer->bytes()));  // no numbers
    upload();
    CudaMemory memory;
    memory.parameters = device_parameters.data();
    memory.compute_parameters = bytes.copies_parameters() ? device_copy.data() : device_parameters.data();
    memory.gradients = device_gradients.data();
    memory.arena = arena.data();
    memory.turns = turns.data();
    memory.workspace = {workspace.data(), workspace.bytes()};
    ASSAY_CUDA_CHECK(cudaDeviceSynchronize());
    network = make_cuda_network(handle, model, plan, places, arithmetic, memory, fused.get());
  }

  static constexpr std::size_t kSamples = 3;

  void draw() {
    const Random random(11);
    for (const Tensor& tensor : model.tensors) {
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
        const double spread = tensor.rows > 1 ? 1.5 / std::sqrt(static_cast<double>(tensor.columns)) : 0.3;
        parameters[i] =
            static_cast<float>((tensor.start == Start::ones ? 1 : 0) + spread * random.uniform(i));
      }
    }
    // Both begin with the same numbers, whatever type holds them.
    if (arithmetic == Arithmetic::pure_bf16) {
      for (float& value : parameters)
        value = as_stored<Bf16>(value);  // in place: the host's network knows them
    }
    const std::size_t rows = kSamples * model.sequence;
    tokens.resize(rows);
    for (std::size_t i = 0; i < rows; ++i)
      tokens[i] = static_cast<std::int32_t>(random.bits(1'000'000 + i) % 19);
    features = normal_numbers(kSamples * model.operations.front().out, 12);
    if (bytes.compute == 2) features = as_stored<Bf16>(features);
    labels.resize(kSamples * model.labels());
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = static_cast<std::int32_t>(random.bits(2'000'000 + i) % model.classes());
  }

  void upload() {
    for (std::size_t t = 0; t < model.tensors.size(); ++t) {
      const Tensor& tensor = model.tensors[t];
      const Floats values(parameters.begin() + static_cast<std::ptrdiff_t>(tensor.offset),
                          parameters.begin() + static_cast<std::ptrdiff_t>(tensor.offset + tensor.size()));
      const auto put = [&](std::byte* to, const auto& there, std::size_t size) {
        ASSAY_CUDA_CHECK(cudaMemcpy(to + places.offset(t) * size, there.data(), values.size() * size,
                                    cudaMemcpyDeviceToDevice));
      };
      const OnDevice<float> wide(values);
      const OnDevice<Bf16> narrow(values);
      if (bytes.parameter == 4) put(device_parameters.data(), wide, 4);
      if (bytes.parameter == 2) put(device_parameters.data(), narrow, 2);
      if (bytes.copies_parameters()) put(device_copy.data(), narrow, 2);
    }
    tokens_there = whole_numbers(tokens);
    labels_there = whole_numbers(labels);
    features_wide.emplace(features);
    features_narrow.emplace(features);
  }

  CudaBatch batch() const {
    return {tokens_there.data(),
            bytes.compute == 4 ? static_cast<const void*>(features_wide->data()) : features_narrow->data(),
            labels_there.data()};
  }
  void step(cudaStream_t stream, double share, bool first) {
    network->forward(stream, batch(), share, !first, loss.data());
    network->backward(stream, batch(), first, nullptr);
  }
  double host_step() {
    const HostBatch batch = {tokens.data(), features.data(), labels.data()};
    const double mean = host.forward(batch, 1);
    host.backward(batch, true, nullptr);
    return mean;
  }
  Floats gradient_of(std::size_t t) const {
    const std::size_t count = model.tensors[t].size();
    Floats values(count);
    std::vector<std::byte> raw(count * bytes.parameter);
    ASSAY_CUDA_CHECK(cudaMemcpy(raw.data(), device_gradients.data() + places.offset(t) * bytes.parameter,
                                raw.size(), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < count; ++i) {
      if (bytes.parameter == 4) {
        std::memcpy(&values[i], raw.data() + 4 * i, 4);
      } else {
        Bf16 value;
        std::memcpy(&value, raw.data() + 2 * i, 2);
        values[i] = __bfloat162float(value);
      }
    }
    return values;
  }
  void set_gradient(std::size_t t, const Floats& values) {
    const auto put = [&](const auto& there, std::size_t size) {
      ASSAY_CUDA_CHECK(cudaMemcpy(device_gradients.data() + places.offset(t) * size, there.data(),
                                  values.size() * size, cudaMemcpyDeviceToDevice));
      ASSAY_CUDA_CHECK(cudaDeviceSynchronize());
    };
    if (bytes.parameter == 4) {
      put(OnDevice<float>(values), 4);
    } else {
      put(OnDevice<Bf16>(values), 2);
    }
  }
  // How far the gradient of each tensor is off, as a share of itself. Of what is next to nothing (the bias of keys)
  // as a share of the median tensor's, each number by itself.
  std::vector<double> distances() const {
    std::vector<double> sizes;
    for (const Tensor& tensor : model.tensors) {
      double squares = 0;
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i)
        squares += static_cast<double>(gradients[i]) * static_cast<double>(gradients[i]);
      sizes.push_back(std::sqrt(squares / static_cast<double>(tensor.size())));
    }
    std::vector<double> ordered = sizes;
    std::sort(ordered.begin(), ordered.end());
    const double typical = ordered[ordered.size() / 2];
    std::vector<double> far;
    for (std::size_t t = 0; t < model.tensors.size(); ++t) {
      const Floats found = gradient_of(t);
      const double least = 0.05 * typical * std::sqrt(static_cast<double>(found.size()));
      far.push_back(distance(found.data(), gradients.data() + model.tensors[t].offset, found.size(), least));
    }
    return far;
  }

  Arithmetic arithmetic;
  NumberBytes bytes;
  Model model;
  Plan host_plan;
  std::string why;  // fused attention is not there
  std::unique_ptr<FusedAttention> fused;
  CudaPlan plan;
  TensorPlaces places;
  Floats parameters, gradients, host_activations, host_workspace, host_scratch;
  HostWorkers workers;
  HostNetwork host;
  cuda::Device gpu = first_gpu();
  cublaslt::Handle handle;
  cuda::DeviceBuffer<std::byte> device_parameters, device_copy, device_gradients, arena, workspace;
  cuda::DeviceBuffer<float> turns;
  cuda::DeviceBuffer<double> loss;
  std::vector<std::int32_t> tokens, labels;
  Floats features;
  cuda::DeviceBuffer<std::int32_t> tokens_there, labels_there;
  std::optional<OnDevice<float>> features_wide;
  std::optional<OnDevice<Bf16>> features_narrow;
  std::unique_ptr<CudaNetwork> network;
};

using Case = std::tuple<std::string, Arithmetic>;
inline std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return std::get<0>(info.param) + "_" + name_of(std::get<1>(info.param));
}

}  // namespace assay::plugins::model
