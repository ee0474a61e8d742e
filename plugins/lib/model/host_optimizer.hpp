// SPDX-License-Identifier: Apache-2.0
//
// Optimisers on the host, fused: one pass over parameter, gradient and state.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace assay::plugins::model {

// w -= rate·g
struct Sgd {
  float rate = 1e-3F;

  void update(std::size_t from, std::size_t to, const float* __restrict__ gradients,
              float* __restrict__ parameters) const {
    for (std::size_t i = from; i < to; ++i) parameters[i] -= rate * gradients[i];
  }
  double next(double w, double g) const { return w - static_cast<double>(rate) * g; }
  // What w was before the update.
  double before(double w, double g) const { return w + static_cast<double>(rate) * g; }
};

// Adam with decoupled decay: Loshchilov and Hutter, ICLR 2019, algorithm 2, as frameworks have it:
//   m = β1·m + (1-β1)·g,  v = β2·v + (1-β2)·g²,  w = w·(1 - rate·decay) - rate·(m/(1-β1^t))/(√(v/(1-β2^t)) + ε)
struct AdamW {
  float rate = 1e-5F, beta1 = 0.9F, beta2 = 0.999F, epsilon = 1e-8F, decay = 0.01F;

  struct Corrections {
    float rate, second;  // rate/(1-β1^t), 1/√(1-β2^t)
  };
  // `step` counts from 1.
  Corrections corrections(std::uint64_t step) const {
    const auto t = static_cast<double>(step);
    return {static_cast<float>(static_cast<double>(rate) / (1 - std::pow(static_cast<double>(beta1), t))),
            static_cast<float>(1 / std::sqrt(1 - std::pow(static_cast<double>(beta2), t)))};
  }

  void update(std::size_t from, std::size_t to, std::uint64_t step, const float* __restrict__ gradients,
              float* __restrict__ parameters, float* __restrict__ first, float* __restrict__ second) const {
    const Corrections correct = corrections(step);
    const float kept = 1 - rate * decay;
    for (std::size_t i = from; i < to; ++i) {
      const float g = gradients[i];
      first[i] = beta1 * first[i] + (1 - beta1) * g;
      second[i] = beta2 * second[i] + (1 - beta2) * g * g;
      const float root = std::sqrt(second[i]) * correct.second + epsilon;
      parameters[i] = parameters[i] * kept - correct.rate * first[i] / root;
    }
  }

  // The same in double precision, for one step number.
  struct Exact {
    double kept, rate, second, epsilon;  // 1 - rate·decay, rate/(1-β1^t), 1/√(1-β2^t), ε

    double change(double m, double v) const { return rate * m / (std::sqrt(v) * second + epsilon); }
    double next(double w, double m, double v) const { return w * kept - change(m, v); }
    // What w was before the update that left m and v.
    double before(double w, double m, double v) const { return (w + change(m, v)) / kept; }
  };
  Exact exact(std::uint64_t step) const {
    const auto t = static_cast<double>(step);
    return {1 - static_cast<double>(rate) * static_cast<double>(decay),
            static_cast<double>(rate) / (1 - std::pow(static_cast<double>(beta1), t)),
            1 / std::sqrt(1 - std::pow(static_cast<double>(beta2), t)), static_cast<double>(epsilon)};
  }
};

}  // namespace assay::plugins::model
