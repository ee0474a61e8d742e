// SPDX-License-Identifier: Apache-2.0
#include "lib/model/low_rank.hpp"

#include "lib/host_products.hpp"

#include <assay/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace assay::plugins::model {
namespace {

std::vector<float> normal(std::size_t count, std::uint64_t stream) {
  const Random random(3, stream);
  std::vector<float> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<float>(random.normal(i));
  return data;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(error / norm);
}

// P·Qᵀ after this many steps that begin from each other's Q.
std::vector<float> approximated(std::size_t rows, std::size_t columns, std::size_t rank,
                                const std::vector<float>& m, int steps) {
  std::vector<float> p(rows * rank), q(columns * rank),
      result(rows * columns, std::numeric_limits<float>::quiet_NaN());
  draw_columns(5, {7, rank}, columns, q.data());
  for (int step = 0; step < steps; ++step) {
    project(rows, columns, rank, m.data(), q.data(), p.data());
    orthogonalise(rows, rank, p.data());
    project_back(rows, columns, rank, m.data(), p.data(), q.data());
  }
  expand(rows, columns, rank, p.data(), q.data(), result.data());
  return result;
}

TEST(LowRank, AtFullRankIsTheMatrix) {
  use_product_threads(1);
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{12, 40}, {40, 12}, {16, 16}}) {
    const std::vector<float> m = normal(rows * columns, 1);
    EXPECT_LT(distance(approximated(rows, columns, std::min(rows, columns), m, 1), m), 1e-5);
  }
}

// A matrix of rank 3 needs no more; of a full one something is left, less with every step and with more rank.
TEST(LowRank, IsExactAtTheMatrixRankAndCloserWithHigherRank) {
  use_product_threads(1);
  const std::size_t rows = 30, columns = 20;
  std::vector<float> m(rows * columns);
  const std::vector<float> a = normal(rows * 3, 1), b = normal(columns * 3, 2);
  expand(rows, columns, 3, a.data(), b.data(), m.data());
  EXPECT_LT(distance(approximated(rows, columns, 3, m, 1), m), 1e-5);
  EXPECT_LT(distance(approximated(rows, columns, 5, m, 1), m), 1e-5) << "columns that are not needed are 0";
  EXPECT_GT(distance(approximated(rows, columns, 2, m, 1), m), 0.05);
  const std::vector<float> full = normal(rows * columns, 3);
  const double one = distance(approximated(rows, columns, 4, full, 1), full);
  const double many = distance(approximated(rows, columns, 4, full, 20), full);
  EXPECT_LT(many, one);
  EXPECT_LT(distance(approximated(rows, columns, 8, full, 20), full), many);
  EXPECT_LT(one, 1);
}

TEST(LowRank, OrthogonalisesColumns) {
  const std::size_t rows = 50, rank = 6;
  std::vector<float> p = normal(rows * rank, 4);
  for (std::size_t row = 0; row < rows; ++row) p[row * rank + 3] = 2 * p[row * rank] - p[row * rank + 1];
  orthogonalise(rows, rank, p.data());
  for (std::size_t a = 0; a < rank; ++a) {
    for (std::size_t b = 0; b < rank; ++b) {
      double product = 0;
      for (std::size_t row = 0; row < rows; ++row)
        product += static_cast<double>(p[row * rank + a]) * static_cast<double>(p[row * rank + b]);
      EXPECT_NEAR(product, a == b && a != 3 ? 1 : 0, 1e-6) << a << ", " << b;
    }
  }
}

TEST(LowRank, DrawsLostColumnsAnew) {
  const LowRank of{3, 2};
  std::vector<float> q = {1, 0, 2, 0, 3, 0};
  revive(9, of, 3, q.data());
  EXPECT_EQ((std::vector<float>{q[0], q[2], q[4]}), (std::vector<float>{1, 2, 3}));
  EXPECT_TRUE(q[1] != 0 && q[3] != 0 && q[5] != 0);
}

TEST(LowRank, IsForMatricesThatItMakesSmaller) {
  Sizes sizes;
  sizes.width = 32;
  sizes.ffn = 64;
  sizes.words = 8;
  const Model model = make_model("", sizes, 8);
  const auto found = [&](std::size_t rank, double least_gain) {
    return low_rank_tensors(model, 0, model.tensors.size(), rank, least_gain);
  };
  for (const LowRank& of : found(4, 2)) {
    const Tensor& tensor = model.tensors[of.tensor];
    EXPECT_GT(tensor.rows, 1U) << "vectors are not matrices";
    EXPECT_LE(2 * 4 * (tensor.rows + tensor.columns), tensor.size());
  }
  EXPECT_FALSE(found(4, 2).empty());
  EXPECT_GT(found(1, 2).size(), found(4, 2).size());
  EXPECT_TRUE(found(64, 2).empty());
  for (const LowRank& of : found(64, 0))
    EXPECT_EQ(of.rank, std::min(model.tensors[of.tensor].rows, model.tensors[of.tensor].columns));
}

}  // namespace
}  // namespace assay::plugins::model
