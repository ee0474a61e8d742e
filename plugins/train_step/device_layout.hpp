// SPDX-License-Identifier: Apache-2.0
//
// Where the numbers of a step lie on a GPU, and how many bytes that takes: from the model's numbers and the options
// alone, before anything is allocated.
#pragma once

#include "lib/model/buckets.hpp"
#include "lib/model/cuda_fused_attention.hpp"
#include "lib/model/cuda_inputs.hpp"
#include "lib/model/cuda_network.hpp"
#include "lib/model/cuda_optimizer.hpp"
#include "lib/model/gradient_check.hpp"
#include "lib/model/model.hpp"
#include "train_step/low_rank_layout.hpp"
#include "train_step/shard_plan.hpp"
#include "train_step/step_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <cuda_fp16.h>
#include <optional>
#include <string>
#include <vector>

namespace assay::plugins::train_step {

struct DeviceStepOptions {
  StepOptions of_step;
  bool averages = false;  // over ranks
  model::Arithmetic arithmetic = model::Arithmetic::fp32;
  double host_cost = 0;                    // seconds, before each operation that is queued
  model::FusedAttention* fused = nullptr;  // null: attention is unfused

  bool computes() const { return of_step.without != Without::compute; }
  bool averages_halves() const { return averages && of_step.compression == CompressionKind::fp16; }
  bool carries_on() const { return averages && of_step.compression == CompressionKind::powersgd; }
  bool shards() const { return of_step.shards.sharding != Sharding::none; }
  bool shards_gradients() const { return shards() && of_step.shards.sharding != Sharding::state; }
  bool shards_parameters() const { return of_step.shards.sharding == Sharding::parameters; }
};

// Elements of the type of parameters.
struct DeviceLayout {
  DeviceLayout(const model::Model& model, const DeviceStepOptions& options);

  model::TensorPlaces places;       // in an array of all parameters
  std::optional<ShardPlan> shards;  // none: the rank has them all. Units and shares are of `places`
  Sharding sharding = Sharding::none;
  model::NetworkPlaces network;  // in what passes take: all numbers, or buffers of units

  bool shards_parameters() const { return sharding == Sharding::parameters; }
  bool shards_gradients() const { return shards_parameters() || sharding == Sharding::gradients; }
  // That the rank has: of parameters, of gradients, and of each of the optimiser's numbers.
  std::size_t parameters() const { return shards_parameters() ? shards->layout.size : places.size(); }
  std::size_t gradients() const { return shards_gradients() ? shards->layout.size : places.size(); }
  std::size_t state() const { return shards ? shards->layout.size : places.size(); }
  // Where a rank's share of a unit begins in these three arrays.
  std::size_t parameters_of(std::size_t unit, std::size_t rank) const {
    return shards_parameters() ? shards->layout.place[unit] : in_all(unit, rank);
  }
  std::size_t gradients_of(std::size_t unit, std::size_t rank) const {
    return shards_gradients() ? shards->layout.place[unit] : in_all(unit, rank);
  }
  std::size_t state_of(std::size_t unit) const { return shards->layout.place[unit]; }
  // And in an array of all numbers.
  std::size_t in_all(std::size_t unit, std::size_t rank) const {
    return shards->layout.units[unit].offset + rank * share(unit);
  }
  // Buffers of whole units.
  std::size_t gathered() const;
  std::size_t unreduced() const;
  // Of the unit, the numbers of one rank.
  std::size_t share(std::size_t unit) const { return shards->layout.units[unit].size / shards->layout.ranks; }
};

// That are averaged one by one, where ranks have all parameters.
std::vector<model::Bucket> buckets_of(const model::Model& model, const DeviceStepOptions& options,
                                      const DeviceLayout& layout);
// In place of which two matrices of few columns are summed; nothing where gradients are not compressed so.
LowRankLayout low_rank_of(const model::Model& model, const DeviceStepOptions& options,
                          const DeviceLayout& layout);
// Bytes of gradients for each byte that is summed in their place.
double compression_ratio(const model::Model& model, const DeviceStepOptions& options);
// By how much elements of the average may have been rounded because ranks sent halves.
model::ElementError rounding_of(const DeviceStepOptions& options);

// What one micro-batch after the other goes through; nothing where nothing is computed.
model::CudaPlan plan_of(const model::Model& model, const DeviceStepOptions& options);

// Bytes of device memory, by what lies there.
struct StepBytes {
  std::uint64_t parameters = 0, gradients = 0, state = 0, copy = 0;
  std::uint64_t gathered = 0, unreduced = 0;  // buffers of whole units, of parameters and gradients
  std::uint64_t compression = 0;              // what is sent in place of gradients, and what is carried on
  std::uint64_t values = 0;     // what the forward pass keeps, and gradients of values that live at once
  std::uint64_t workspace = 0;  // of the library's products
  std::uint64_t inputs = 0;     // samples, labels, cosines and sines of positions

  // The driver gives memory in pieces of 2 MiB.
  std::uint64_t total() const;
  std::string formula() const;
};
StepBytes bytes_of_step(const model::Model& model, const DeviceStepOptions& options);

// That a rank sends in a step at least; gaps between tensors are not counted. Sharded parameters are gathered in the
// type of products, all other numbers are moved in that of parameters, or compressed.
double sent_bytes(const model::Model& model, const DeviceStepOptions& options);

// Elements of the samples that are there at once: of a step, or of a micro-batch where they are loaded; and labels of a
// micro-batch. What is loaded in fp32 and rounded on the device has a place of its own.
std::size_t tokens_of(const model::Model& model, const StepOptions& options);
std::size_t features_of(const model::Model& model, const StepOptions& options);
std::size_t loaded_of(const model::Model& model, const DeviceStepOptions& options);
std::size_t labels_of(const model::Model& model, const StepOptions& options);

// Addresses in one piece of memory of bytes_of_step(); null where there is none.
struct DeviceStepMemory {
  DeviceStepMemory(std::byte* begin, const model::Model& model, const DeviceStepOptions& options,
                   const DeviceLayout& layout, const model::CudaPlan& plan);

  model::OptimizerMemory optimizer;  // what the rank holds
  model::CudaMemory network;
  std::byte *gathered = nullptr, *unreduced = nullptr;
  __half* halves = nullptr;
  LowRankMemory low_rank;
  std::int32_t *tokens = nullptr, *labels = nullptr;
  std::byte* features = nullptr;
  float* loaded = nullptr;
  model::StepState* state = nullptr;
  double* loss = nullptr;
};

}  // namespace assay::plugins::train_step
