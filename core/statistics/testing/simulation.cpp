// SPDX-License-Identifier: Apache-2.0
#include "statistics/testing/simulation.hpp"

#include "statistics/testing/random.hpp"

#include <cmath>

namespace assay::statistics {

namespace {

constexpr double kNoise = 0.02;
constexpr double kSpikeChance = 0.05;
constexpr double kSpikeMean = 0.2;
constexpr double kSigma = 0.25;
constexpr double kSlowState = 1.04;
constexpr double kStateNoise = 0.005;

std::vector<double> autoregressive(double coefficient, std::size_t n, Random& random) {
  const double innovation = std::sqrt(1 - coefficient * coefficient);
  std::vector<double> values(n);
  double state = random.normal();
  for (double& value : values) {
    value = 1 + kNoise * state;
    state = coefficient * state + innovation * random.normal();
  }
  return values;
}

std::vector<double> two_state(std::size_t n, Random& random) {
  std::vector<double> values(n);
  bool slow = random.chance(0.2);
  for (double& value : values) {
    value = (slow ? kSlowState : 1.0) + kStateNoise * random.normal();
    if (random.chance(slow ? 1.0 / 10 : 1.0 / 40)) slow = !slow;
  }
  return values;
}

}  // namespace

TrueValues truth_of(SimulatedProcess process) {
  switch (process) {
    case SimulatedProcess::spiky:
      // The median solves 0.95 F(x) + 0.05 G(x) = 0.5 with F normal and G normal plus exponential.
      return {1.0012134457007695, 1 + kSpikeChance * kSpikeMean};
    case SimulatedProcess::lognormal:
      return {1, portable_exp(kSigma * kSigma / 2)};
    case SimulatedProcess::two_state:
      // 0.8 F(x) = 0.5: the quantile 0.625 of the fast state.
      return {1 + kStateNoise * 0.31863936396437514, 0.8 + 0.2 * kSlowState};
    case SimulatedProcess::quantised:
      return {10, 10.3};
    default:
      return {};
  }
}

std::vector<double> simulate(SimulatedProcess process, std::size_t n, std::uint64_t seed,
                             std::uint64_t trace) {
  Random random(seed, trace);
  if (process == SimulatedProcess::correlated) return autoregressive(0.5, n, random);
  if (process == SimulatedProcess::very_correlated) return autoregressive(0.9, n, random);
  if (process == SimulatedProcess::two_state) return two_state(n, random);
  std::vector<double> values(n);
  for (double& value : values) {
    switch (process) {
      case SimulatedProcess::spiky:
        value = 1 + kNoise * random.normal();
        if (random.chance(kSpikeChance)) value -= kSpikeMean * portable_log(random.uniform());
        break;
      case SimulatedProcess::lognormal:
        value = random.lognormal(kSigma);
        break;
      case SimulatedProcess::quantised:
        value = std::floor(10.3 + 0.7 * random.normal() + 0.5);
        break;
      default:
        value = 1 + kNoise * random.normal();
    }
  }
  return values;
}

}  // namespace assay::statistics
