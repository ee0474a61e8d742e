// SPDX-License-Identifier: Apache-2.0
//
// What every benchmark of a matrix product says of its sizes.
#pragma once

#include <assay/contracts/gemm_1.hpp>
#include <assay/description.hpp>

#include <cstdint>

namespace assay::plugins::gemm {

namespace contract = contracts::gemm_1;

// C = A·B: m, n and k.
template <class Params>
void describe_sizes(Description<Params>& is) {
  contract::m(is, &Params::m).range(1, 1 << 20);
  contract::n(is, &Params::n).range(1, 1 << 20);
  contract::k(is, &Params::k).range(1, 1 << 20);
}

}  // namespace assay::plugins::gemm
