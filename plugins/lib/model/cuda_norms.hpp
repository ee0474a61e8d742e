// SPDX-License-Identifier: Apache-2.0
//
// LayerNorm and RMSNorm on a GPU. Statistics as host_kernels.hpp has them: mean and 1/√(variance + 1e-5) of a
// row, or 1/√(mean of squares + 1e-5). Types: C of products, R of the stream, P of parameters and gradients.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

namespace assay::plugins::model::device {

// The longest row whose column sums a block can hold.
inline constexpr std::size_t kWidestNorm = 16384;

struct NormShape {
  bool layer = true;  // LayerNorm, else RMSNorm, which has no shift
  std::size_t rows = 0, width = 0;
};

// `compute` and `stream` are the value in either type; null: it is not wanted. Where both types are one, `stream`
// is null.
template <class C, class R, class P>
void norm(cudaStream_t queue, const NormShape& shape, const R* x, const P* gain, const P* shift, C* compute,
          R* stream, float* statistics);

// Sums of columns go to `gain`, `shift` and `bias` (null: there is none; the sum of dx); `keep` adds to what is
// there. `partial` holds norm_blocks(rows) · width numbers for each of them.
template <class P>
struct NormGradients {
  P *gain = nullptr, *shift = nullptr, *bias = nullptr;
  bool keep = false;
  float* partial = nullptr;
};

// dx (`keep_dx`: added to what is there) in the type of the stream, and a copy in that of products (null: none).
// Y is the type of dy, one of both. dx and dy do not overlap.
template <class C, class R, class P, class Y>
void norm_backward(cudaStream_t queue, const NormShape& shape, const R* x, const P* gain,
                   const float* statistics, const Y* dy, bool keep_dx, R* dx, C* copy,
                   const NormGradients<P>& gradients);

}  // namespace assay::plugins::model::device
