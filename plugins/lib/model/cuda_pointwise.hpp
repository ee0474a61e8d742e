// SPDX-License-Identifier: Apache-2.0
//
// What a step on a GPU does between products, other than norms and attention; as host_kernels.hpp has it. Types: C
// of products, R of the stream, P of parameters and gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::plugins::model::device {

// x·Φ(x), Φ by 7.1.26 in M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 1964.
template <class C>
void gelu(cudaStream_t queue, std::size_t elements, const C* x, C* y);

// Where the sums of the columns of a gradient go. `to` null: nowhere; `keep` adds to what is there. `partial`
// holds column_pieces(rows) · width numbers.
template <class P>
struct BiasGradient {
  P* to = nullptr;
  bool keep = false;
  float* partial = nullptr;
};

// dy becomes dx, and its columns are summed.
template <class C, class P>
void gelu_backward(cudaStream_t queue, std::size_t rows, std::size_t width, const C* x, C* dy,
                   const BiasGradient<P>& bias);
template <class C, class P>
void bias_gradient(cudaStream_t queue, std::size_t rows, std::size_t width, const C* dy,
                   const BiasGradient<P>& bias);

// Rows of x: gate, then factor, `width` of each. y = gate·sigmoid(gate)·factor.
template <class C>
void swiglu(cudaStream_t queue, std::size_t rows, std::size_t width, const C* x, C* y);
template <class C>
void swiglu_backward(cudaStream_t queue, std::size_t rows, std::size_t width, const C* x, const C* dy, C* dx);

// From one type to the other; nothing where both are one.
template <class C, class R>
void round_to(cudaStream_t queue, std::size_t elements, const R* from, C* to);

template <class C>
void tanh_in_place(cudaStream_t queue, std::size_t elements, C* x);
template <class C>
void tanh_backward(cudaStream_t queue, std::size_t elements, const C* y, C* dy);

// The first row of every `sequence` rows; and its gradient, which is 0 elsewhere.
template <class C>
void first_rows(cudaStream_t queue, std::size_t samples, std::size_t sequence, std::size_t width, const C* x,
                C* y);
template <class C>
void first_rows_backward(cudaStream_t queue, std::size_t samples, std::size_t sequence, std::size_t width,
                         const C* dy, C* dx);

// row_losses[row] = -log(softmax(row)[label]), and gradients become `scale` times its gradient; they may lie where
// the scores do.
template <class C>
void cross_entropy(cudaStream_t queue, std::size_t rows, std::size_t width, const std::int32_t* labels,
                   float scale, const C* scores, C* gradients, float* row_losses);
// loss = (add ? loss : 0) + share · the mean of row_losses.
void mean_loss(cudaStream_t queue, std::size_t rows, const float* row_losses, double share, bool add,
               double* loss);

}  // namespace assay::plugins::model::device
