// SPDX-License-Identifier: Apache-2.0
//
// The update of parameters by one of the optimisers, and whether it was made as its formula says.
#pragma once

#include "lib/model/host_optimizer.hpp"
#include "lib/model/host_workers.hpp"

#include <assay/verification.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace assay::plugins::model {

enum class Optimizer { sgd, adamw };

// Numbers of state for each parameter: AdamW has a first and a second moment.
inline std::size_t state_numbers(Optimizer optimizer) { return optimizer == Optimizer::adamw ? 2 : 0; }

// Arrays that the caller owns, of one length; moments of AdamW only.
struct UpdateArrays {
  float *parameters = nullptr, *gradients = nullptr, *first_moments = nullptr, *second_moments = nullptr;
};

// The same to look at.
struct UpdatedArrays {
  const float *parameters = nullptr, *gradients = nullptr, *first_moments = nullptr,
              *second_moments = nullptr;

  UpdatedArrays() = default;
  UpdatedArrays(const UpdateArrays& of)
      : parameters(of.parameters),
        gradients(of.gradients),
        first_moments(of.first_moments),
        second_moments(of.second_moments) {}
};

class Update {
 public:
  explicit Update(Optimizer optimizer) : optimizer_(optimizer) {}

  // `step` counts from 1.
  void apply(HostWorkers& workers, std::size_t count, std::uint64_t step, const UpdateArrays& of) const {
    workers.share(count, kElements, [&](std::size_t from, std::size_t to) {
      if (optimizer_ == Optimizer::sgd) {
        sgd_.update(from, to, of.gradients, of.parameters);
      } else {
        adamw_.update(from, to, step, of.gradients, of.parameters, of.first_moments, of.second_moments);
      }
    });
  }

  // Parameters as they were before the last of `steps` updates, or as they are without one.
  void before(std::size_t first, std::size_t count, std::uint64_t steps, const UpdatedArrays& of,
              double* out) const {
    const AdamW::Exact adam = adamw_.exact(steps > 0 ? steps : 1);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = first + i;
      const auto w = static_cast<double>(of.parameters[at]);
      if (steps == 0) {
        out[i] = w;
      } else if (optimizer_ == Optimizer::sgd) {
        out[i] = sgd_.before(w, static_cast<double>(of.gradients[at]));
      } else {
        out[i] = adam.before(w, static_cast<double>(of.first_moments[at]),
                             static_cast<double>(of.second_moments[at]));
      }
    }
  }

  // Holds what the first update left of parameter `at`, which was `start`, to the formula. `index` names it.
  void check_first(Verification& seen, std::size_t at, double start, const UpdatedArrays& of,
                   std::uint64_t index) const {
    const auto g = static_cast<double>(of.gradients[at]);
    double expected = 0;
    if (optimizer_ == Optimizer::sgd) {
      expected = sgd_.next(start, g);
    } else {
      const double m = (1 - static_cast<double>(adamw_.beta1)) * g;
      const double v = (1 - static_cast<double>(adamw_.beta2)) * g * g;
      // Squares of the smallest gradients are below the normal numbers.
      seen.expect_close(static_cast<double>(of.first_moments[at]), m, absolute(1e-6 * std::fabs(m) + 1e-37),
                        index);
      seen.expect_close(static_cast<double>(of.second_moments[at]), v, absolute(1e-6 * v + 1e-37), index);
      expected = adamw_.exact(1).next(start, m, v);
    }
    // Two roundings of the sum, and some of the change.
    const double limit = 2.4e-7 * std::fabs(start) + 4e-6 * std::fabs(expected - start);
    seen.expect_close(static_cast<double>(of.parameters[at]), expected, absolute(limit + 1e-15), index);
  }

 private:
  static constexpr std::size_t kElements = 16 << 10;  // that one thread takes at least

  Optimizer optimizer_;
  Sgd sgd_;
  AdamW adamw_;
};

}  // namespace assay::plugins::model
