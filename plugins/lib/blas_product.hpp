// SPDX-License-Identifier: Apache-2.0
//
// A product of matrices by the BLAS on the host, drawn from the seed and compared with its inputs.
#pragma once

#include "lib/cpu_team.hpp"
#include "lib/product_check.hpp"

#include <assay/case.hpp>
#include <assay/data.hpp>
#include <assay/memory.hpp>
#include <assay/random.hpp>
#include <assay/verification.hpp>

#include <cblas.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace assay::plugins::gemm {

// One product of row-major matrices of one type: what differs between fp32 and fp64.
template <typename Real>
class Product {
 public:
  Product(const Case& run, std::size_t m, std::size_t n, std::size_t k, bool transpose_a, bool transpose_b)
      : m_(m),
        n_(n),
        k_(k),
        transpose_a_(transpose_a),
        transpose_b_(transpose_b),
        a_(run, m * k),
        b_(run, k * n),
        c_(run, m * n) {}

  // Streams 1 and 2 of the seed; C as by clear().
  void fill(CpuTeam& team, Data data, std::uint64_t seed) {
    for (const std::uint64_t stream : {1, 2}) {
      const Random random(seed, stream);
      fill_one(team, stream == 1 ? a_ : b_,
               [&](std::size_t i) { return static_cast<Real>(element(data, random, i)); });
    }
    clear(team);
  }

  // C holds what no product of finite numbers is.
  void clear(CpuTeam& team) {
    fill_one(team, c_, [](std::size_t) { return std::numeric_limits<Real>::quiet_NaN(); });
  }

  void run() {
    const auto op = [](bool transpose) { return transpose ? CblasTrans : CblasNoTrans; };
    const auto m = static_cast<blasint>(m_), n = static_cast<blasint>(n_), k = static_cast<blasint>(k_);
    const blasint lda = transpose_a_ ? m : k, ldb = transpose_b_ ? k : n;
    if constexpr (std::is_same_v<Real, float>) {
      cblas_sgemm(CblasRowMajor, op(transpose_a_), op(transpose_b_), m, n, k, 1, a_.data(), lda, b_.data(),
                  ldb, 0, c_.data(), n);
    } else {
      cblas_dgemm(CblasRowMajor, op(transpose_a_), op(transpose_b_), m, n, k, 1, a_.data(), lda, b_.data(),
                  ldb, 0, c_.data(), n);
    }
  }

  void verify(CpuTeam& team, bool exact, std::uint64_t seed, Verification& seen) const {
    const Operand<Real> a{a_.data(), m_, k_, transpose_a_}, b{b_.data(), k_, n_, transpose_b_};
    if (exact) {
      check_rows(team, a, b, c_.data(), seed, seen);
    } else {
      check_freivalds(team, a, b, c_.data(), seed, seen);
    }
  }

 private:
  template <class Element>
  static void fill_one(CpuTeam& team, HostBuffer<Real>& buffer, const Element& element) {
    team.run([&](int member) {
      const auto [first, last] = team.share(member, buffer.size(), 16);
      for (std::size_t i = first; i < last; ++i) buffer[i] = element(i);
    });
  }

  std::size_t m_, n_, k_;
  bool transpose_a_, transpose_b_;
  HostBuffer<Real> a_, b_, c_;
};

}  // namespace assay::plugins::gemm
