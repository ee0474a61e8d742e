// SPDX-License-Identifier: Apache-2.0
#include "lib/model/gradient_check.hpp"

#include <assay/random.hpp>

#include <algorithm>
#include <cmath>

namespace assay::plugins::model {
namespace {

// The largest change of a parameter: small enough that the loss is straight along it, to a part in a million,
// and large enough for the 53 bits of a double.
constexpr double kLargestChange = 2e-6;
// A tensor whose gradient is much smaller than the median one counts for less: that of the keys' bias is nothing but
// rounding.
constexpr double kSmallGradient = 0.01;

// Signs of a direction, one after the other.
class Signs {
 public:
  Signs(std::uint64_t seed, int direction) : direction_(seed, direction) {}
  double operator()(std::size_t i) {
    if (i / 64 != block_) bits_ = direction_.bits(block_ = i / 64);
    return Direction::sign(bits_, i);
  }

 private:
  Direction direction_;
  std::size_t block_ = ~std::size_t{0};
  std::uint64_t bits_ = 0;
};

}  // namespace

std::vector<double> changes_of(const Model& model, const std::vector<double>& of) {
  // What is not a number stands in no order; it is found all the same, in the product with the direction.
  std::vector<double> norms = of;
  for (double& norm : norms) norm = std::isfinite(norm) ? norm : 0;
  std::vector<double> ordered = norms;
  std::nth_element(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(ordered.size() / 2),
                   ordered.end());
  const double small = kSmallGradient * ordered[ordered.size() / 2];
  std::vector<double> changes(model.tensors.size());
  for (std::size_t i = 0; i < changes.size(); ++i)
    changes[i] = norms[i] > small ? kLargestChange * (small / norms[i]) : kLargestChange;
  return changes;
}

double unit_of(const std::vector<double>& norms, const std::vector<double>& changes) {
  double squares = 0;
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const double along = std::isfinite(norms[i]) ? changes[i] * norms[i] : 0;
    squares += along * along;
  }
  return squares > 0 ? std::sqrt(squares) : 1;
}

double rounding_of(const Model& model, const std::vector<double>& norms, const std::vector<double>& changes,
                   ElementError rounding) {
  double variance = 0;
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const double elements = static_cast<double>(model.tensors[i].size());
    const double norm = std::isfinite(norms[i]) ? norms[i] : 0;
    variance += changes[i] * changes[i] *
                (rounding.relative * rounding.relative * norm * norm +
                 rounding.absolute * rounding.absolute * elements);
  }
  return std::sqrt(variance) / unit_of(norms, changes);
}

std::vector<Slope> slopes(const Model& model, const float* gradients, const ParametersOf& parameters,
                          const LossOf& loss, int directions, std::uint64_t seed, ElementError rounding) {
  std::vector<double> norms;
  for (const Tensor& tensor : model.tensors) {
    double squares = 0;
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      const double g = static_cast<double>(gradients[tensor.offset + i]);
      squares += g * g;
    }
    norms.push_back(std::sqrt(squares));
  }
  const std::vector<double> changes = changes_of(model, norms);
  const double unit = unit_of(norms, changes);
  std::vector<Slope> result;
  for (int direction = 0; direction < directions; ++direction) {
    Slope slope;
    slope.rounding = rounding_of(model, norms, changes, rounding);
    Signs signs(seed, direction);
    for (std::size_t t = 0; t < model.tensors.size(); ++t) {
      const Tensor& tensor = model.tensors[t];
      double sum = 0;
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.size(); ++i)
        sum += static_cast<double>(gradients[i]) * signs(i);
      slope.by_gradient += sum * changes[t] / unit;
    }
    const auto moved = [&](double way) {
      return loss([&](std::size_t first, std::size_t count, double* out) {
        parameters(first, count, out);
        Signs of(seed, direction);
        std::size_t tensor = model.tensor_of(first);
        for (std::size_t i = 0; i < count; ++i) {
          const Tensor& of_element = model.tensors[tensor];
          if (first + i >= of_element.offset + of_element.size()) {
            ++tensor;
            --i;
            continue;
          }
          out[i] += way * changes[tensor] * of(first + i);
        }
      });
    };
    slope.by_difference = (moved(1) - moved(-1)) / 2 / unit;
    result.push_back(slope);
  }
  return result;
}

}  // namespace assay::plugins::model
