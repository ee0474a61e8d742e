// SPDX-License-Identifier: Apache-2.0
//
// Where the values and gradients of a step lie, in elements of two arrays: `activations`, what the forward
// pass keeps, and `workspace`, gradients of values that live only until they have been used. Planned before
// anything is allocated, so that the memory of a step is known from the model's numbers alone.
#pragma once

#include "lib/model/model.hpp"

#include <cstddef>
#include <vector>

namespace assay::plugins::model {

struct Place {
  bool in_workspace = false;
  std::size_t offset = 0;  // elements
};

struct Plan {
  std::size_t samples = 0;
  std::vector<Place> value;  // of each operation. That of `loss` has none
  // Gradient of each operation's value; the model's input and `loss` have none.
  std::vector<Place> gradient;
  // First element in `activations` of what each operation keeps beside its value: statistics of norms, probabilities.
  std::vector<std::size_t> beside;
  // Whether the operation adds to the gradient of its input, because what went round it has been there.
  std::vector<bool> accumulates;
  // Of the last operation of a layer that is computed again before its backward pass: the layer's first. Else kNone.
  std::vector<int> computed_again_from;
  std::size_t activations = 0, workspace = 0;  // elements
};

// Whether the backward pass of a micro-batch is one, or gradients of values first and those of parameters later, when
// other micro-batches have passed: then each micro-batch has a workspace of its own, in which the gradients that are
// still to be read stay.
enum class Backward { whole, split };

// Whether all that the backward pass reads is kept, or of layers only what each hands to the next: then all other
// values of a layer lie where those of any other layer do, and the layer is computed again before its backward pass.
enum class Keep { all, between_layers };

// Values that nobody reads in the backward pass lie in the place of what is made of them (a sum, a tanh), or
// in that of their own gradient, which begins to live later. Gradients share a place where the one is the
// other: before and behind an operation that is done in place, and behind a residual connection, unless the
// backward pass is split: there more is added to the gradient of what went round, and the sum's is still to be read.
// Throws std::invalid_argument for a backward pass that is split and reads what is not kept.
Plan make_plan(const Model& model, std::size_t samples, Backward backward = Backward::whole,
               Keep keep = Keep::all);

// Elements that attention needs besides, for each thread that works on it: the gradient of one head's
// probabilities.
std::size_t attention_scratch(const Model& model);

}  // namespace assay::plugins::model
