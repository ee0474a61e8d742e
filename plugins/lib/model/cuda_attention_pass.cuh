// SPDX-License-Identifier: Apache-2.0
//
// Attention of one layer on a GPU, forward and backward, piece by piece (AttentionPieces): scores of a piece, their
// probabilities, what comes of them, then the next piece in the same place. The backward pass computes them again.
#pragma once

#include "lib/model/cuda_attention.hpp"
#include "lib/model/cuda_plan.hpp"
#include "lib/model/cuda_products.hpp"
#include "lib/model/model.hpp"

#include <cmath>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <utility>
#include <vector>

namespace assay::plugins::model::device {

// Q is the type of packed gradients: float where they add up, else C.
template <class C, class Q>
class AttentionPass {
 public:
  AttentionPass(const cublaslt::Handle& handle, Workspace workspace, cublasComputeType_t compute,
                const Operation& operation, std::size_t sequence, std::size_t samples)
      : pieces_(attention_pieces(operation, sequence, samples)),
        causal_(operation.causal),
        s_(sequence),
        d_(operation.out / operation.heads),
        group_(operation.heads / operation.kv_heads),
        keys_at_(samples * operation.heads * s_ * d_),
        values_at_(keys_at_ + samples * operation.kv_heads * s_ * d_) {
    const double scale = 1 / std::sqrt(static_cast<double>(d_));
    for (std::size_t band = 0; band < pieces_.bands; ++band) {
      Shape shape;
      shape.first = band * pieces_.place_rows;
      shape.rows = pieces_.bands == 1 ? pieces_.rows : std::min(pieces_.place_rows, s_ - shape.first);
      shape.keys = causal_ ? std::min(s_, shape.first + pieces_.place_rows) : s_;
      bands_.push_back(make_band(handle, workspace, compute, shape, scale));
    }
  }

  // `packed` as Heads has it. `value` comes out packed, too.
  void forward(cudaStream_t stream, const C* packed, float* scores, float* log_sums, C* value) const {
    each([&](const Band& band, std::size_t pair, std::size_t member) {
      const std::size_t query = query_at(band, pair, member);
      band.scores.queue(stream, packed + query, packed + keys_at_ + pair * s_ * d_, scores);
      softmax<C>(stream, shape_of(band), scores, log_sums + query / d_);
      band.value.queue(stream, scores, packed + values_at_ + pair * s_ * d_, value + query);
    });
  }

  void backward(cudaStream_t stream, const C* packed, const float* log_sums, const C* value_gradient,
                float* scores, float* scores_gradient, Q* gradient) const {
    each([&](const Band& band, std::size_t pair, std::size_t member) {
      const std::size_t query = query_at(band, pair, member), key = keys_at_ + pair * s_ * d_,
                        value = values_at_ + pair * s_ * d_;
      const bool first = member == 0 && &band == &bands_.back();  // it reaches every key
      const C* const by = value_gradient + query;
      band.scores.queue(stream, packed + query, packed + key, scores);
      band.scores_gradient.queue(stream, by, packed + value, scores_gradient);
      softmax_backward<C>(stream, shape_of(band), scores, log_sums + query / d_, scores_gradient);
      (first ? band.values_gradient : band.values_more).queue(stream, scores, by, gradient + value);
      band.queries_gradient.queue(stream, scores_gradient, packed + key, gradient + query);
      (first ? band.keys_gradient : band.keys_more)
          .queue(stream, scores_gradient, packed + query, gradient + key);
    });
  }

 private:
  struct Shape {
    std::size_t first = 0, rows = 0, keys = 0;
  };
  struct Band {
    Shape shape;
    ReadyProduct scores, value, scores_gradient, queries_gradient;
    ReadyProduct values_gradient, values_more, keys_gradient, keys_more;
  };

  Band make_band(const cublaslt::Handle& handle, Workspace workspace, cublasComputeType_t compute,
                 const Shape& shape, double scale) const {
    // Probabilities lie where the scores did: in a narrower type there are gaps between their rows.
    constexpr std::size_t kGap = sizeof(float) / sizeof(C);
    const std::size_t queries = group_ * s_ * d_, keys = s_ * d_, matrix = shape.rows * shape.keys;
    cublaslt::Problem problem;
    problem.batch = pieces_.at_once;
    problem.compute = compute;
    problem.a = problem.b = type_of<C>();
    problem.alignment = alignment_of({s_ * d_ * sizeof(C), pieces_.place_rows * d_ * sizeof(C),
                                      matrix * sizeof(float), shape.keys * sizeof(float)});
    const auto ready = [&](double factor, double kept) {
      problem.factor = factor;
      problem.kept = kept;
      return ReadyProduct(handle, problem, workspace);
    };
    const auto sizes = [&](std::size_t m, std::size_t n, std::size_t k, bool ta, bool tb,
                           cudaDataType_t type) {
      problem.m = m, problem.n = n, problem.k = k;
      problem.transpose_a = ta, problem.transpose_b = tb;
      problem.d = type;
    };
    // Of queries with keys, and of the value's gradient with values.
    sizes(shape.rows, shape.keys, d_, false, true, type_of<float>());
    problem.a_stride = queries, problem.b_stride = keys, problem.d_stride = matrix;
    ReadyProduct scores = ready(scale, 0), scores_gradient = ready(1, 0);
    // Of probabilities with values.
    problem.a_row = shape.keys * kGap, problem.a_stride = matrix * kGap;
    sizes(shape.rows, d_, shape.keys, false, false, type_of<C>());
    problem.b_stride = keys, problem.d_stride = queries;
    ReadyProduct value = ready(1, 0);
    sizes(shape.rows, d_, shape.keys, false, false, type_of<Q>());
    ReadyProduct queries_gradient = ready(scale, 0);
    sizes(shape.keys, d_, shape.rows, true, false, type_of<Q>());
    problem.b_stride = queries, problem.d_stride = keys;
    ReadyProduct values_gradient = ready(1, 0), values_more = ready(1, 1);
    ReadyProduct keys_gradient = ready(scale, 0), keys_more = ready(scale, 1);
    return {shape,
            std::move(scores),
            std::move(value),
            std::move(scores_gradient),
            std::move(queries_gradient),
            std::move(values_gradient),
            std::move(values_more),
            std::move(keys_gradient),
            std::move(keys_more)};
  }

  // Every piece of pairs, members of a group and bands; the last band first, because it reaches every key.
  template <class Body>
  void each(const Body& body) const {
    for (std::size_t pair = 0; pair < pieces_.pairs; pair += pieces_.at_once) {
      for (std::size_t member = 0; member < pieces_.members; ++member) {
        for (std::size_t band = bands_.size(); band-- > 0;) body(bands_[band], pair, member);
      }
    }
  }

  std::size_t query_at(const Band& band, std::size_t pair, std::size_t member) const {
    return ((pair * group_ + member) * s_ + band.shape.first) * d_;
  }

  ScoresShape shape_of(const Band& band) const {
    ScoresShape shape;
    shape.pairs = pieces_.at_once;
    shape.rows = band.shape.rows;
    shape.keys = band.shape.keys;
    shape.place_rows = pieces_.bands == 1 ? s_ : band.shape.rows;
    shape.first_place = band.shape.first;
    shape.causal = causal_;
    shape.sums_stride = group_ * s_;
    return shape;
  }

  AttentionPieces pieces_;
  bool causal_;
  std::size_t s_, d_, group_, keys_at_, values_at_;
  std::vector<Band> bands_;
};

}  // namespace assay::plugins::model::device
