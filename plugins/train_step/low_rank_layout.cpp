// SPDX-License-Identifier: Apache-2.0
#include "train_step/low_rank_layout.hpp"

#include <algorithm>
#include <utility>

namespace assay::plugins::train_step {
namespace {

constexpr double kLeastGain = 2;    // as on the host
constexpr std::size_t kPlace = 64;  // floats: 256 bytes

std::size_t placed(std::size_t floats) { return (floats + kPlace - 1) / kPlace * kPlace; }

// A place for so many floats, behind those that were taken.
std::size_t take(std::size_t& taken, std::size_t floats) {
  return std::exchange(taken, taken + placed(floats));
}

}  // namespace

LowRankLayout::LowRankLayout(const model::Model& model, const model::TensorPlaces& places,
                             const std::vector<model::Bucket>& of, std::size_t rank) {
  std::size_t end = model.tensors.size();
  for (const model::Bucket& bucket : of) {
    const auto first = static_cast<std::size_t>(bucket.lowest_tensor);
    const std::vector<model::LowRank> low = model::low_rank_tensors(model, first, end, rank, kLeastGain);
    Bucket& to = buckets.emplace_back();
    auto next = low.begin();
    for (std::size_t t = first; t < end; ++t) {
      const model::Tensor& tensor = model.tensors[t];
      const std::size_t behind = t + 1 < model.tensors.size() ? places.offset(t + 1) : places.size();
      if (next == low.end() || next->tensor != t) {
        to.whole.push_back({places.offset(t), tensor.size(), take(to.first, tensor.size())});
        continue;
      }
      Matrix& matrix = to.matrices.emplace_back();
      matrix.of = *next++;
      matrix.rows = tensor.rows;
      matrix.columns = tensor.columns;
      matrix.gradient = places.offset(t);
      matrix.size = behind - matrix.gradient;
      matrix.p = take(to.first, tensor.rows * matrix.of.rank);
      matrix.q = take(to.second, tensor.columns * matrix.of.rank);
      matrix.kept = take(kept, tensor.columns * matrix.of.rank);
      matrix.error = take(kept, matrix.size);
    }
    staging = std::max(staging, to.first + to.second);
    end = first;
  }
  for (Bucket& bucket : buckets) {
    for (Matrix& matrix : bucket.matrices) {
      matrix.kept += staging;
      matrix.error += staging;
    }
  }
}

std::uint64_t LowRankLayout::sent() const {
  std::uint64_t floats = 0;
  for (const Bucket& bucket : buckets) {
    for (const Whole& whole : bucket.whole) floats += whole.size;
    for (const Matrix& matrix : bucket.matrices) floats += (matrix.rows + matrix.columns) * matrix.of.rank;
  }
  return floats;
}

}  // namespace assay::plugins::train_step
