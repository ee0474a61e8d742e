// SPDX-License-Identifier: Apache-2.0
//
// How a model runs on a GPU: which operations become one, where values and gradients lie, in which pieces
// attention is computed. Made from the model's numbers alone, so that the memory of a step is known before
// anything is allocated.
//
// An addition is done by the product before it, which begins with what went round. Gradients of biases come out of
// the kernel that reads or makes the gradient of the product's value.
#pragma once

#include "lib/model/cuda_arithmetic.hpp"
#include "lib/model/model.hpp"
#include "lib/model/plan.hpp"

#include <cstddef>
#include <vector>

namespace assay::plugins::model {

inline constexpr std::size_t kNoPlace = ~std::size_t{0};
// In a place: it is one of the second arena.
inline constexpr std::size_t kPassing = std::size_t{1} << 62;

// Whether one micro-batch at a time goes through the model, in one arena; or others may come between its forward and
// its backward pass: then what it keeps meanwhile lies in an arena of its own, and all others share a second one.
enum class InFlight { one, several };

// Scores of attention exist for so many pairs of samples and heads of keys at once that they fit into the cache.
// With pairs · rows · keys numbers of 4 bytes in a matrix, forward takes one matrix and backward two.
struct AttentionPieces {
  std::size_t pairs = 0;    // of samples and heads of keys; all there are
  std::size_t at_once = 0;  // divides them
  std::size_t members = 1;  // heads of queries of a head of keys that are taken one after the other
  std::size_t rows = 0;     // queries at once, of each pair
  std::size_t place_rows =
      0;                  // of them this many follow one another in the sequence: then comes the next head
  std::size_t bands = 1;  // pieces of the sequence of queries; the last may be shorter
  std::size_t matrix_bytes = 0;
  // Of all pairs of queries and keys, those that are computed: bands of a causal model leave out what they mask whole.
  double share(std::size_t sequence, bool causal) const;
  // Gradients of keys and values are sums over bands and members; then they are added up in fp32.
  bool adds_up() const { return members * bands > 1; }
};

AttentionPieces attention_pieces(const Operation& attention, std::size_t sequence, std::size_t samples);

struct CudaPlan {
  std::size_t samples = 0;

  // Bytes into the arena, by operation; kNoPlace: there is none. `compute` and `stream` are the types that
  // cuda_arithmetic.hpp says; where they are one type both are the same place.
  struct Places {
    std::size_t compute = kNoPlace, stream = kNoPlace;
  };
  std::vector<Places> value, gradient;
  std::vector<bool> is_stream;  // the gradient of its value has the type of the stream
  std::vector<bool>
      accumulates;       // adds to the gradient of its input, because what went round it has been there
  std::vector<int> sum;  // of a product that does the addition behind it: that addition
  std::vector<bool> bias_elsewhere;  // of a product: another operation makes the gradient of its bias
  std::vector<int> bias_of;          // of an operation: the product whose bias' gradient it makes
  // Of the last operation of a layer that is computed again before its backward pass: the layer's first. Else kNone.
  std::vector<int> computed_again_from;

  // fp32: statistics of norms, logarithms of sums of attention's rows, losses of rows.
  std::vector<std::size_t> beside;
  // Of attention: queries, keys and values, one head behind the other, and the value before it is put into rows;
  // the same of the gradients, which are fp32 where AttentionPieces::adds_up().
  std::vector<std::size_t> packed, packed_value, packed_gradient, packed_value_gradient;
  // Matrices of attention: of the forward pass, and two of the backward pass, which computes the first again.
  std::vector<std::size_t> scores, scores_again, scores_gradient;
  // Fused attention has none of these, but memory of the library's, forward and backward.
  bool fused = false;
  std::vector<std::size_t> fused_forward, fused_backward;
  AttentionPieces attention;  // all layers are alike

  std::size_t embedding_lists = kNoPlace, embedding_sums = kNoPlace;
  std::size_t partial_sums = kNoPlace;  // fp32: of columns, by block

  std::size_t arena_bytes = 0;    // of InFlight::several: what a micro-batch keeps between its passes
  std::size_t passing_bytes = 0;  // of InFlight::several: the rest
  std::size_t least_bytes = 0;    // of any placement of these buffers, in both
};

// Blocks that share the rows of a norm's backward pass, and pieces of rows whose columns are summed apart.
std::size_t norm_blocks(std::size_t rows);
std::size_t column_pieces(std::size_t rows);

// Of a model or of a part of one (partition.hpp). What a part hands over, and the gradient that it is given for it, have
// the type of the stream where is_stream[] says so, else that of products. Throws std::invalid_argument for an addition
// behind anything but a product, which make_model() never makes; and for layers that are computed again with several
// micro-batches in flight. A layer that is computed again writes where it wrote before; in between others lie there.
CudaPlan make_cuda_plan(const Model& model, std::size_t samples, const NumberBytes& bytes,
                        bool fused_attention = false, InFlight in_flight = InFlight::one,
                        Keep keep = Keep::all);

// Bytes of what a part is given of a micro-batch, and of what it hands over; gradients of them have as many.
std::size_t received_bytes(const Model& part, const CudaPlan& plan, const NumberBytes& bytes);
std::size_t result_bytes(const Model& part, const CudaPlan& plan, const NumberBytes& bytes);

}  // namespace assay::plugins::model
