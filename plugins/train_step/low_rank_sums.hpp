// SPDX-License-Identifier: Apache-2.0
//
// PowerSGD on a GPU: sums matrices of few columns over ranks in place of gradients, and carries on what they lose. As
// PowerSgd in compression.hpp, but of shares of an average, whose sum is the average: what a rank carries on is its share of
// what the average lacks.
#pragma once

#include "lib/cublaslt.hpp"
#include "lib/model/cuda_products.hpp"
#include "train_step/collectives.hpp"
#include "train_step/low_rank_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <map>
#include <tuple>

namespace assay::plugins::train_step {

// Calls from one thread. What is queued may be captured. The collectives outlive it.
class LowRankSums {
 public:
  LowRankSums(const cublaslt::Handle& handle, const Collectives& collectives, LowRankLayout layout,
              const LowRankMemory& memory, std::uint32_t ranks);
  LowRankSums(const LowRankSums&) = delete;  // graphs hold addresses that it knows
  LowRankSums& operator=(const LowRankSums&) = delete;

  // Queues: as before the first step.
  void restore(cudaStream_t stream, std::uint64_t seed);

  // Queues what ranks do together between what each computes.
  using Exchange = std::function<void(const std::function<void()>& queue)>;
  // Queues in the stream of the collectives: gradients of a bucket become the average, less what is carried on.
  void sum(std::size_t bucket, float* gradients, const Exchange& exchange) const;
  // Queues there: what the average lacked in the last step, among `size` numbers at the places of gradients; 0 where nothing
  // is carried on. Every rank calls it.
  void remainder(std::size_t size, float* to) const;

 private:
  using Matrix = LowRankLayout::Matrix;
  struct Products {
    model::device::ReadyProduct project, project_back, expand;
  };

  void make_products(const cublaslt::Handle& handle, const Matrix& matrix);
  const Products& products(const Matrix& matrix) const {
    return products_.at({matrix.rows, matrix.columns, matrix.of.rank});
  }
  void copy(const float* from, float* to, std::size_t numbers) const;
  float* first(std::size_t place) const { return memory_.floats + place; }
  float* second(const LowRankLayout::Bucket& bucket, std::size_t place) const {
    return memory_.floats + bucket.first + place;
  }
  float* kept(std::size_t place) const { return memory_.floats + place; }

  const Collectives& collectives_;
  const LowRankLayout layout_;
  const LowRankMemory memory_;
  const float share_;  // of an average that a rank has
  std::uint64_t seed_ = 0;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, Products> products_;  // of rows, columns, rank
};

}  // namespace assay::plugins::train_step
