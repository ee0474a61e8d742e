// SPDX-License-Identifier: Apache-2.0
//
// What the GPUs of several ranks do together in a step, by NCCL, in a stream of its own. Every rank queues the same in
// the same order.
#pragma once

#include "lib/model/cuda_arithmetic.hpp"

#include <assay/case.hpp>
#include <assay/cuda/device.hpp>
#include <assay/group.hpp>

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <string>

namespace assay::plugins::train_step {

// Numbers have the type of parameters unless it is said. Calls from one thread. What is queued may be captured.
class Collectives {
 public:
  Collectives() = default;
  Collectives(const Collectives&) = delete;  // the GPU may be busy for it
  Collectives& operator=(const Collectives&) = delete;
  virtual ~Collectives() = default;

  virtual cudaStream_t stream() const = 0;
  // What is summed are shares of an average, whose sum is the average; `average`: whole numbers, which are averaged.
  virtual void sum(void* numbers, std::size_t count, bool average) const = 0;
  // The same of numbers in fp16.
  virtual void sum_halves(void* numbers, std::size_t count, bool average) const = 0;
  // `count` numbers of each rank, in the order of ranks. `share` may be this rank's place in `whole`.
  virtual void gather(const void* share, void* whole, std::size_t count) const = 0;
  // The same of numbers in bf16.
  virtual void gather_bf16(const void* share, void* whole, std::size_t count) const = 0;
  virtual void reduce(const void* whole, void* share, std::size_t count, bool average) const = 0;
};

// Who takes part. Outlives what is made with it.
struct CollectiveRanks {
  const Case* run = nullptr;
  const Group* group = nullptr;
  const cuda::Device* device = nullptr;
  std::function<void()> forget_graphs;  // that hold what was queued
};

// What NCCL allocates for itself, about.
inline constexpr std::uint64_t kBytesOfCollectives = std::uint64_t{1} << 30;

// Every rank calls it. Where a step ends before its collectives the communicator is given up by the destructor. Throws
// Skip where NCCL is not there, Cancelled when the case ends before all ranks have come.
std::unique_ptr<Collectives> make_collectives(const CollectiveRanks& ranks, model::Arithmetic arithmetic);
// The library that does it. Throws Skip where it is not there.
std::string library_of_collectives();

}  // namespace assay::plugins::train_step
