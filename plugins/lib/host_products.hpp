// SPDX-License-Identifier: Apache-2.0
//
// Products of row-major matrices by the BLAS on the host, in both precisions.
#pragma once

#include <cblas.h>

#include <cstddef>

namespace assay::plugins {

// A matrix in memory: `stride` elements from row to row. As a factor it may stand for its transpose.
template <class Real>
struct Factor {
  const Real* data;
  std::size_t stride;
  bool transposed = false;
};

// C = alpha·A·B + beta·C, where A is m × k and B is k × n. With beta 0 what C held does not matter, whatever it
// was. [any thread] One at a time runs on all of the library's threads.
inline void multiply(std::size_t m, std::size_t n, std::size_t k, float alpha, Factor<float> a,
                     Factor<float> b, float beta, float* c, std::size_t c_stride) {
  const auto op = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
  cblas_sgemm(CblasRowMajor, op(a.transposed), op(b.transposed), static_cast<blasint>(m),
              static_cast<blasint>(n), static_cast<blasint>(k), alpha, a.data, static_cast<blasint>(a.stride),
              b.data, static_cast<blasint>(b.stride), beta, c, static_cast<blasint>(c_stride));
}
inline void multiply(std::size_t m, std::size_t n, std::size_t k, double alpha, Factor<double> a,
                     Factor<double> b, double beta, double* c, std::size_t c_stride) {
  const auto op = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
  cblas_dgemm(CblasRowMajor, op(a.transposed), op(b.transposed), static_cast<blasint>(m),
              static_cast<blasint>(n), static_cast<blasint>(k), alpha, a.data, static_cast<blasint>(a.stride),
              b.data, static_cast<blasint>(b.stride), beta, c, static_cast<blasint>(c_stride));
}

// How many threads the library uses for a product, from now on in this process.
inline void use_product_threads(int threads) { openblas_set_num_threads(threads); }
inline int product_threads() { return openblas_get_num_threads(); }
// The library's own description of its build and of the kernels that it chose.
inline const char* product_library() { return openblas_get_config(); }

}  // namespace assay::plugins
