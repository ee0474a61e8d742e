// SPDX-License-Identifier: Apache-2.0
//
// Matrices in place of which two of few columns are sent: PowerSGD (Vogels, Karimireddy and Jaggi, NeurIPS 2019,
// algorithms 1 and 2). M ≈ P·Qᵀ by one step of the power method from the Q of the step before.
#pragma once

#include "lib/model/model.hpp"

#include <assay/random.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::model {

// A tensor that is sent as P (rows × rank) and Q (columns × rank).
struct LowRank {
  std::size_t tensor = 0;  // in Model::tensors
  std::size_t rank = 0;
};

// Of tensors [first, end) those that are sent so: with `rank`, or as many as the smaller side has, and only where
// that sends at most 1/`least_gain` of their elements (PyTorch's hook has 2).
std::vector<LowRank> low_rank_tensors(const Model& model, std::size_t first, std::size_t end,
                                      std::size_t rank, double least_gain);

// The columns of p (rows × rank, row by row) become orthogonal and of length 1; what depends on columns before it
// becomes 0. In double precision, in one order, so that equal numbers give equal bits.
void orthogonalise(std::size_t rows, std::size_t rank, float* p);

// P = M·Q.
void project(std::size_t rows, std::size_t columns, std::size_t rank, const float* m, const float* q,
             float* p);
// Q = Mᵀ·P.
void project_back(std::size_t rows, std::size_t columns, std::size_t rank, const float* m, const float* p,
                  float* q);
// M = P·Qᵀ.
void expand(std::size_t rows, std::size_t columns, std::size_t rank, const float* p, const float* q,
            float* m);

// Columns of q that are all 0 are drawn anew, so that what was lost with them may come back; P has 0 there.
void revive(std::uint64_t seed, const LowRank& of, std::size_t columns, float* q);

// Where these numbers come from.
inline Random columns_of(std::uint64_t seed, const LowRank& of) {
  return Random(seed, 0x10A44ull + of.tensor);
}
// What the first step begins from: normal numbers of the seed, other ones for each tensor.
void draw_columns(std::uint64_t seed, const LowRank& of, std::size_t columns, float* q);

}  // namespace assay::plugins::model
