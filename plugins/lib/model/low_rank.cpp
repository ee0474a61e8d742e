// SPDX-License-Identifier: Apache-2.0
#include "lib/model/low_rank.hpp"

#include "lib/host_products.hpp"

#include <cmath>

namespace assay::plugins::model {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void orthogonalise(std::size_t rows, std::size_t rank, float* p) {
  // By how much of itself a column that depends on those before it may be left: rounding of single precision.
  constexpr double kNothing = 1e-6;
  std::vector<std::vector<double>> columns;
  for (std::size_t column = 0; column < rank; ++column) {
    std::vector<double>& now = columns.emplace_back(rows);
    for (std::size_t row = 0; row < rows; ++row) now[row] = static_cast<double>(p[row * rank + column]);
    const double before = std::sqrt(dot(now, now));
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough
      for (std::size_t earlier = 0; earlier < column; ++earlier) {
        const double along = dot(columns[earlier], now);
        for (std::size_t row = 0; row < rows; ++row) now[row] -= along * columns[earlier][row];
      }
    }
    const double length = std::sqrt(dot(now, now));
    const double scale = length > kNothing * before ? 1 / length : 0;
    for (std::size_t row = 0; row < rows; ++row) {
      now[row] *= scale;
      p[row * rank + column] = static_cast<float>(now[row]);
    }
  }
}

void project(std::size_t rows, std::size_t columns, std::size_t rank, const float* m, const float* q,
             float* p) {
  multiply(rows, rank, columns, 1.0F, {m, columns}, {q, rank}, 0.0F, p, rank);
}

void project_back(std::size_t rows, std::size_t columns, std::size_t rank, const float* m, const float* p,
                  float* q) {
  multiply(columns, rank, rows, 1.0F, {m, columns, true}, {p, rank}, 0.0F, q, rank);
}

void expand(std::size_t rows, std::size_t columns, std::size_t rank, const float* p, const float* q,
            float* m) {
  multiply(rows, columns, rank, 1.0F, {p, rank}, {q, rank, true}, 0.0F, m, columns);
}

}  // namespace assay::plugins::model
