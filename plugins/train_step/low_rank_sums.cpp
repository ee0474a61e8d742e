// SPDX-License-Identifier: Apache-2.0
#include "train_step/low_rank_sums.hpp"

#include "lib/model/cuda_low_rank.hpp"
#include "lib/model/cuda_optimizer.hpp"

#include <assay/cuda/error.hpp>

#include <utility>

namespace assay::plugins::train_step {

LowRankSums::LowRankSums(const cublaslt::Handle& handle, const Collectives& collectives, LowRankLayout layout,
                         const LowRankMemory& memory, std::uint32_t ranks)
    : collectives_(collectives),
      layout_(std::move(layout)),
      memory_(memory),
      share_(1 / static_cast<float>(ranks)) {
  for (const LowRankLayout::Bucket& bucket : layout_.buckets) {
    for (const Matrix& matrix : bucket.matrices) make_products(handle, matrix);
  }
}

// Of each shape once. Numbers lie row by row.
void LowRankSums::make_products(const cublaslt::Handle& handle, const Matrix& matrix) {
  const auto key = std::tuple(matrix.rows, matrix.columns, matrix.of.rank);
  if (products_.count(key) != 0) return;
  const auto ready = [&](std::size_t m, std::size_t n, std::size_t k, bool transpose_a, bool transpose_b) {
    cublaslt::Problem problem;
    problem.m = m, problem.n = n, problem.k = k;
    problem.transpose_a = transpose_a;
    problem.transpose_b = transpose_b;
    return model::device::ReadyProduct(handle, problem, memory_.workspace);
  };
  products_.emplace(key, Products{ready(matrix.rows, matrix.of.rank, matrix.columns, false, false),
                                  ready(matrix.columns, matrix.of.rank, matrix.rows, true, false),
                                  ready(matrix.rows, matrix.columns, matrix.of.rank, false, true)});
}

void LowRankSums::copy(const float* from, float* to, std::size_t numbers) const {
  ASSAY_CUDA_CHECK(
      cudaMemcpyAsync(to, from, numbers * sizeof(float), cudaMemcpyDeviceToDevice, collectives_.stream()));
}

void LowRankSums::restore(cudaStream_t stream, std::uint64_t seed) {
  seed_ = seed;
  for (const LowRankLayout::Bucket& bucket : layout_.buckets) {
    for (const Matrix& matrix : bucket.matrices) {
      model::draw_columns(stream, model::columns_of(seed, matrix.of), matrix.columns * matrix.of.rank,
                          kept(matrix.kept));
      ASSAY_CUDA_CHECK(cudaMemsetAsync(kept(matrix.error), 0, matrix.size * sizeof(float), stream));
    }
  }
}

void LowRankSums::sum(std::size_t number, float* gradients, const Exchange& exchange) const {
  const LowRankLayout::Bucket& bucket = layout_.buckets[number];
  const cudaStream_t stream = collectives_.stream();
  for (const LowRankLayout::Whole& whole : bucket.whole)
    copy(gradients + whole.gradient, first(whole.place), whole.size);
  for (const Matrix& matrix : bucket.matrices) {
    float* const m = gradients + matrix.gradient;
    model::add_numbers(stream, model::Arithmetic::fp32, matrix.size, kept(matrix.error), m);
    products(matrix).project.queue(stream, m, kept(matrix.kept), first(matrix.p));
  }
  exchange([&] { collectives_.sum(first(0), bucket.first, false); });
  for (const LowRankLayout::Whole& whole : bucket.whole)
    copy(first(whole.place), gradients + whole.gradient, whole.size);
  if (bucket.matrices.empty()) return;
  for (const Matrix& matrix : bucket.matrices) {
    model::orthogonalise(stream, matrix.rows, matrix.of.rank, first(matrix.p));
    products(matrix).project_back.queue(stream, gradients + matrix.gradient, first(matrix.p),
                                        second(bucket, matrix.q));
  }
  exchange([&] { collectives_.sum(second(bucket, 0), bucket.second, false); });
  for (const Matrix& matrix : bucket.matrices) {
    float *const m = gradients + matrix.gradient, *const error = kept(matrix.error);
    copy(m, error, matrix.numbers());
    copy(second(bucket, matrix.q), kept(matrix.kept), matrix.columns * matrix.of.rank);
    model::revive(stream, model::columns_of(seed_, matrix.of), matrix.columns, matrix.of.rank,
                  kept(matrix.kept));
    products(matrix).expand.queue(stream, first(matrix.p), second(bucket, matrix.q), m);
    model::take_away(stream, matrix.numbers(), share_, m, error);
  }
}

void LowRankSums::remainder(std::size_t size, float* to) const {
  ASSAY_CUDA_CHECK(cudaMemsetAsync(to, 0, size * sizeof(float), collectives_.stream()));
  for (const LowRankLayout::Bucket& bucket : layout_.buckets) {
    for (const Matrix& matrix : bucket.matrices)
      copy(kept(matrix.error), to + matrix.gradient, matrix.numbers());
  }
  collectives_.sum(to, size, false);
}

}  // namespace assay::plugins::train_step
