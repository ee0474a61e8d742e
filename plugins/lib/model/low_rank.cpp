// SPDX-License-Identifier: Apache-2.0
#include "lib/model/low_rank.hpp"

#include "lib/host_products.hpp"

#include <assay/random.hpp>

#include <algorithm>
#include <cmath>

namespace assay::plugins::model {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Random random_of(std::uint64_t seed, const LowRank& of) { return Random(seed, 0x10A44ull + of.tensor); }

}  // namespace

std::vector<LowRank> low_rank_tensors(const Model& model, std::size_t first, std::size_t end,
                                      std::size_t rank, double least_gain) {
  std::vector<LowRank> found;
  for (std::size_t i = first; i < end; ++i) {
    const Tensor& tensor = model.tensors[i];
    const std::size_t of = std::min({rank, tensor.rows, tensor.columns});
    const auto sent = static_cast<double>((tensor.rows + tensor.columns) * of);
    if (tensor.rows > 1 && sent * least_gain <= static_cast<double>(tensor.size())) found.push_back({i, of});
  }
  return found;
}

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

void revive(std::uint64_t seed, const LowRank& of, std::size_t columns, float* q) {
  const Random random = random_of(seed, of);
  for (std::size_t column = 0; column < of.rank; ++column) {
    bool is_zero = true;
    for (std::size_t row = 0; row < columns; ++row) is_zero = is_zero && q[row * of.rank + column] == 0;
    for (std::size_t row = 0; row < columns && is_zero; ++row)
      q[row * of.rank + column] = static_cast<float>(random.normal(row * of.rank + column));
  }
}

void draw_columns(std::uint64_t seed, const LowRank& of, std::size_t columns, float* q) {
  const Random random = random_of(seed, of);
  for (std::size_t i = 0; i < columns * of.rank; ++i) q[i] = static_cast<float>(random.normal(i));
}

}  // namespace assay::plugins::model
