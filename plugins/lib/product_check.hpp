// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/cpu_team.hpp"
#include "lib/two_sum.hpp"

#include <assay/random.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace assay::plugins::gemm {

// A row-major matrix of rows × columns, perhaps stored transposed.
template <typename Real>
struct Operand {
  const Real* data;
  std::size_t rows;
  std::size_t columns;
  bool transposed;

  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return static_cast<double>(transposed ? data[column * rows + row] : data[row * columns + column]);
  }
};

// Random rows of C, element by element, against sums in double precision, which are exact for small whole
// numbers.
template <typename Real>
void check_rows(CpuTeam& team, const Operand<Real>& a, const Operand<Real>& b, const Real* c,
                std::uint64_t seed, Verification& seen) {
  constexpr std::size_t kRows = 16;
  const Random random(seed, 3);
  const std::size_t rows = std::min(kRows, a.rows);
  std::vector<double> expected(rows * b.columns);
  std::vector<std::size_t> chosen(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    chosen[i] = rows == a.rows
                    ? i
                    : static_cast<std::size_t>(random.integer(i, 0, static_cast<std::int64_t>(a.rows) - 1));
  }
  team.run([&](int member) {
    const auto [first, last] = team.share(member, rows, 1);
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t l = 0; l < a.columns; ++l) {
        const double factor = a.at(chosen[i], l);
        for (std::size_t j = 0; j < b.columns; ++j) expected[i * b.columns + j] += factor * b.at(l, j);
      }
    }
  });
  seen.method("exact rows against sums in double precision");
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < b.columns; ++j) {
      const std::size_t at = chosen[i] * b.columns + j;
      seen.expect_equal(c[at], static_cast<Real>(expected[i * b.columns + j]), at);
    }
  }
}

// Freivalds: C·r against A·(B·r) for a random vector r of ±1, every row. The sums of the check itself are in
// twice double precision: rounded like those of a product in double precision, long rows would look wrong.
//
// Rounding in one element of C is about ε·‖row of A‖·‖column of B‖, however the sum is ordered (ε of the type
// that is checked), with signs as good as random, so a row's difference stays near ε·‖row of A‖·‖B‖_F; eight
// times that is the tolerance. An element that is off by 8·√n·ε of its own scale is found, and a row that is
// wrong by chance passes with a probability of at most one half per such element. Source: R. Freivalds,
// Probabilistic machines can use less running time, 1977; Higham, Accuracy and Stability, 3.5.
template <typename Real>
void check_freivalds(CpuTeam& team, const Operand<Real>& a, const Operand<Real>& b, const Real* c,
                     std::uint64_t seed, Verification& seen) {
  constexpr double kFactor = 8;
  const Random random(seed, 4);
  const std::size_t m = a.rows, n = b.columns, k = a.columns;
  std::vector<double> r(n), br(k), squares(static_cast<std::size_t>(team.size()));
  for (std::size_t j = 0; j < n; ++j) r[j] = (random.bits(j) & 1U) != 0 ? 1 : -1;
  team.run([&](int member) {
    const auto [first, last] = team.share(member, k, 1);
    for (std::size_t l = first; l < last; ++l) {
      TwoSum sum;
      for (std::size_t j = 0; j < n; ++j) {
        const double value = b.at(l, j);
        sum.add(value * r[j]);
        squares[static_cast<std::size_t>(member)] += value * value;
      }
      br[l] = sum.value();
    }
  });
  double norm_b = 0;
  for (const double square : squares) norm_b += square;
  norm_b = std::sqrt(norm_b);

  std::vector<double> ratio(m);
  team.run([&](int member) {
    const auto [first, last] = team.share(member, m, 1);
    for (std::size_t i = first; i < last; ++i) {
      TwoSum product, actual;
      double norm_a = 0;
      for (std::size_t l = 0; l < k; ++l) {
        product.add(a.at(i, l) * br[l]);
        norm_a += a.at(i, l) * a.at(i, l);
      }
      for (std::size_t j = 0; j < n; ++j) actual.add(static_cast<double>(c[i * n + j]) * r[j]);
      const double scale =
          static_cast<double>(std::numeric_limits<Real>::epsilon()) * std::sqrt(norm_a) * norm_b;
      const double difference = std::fabs(actual.value() - product.value());
      ratio[i] = difference == 0 ? 0
                 : scale > 0     ? difference / scale
                                 : std::numeric_limits<double>::infinity();
    }
  });
  seen.method("Freivalds, every row; error in ε·‖row of A‖·‖B‖");
  for (std::size_t i = 0; i < m; ++i) seen.expect_close(ratio[i], 0, absolute(kFactor), i);
}

}  // namespace assay::plugins::gemm
