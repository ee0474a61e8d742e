// SPDX-License-Identifier: Apache-2.0
//
// What a model needs and does, counted from its operations: products, operations, bytes.
#pragma once

#include "lib/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::plugins::model {

// A product of the forward pass, m × k by k × n, `count` times. The backward pass has two more of the same
// size for each: the gradient of either factor.
struct Product {
  int operation = 0;
  std::size_t m = 0, n = 0, k = 0;
  std::size_t count = 1;
  bool attention = false;  // of queries with keys, or of probabilities with values

  double flop() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(count);
  }
};

std::vector<Product> products(const Model& model, std::size_t samples);

// Floating-point operations of products; what is done element by element does not count, as everywhere.
struct Flops {
  double products = 0;   // with parameters
  double attention = 0;  // of queries with keys and of probabilities with values; all pairs of tokens
  double total() const { return products + attention; }
};

// Of one forward pass over this many samples.
Flops forward_flops(const Model& model, std::size_t samples);
// Of one backward pass: twice the forward pass, less the gradient of an input that has no parameters.
Flops backward_flops(const Model& model, std::size_t samples);
// Of computing all layers once more, which is part of the backward pass where only values between them are kept.
Flops recomputed_flops(const Model& model, std::size_t samples);
// What "model FLOPs" are in publications: three times the forward pass (Narayanan et al., SC21, equation 3,
// where activations are not computed again).
double model_flops(const Model& model, std::size_t samples);

// How what the forward pass keeps for the backward pass is stored.
struct Storage {
  std::size_t element_bytes = 4;
  bool probabilities = true;  // of attention are kept; else they are computed again
  bool dropout = false;    // masks of a byte an element, and probabilities before and behind, as Korthikanti
                           // et al. (2022) count them; nothing here drops anything
  bool statistics = true;  // of norms: a number or two for each row
  // Of layers only what each hands on is kept, beside all that one of them needs: they are computed again.
  bool between_layers = false;
};

// Bytes that the forward pass over this many samples keeps for the backward pass, inputs of the model not
// counted.
std::uint64_t activation_bytes(const Model& model, std::size_t samples, const Storage& storage);

// Of each operation whether the backward pass reads its value.
std::vector<bool> kept_values(const Model& model);

// Bytes of model state for each parameter: the parameter, its gradient and the optimiser's numbers, all of
// `element_bytes`, `optimizer_numbers` of them (SGD 0, AdamW 2).
std::uint64_t state_bytes(const Model& model, std::size_t element_bytes, std::size_t optimizer_numbers);

}  // namespace assay::plugins::model
