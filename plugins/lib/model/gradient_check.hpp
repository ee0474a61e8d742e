// SPDX-License-Identifier: Apache-2.0
//
// Holds a gradient against differences of the loss in double precision: along a direction v the loss changes by
// g·v. A direction goes through every parameter at once, by an amount that is large where a tensor's gradient
// is small, so that each tensor has its say; two calls of the loss tell about all of them.
#pragma once

#include "lib/model/model.hpp"
#include "lib/model/reference_loss.hpp"

#include <assay/random.hpp>

#include <algorithm>
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

// How far the two may be apart because elements were rounded: so many standard deviations, each of so much at most, so that
// a gradient which rounding leaves nothing of is found.
inline double allowance_of(const Slope& slope) {
  constexpr double kDeviations = 5, kMostRounding = 0.02;
  return kDeviations * std::min(slope.rounding, kMostRounding);
}

// By how much of itself a gradient in fp32 may be off along a direction.
inline constexpr double kSlopeTolerance = 1e-3;

// A direction through all parameters: +1 or -1 for each, 64 of them from a draw.
class Direction {
 public:
  ASSAY_HOST_DEVICE Direction(std::uint64_t seed, int direction)
      : random_(seed, 0x517E5ull + static_cast<std::uint64_t>(direction)) {}
  // Those of parameters 64 · block and on, a bit each.
  ASSAY_HOST_DEVICE std::uint64_t bits(std::size_t block) const { return random_.bits(block); }
  ASSAY_HOST_DEVICE static double sign(std::uint64_t bits, std::size_t i) {
    return (bits >> (i % 64) & 1) != 0 ? 1.0 : -1.0;
  }

 private:
  Random random_;
};

// How far the parameters of each tensor go along a direction, by the norms of their gradients.
std::vector<double> changes_of(const Model& model, const std::vector<double>& norms);
// What a Slope is in units of.
double unit_of(const std::vector<double>& norms, const std::vector<double>& changes);
// Slope::rounding, of tensors whose gradients have these norms.
double rounding_of(const Model& model, const std::vector<double>& norms, const std::vector<double>& changes,
                   ElementError rounding);

// `directions` are drawn from the seed, ±1 for each parameter. `gradients` are Model::parameters() of them.
std::vector<Slope> slopes(const Model& model, const float* gradients, const ParametersOf& parameters,
                          const LossOf& loss, int directions, std::uint64_t seed, ElementError rounding = {});

}  // namespace assay::plugins::model
