// SPDX-License-Identifier: Apache-2.0
//
// Where a GPU has what PowerSGD sends and carries on (low_rank.hpp): from the model's numbers alone.
#pragma once

#include "lib/model/buckets.hpp"
#include "lib/model/cuda_arithmetic.hpp"
#include "lib/model/cuda_products.hpp"
#include "lib/model/low_rank.hpp"
#include "lib/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::train_step {

// All places in floats, multiples of 64; sizes with the gaps behind them.
struct LowRankLayout {
  // A tensor that is summed as it is: from where among gradients, to where among what is sent first.
  struct Whole {
    std::size_t gradient = 0, size = 0, place = 0;
  };
  struct Matrix {
    model::LowRank of;
    std::size_t rows = 0, columns = 0;
    std::size_t gradient = 0, size = 0;
    std::size_t p = 0, q = 0;         // among what is sent first, and second
    std::size_t kept = 0, error = 0;  // Q for the next step, and what is carried on: behind all that is sent
    std::size_t numbers() const { return rows * columns; }
  };
  struct Bucket {
    std::vector<Whole> whole;
    std::vector<Matrix> matrices;
    std::size_t first = 0, second = 0;  // that are summed together: tensors as they are and P; Q
  };

  LowRankLayout() = default;
  LowRankLayout(const model::Model& model, const model::TensorPlaces& places,
                const std::vector<model::Bucket>& of, std::size_t rank);

  std::size_t floats() const { return staging + kept; }
  // Of a step, without gaps.
  std::uint64_t sent() const;

  std::vector<Bucket> buckets;
  std::size_t staging = 0, kept = 0;  // of what the largest bucket sends; of Qs and what is carried on
};

struct LowRankMemory {
  static constexpr std::size_t kWorkspaceBytes = std::size_t{4} << 20;

  float* floats = nullptr;             // LowRankLayout::floats()
  model::device::Workspace workspace;  // of its products, which go beside those of the passes
};

}  // namespace assay::plugins::train_step
