// SPDX-License-Identifier: Apache-2.0
//
// The memory of a step in words: the terms that predicted_memory adds up.
#pragma once

#include "lib/available_memory.hpp"
#include "train_step/step_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::plugins::train_step {

// Of a model with `all` parameters on one rank, besides what ranks share.
inline std::string memory_formula(std::size_t all, const StepSizes& sizes) {
  const auto size = [](std::size_t numbers) { return memory_text(std::uint64_t{4} * numbers); };
  std::string text = std::to_string(all);
  if (sizes.parameters == sizes.gradients) {
    text += sizes.parameters == all ? " parameters and gradients: "
                                    : " parameters and gradients, of each a share: ";
    text += size(sizes.parameters + sizes.gradients);
  } else {
    text +=
        " parameters: " + size(sizes.parameters) + ", a share of their gradients " + size(sizes.gradients);
  }
  if (sizes.gathered != 0) text += ", gathered parameters " + size(sizes.gathered);
  if (sizes.unreduced != 0) text += ", gradients to reduce " + size(sizes.unreduced);
  if (sizes.compression != 0) text += ", compression " + size(sizes.compression);
  if (sizes.state != 0)
    text += (sizes.state == all ? ", optimiser " : ", a share of the optimiser's ") + size(2 * sizes.state);
  if (sizes.activations != 0)
    text += ", activations " + size(sizes.activations) + ", their gradients " +
            size(sizes.workspace + sizes.scratch);
  if (sizes.loader != 0) text += ", loader " + size(sizes.loader);
  return text + ", inputs " + size(sizes.features + sizes.tokens + sizes.labels);
}

}  // namespace assay::plugins::train_step
