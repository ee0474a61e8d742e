// SPDX-License-Identifier: Apache-2.0
//
// A model cut into parts, one behind the other, each a model of its own.
#pragma once

#include "lib/model/model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace assay::plugins::model {

// Layers of each part, as a text says: "even", numbers that differ by one at most, the larger ones first; or one
// number for each part, "6-2-2-2". Throws std::invalid_argument for another number of parts, for a part without a
// layer and for numbers that do not add up to `layers`.
std::vector<std::size_t> layers_of_parts(const std::string& text, std::size_t layers, std::size_t parts);

struct Part {
  Model model;
  std::size_t first_parameter = 0;  // of the whole model
  std::size_t layers = 0;
};

// What is before the layers belongs to the first part, what is behind them, with the loss, to the last. The others
// begin with an operation of kind `received`. `layers` add up to those of the model, none is 0.
std::vector<Part> make_parts(const Model& whole, const std::vector<std::size_t>& layers);

// Floats of what a part hands to the one behind for this many samples, and of the gradient that comes back; 0 of the last.
std::size_t handed_over(const Part& part, std::size_t samples);

}  // namespace assay::plugins::model
