// SPDX-License-Identifier: Apache-2.0
//
// Of low_rank.hpp what takes no product: which tensors are sent so, and what their columns begin from.
#include "lib/model/low_rank.hpp"

#include <assay/random.hpp>

#include <algorithm>

namespace assay::plugins::model {

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

void revive(std::uint64_t seed, const LowRank& of, std::size_t columns, float* q) {
  const Random random = columns_of(seed, of);
  for (std::size_t column = 0; column < of.rank; ++column) {
    bool is_zero = true;
    for (std::size_t row = 0; row < columns; ++row) is_zero = is_zero && q[row * of.rank + column] == 0;
    for (std::size_t row = 0; row < columns && is_zero; ++row)
      q[row * of.rank + column] = static_cast<float>(random.normal(row * of.rank + column));
  }
}

void draw_columns(std::uint64_t seed, const LowRank& of, std::size_t columns, float* q) {
  const Random random = columns_of(seed, of);
  for (std::size_t i = 0; i < columns * of.rank; ++i) q[i] = static_cast<float>(random.normal(i));
}

}  // namespace assay::plugins::model
