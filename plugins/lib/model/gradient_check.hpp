// SPDX-License-Identifier: Apache-2.0
//
// Holds a gradient against differences of the loss in double precision: along a direction v the loss changes by
// g·v. A direction goes through every parameter at once, by an amount that is large where a tensor's gradient
// is small, so that each tensor has its say; two calls of the loss tell about all of them.
#pragma once

#include "lib/model/model.hpp"
#include "lib/model/reference_loss.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace assay::plugins::model {

// The mean loss over all that the gradient is of, with these parameters. On each rank of several the mean over
// all of them: then every rank calls it equally often.
using LossOf = std::function<double(const ParametersOf&)>;

// In units of what a gradient of independent errors would have along v.
struct Slope {
  double by_gradient = 0;
  double by_difference = 0;
  double rounding = 0;  // the standard deviation of by_gradient at most, where its elements were rounded
};

// By how much an element of a gradient may have been rounded: `relative` of itself and `absolute`.
struct ElementError {
  double relative = 0, absolute = 0;
};

// By how much of itself a gradient in fp32 may be off along a direction.
inline constexpr double kSlopeTolerance = 1e-3;

// `directions` are drawn from the seed, ±1 for each parameter. `gradients` are Model::parameters() of them.
std::vector<Slope> slopes(const Model& model, const float* gradients, const ParametersOf& parameters,
                          const LossOf& loss, int directions, std::uint64_t seed, ElementError rounding = {});

}  // namespace assay::plugins::model
