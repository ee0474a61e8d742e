// SPDX-License-Identifier: Apache-2.0
//
// What attention on a GPU does between its products: rows of tokens become one matrix a head and back, turned by their
// places; scores become probabilities, in place. Types: C of products, P of parameters and gradients.
#pragma once

#include "lib/model/cuda_pointwise.hpp"

#include <cstddef>
#include <cuda_runtime_api.h>

namespace assay::plugins::model::device {

// Rows of a token hold `heads` vectors of d numbers, then `kv_heads` keys and as many values (0: a row has queries
// alone). Packed they are three arrays, one behind the other, each by sample, head and place.
struct Heads {
  std::size_t samples = 0, sequence = 0, d = 0, heads = 0, kv_heads = 0;
  const float* turns = nullptr;  // cosines and sines by place, which turn heads and keys; null: nothing turns

  std::size_t width() const { return (heads + 2 * kv_heads) * d; }
  std::size_t rows() const { return samples * sequence; }
};

// In place: heads and keys are turned by their places, or back.
template <class C>
void turn(cudaStream_t queue, const Heads& heads, bool back, C* rows);

template <class C>
void pack(cudaStream_t queue, const Heads& heads, const C* rows, C* packed);
// Turned back. From is C or float. The columns of what comes out are summed where `bias` says so.
template <class C, class From, class P>
void unpack(cudaStream_t queue, const Heads& heads, const From* packed, C* rows, const BiasGradient<P>& bias);

// A matrix of scores for each of this many pairs: `rows` of `keys` numbers. Where there are several heads or samples a
// row is a query of its place, first_place + row % place_rows.
struct ScoresShape {
  std::size_t pairs = 0, rows = 0, keys = 0;
  std::size_t place_rows = 0, first_place = 0;
  bool causal = false;  // a query sees keys up to its own place
  // The logarithm of the sum of row r of pair p lies at p · sums_stride + r.
  std::size_t sums_stride = 0;
};

// Row r of the probabilities begins where row r of the scores does, whatever type they have.
template <class C>
void softmax(cudaStream_t queue, const ScoresShape& shape, float* scores, float* log_sums);
// Scores become probabilities once more, and gradients of probabilities become those of scores.
template <class C>
void softmax_backward(cudaStream_t queue, const ScoresShape& shape, float* scores, const float* log_sums,
                      float* gradients);

}  // namespace assay::plugins::model::device
