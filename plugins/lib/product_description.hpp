// SPDX-License-Identifier: Apache-2.0
//
// What every benchmark of a matrix product says of its sizes.
#pragma once

#include <assay/description.hpp>

#include <cstdint>

namespace assay::plugins::gemm {

// C = A·B: m, n and k.
template <class Params>
void describe_sizes(Description<Params>& is) {
  is.param("m", &Params::m).range(1, 1 << 20).help("rows of A and C");
  is.param("n", &Params::n).range(1, 1 << 20).help("columns of B and C");
  is.param("k", &Params::k).range(1, 1 << 20).help("columns of A, rows of B");
}

}  // namespace assay::plugins::gemm
