// SPDX-License-Identifier: Apache-2.0
#include "statistics/autocorrelation.hpp"

#include "statistics/testing/simulation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::statistics {
namespace {

TEST(AutocorrelationTime, IsOneForIndependentSamples) {
  EXPECT_NEAR(autocorrelation_time(simulate(SimulatedProcess::iid, 2000, 1, 0)), 1, 0.2);
  EXPECT_NEAR(sign_autocorrelation_time(simulate(SimulatedProcess::iid, 2000, 1, 0)), 1, 0.2);
}

TEST(AutocorrelationTime, IsThatOfTheProcess) {
  // (1 + phi) / (1 - phi).
  EXPECT_NEAR(autocorrelation_time(simulate(SimulatedProcess::correlated, 2000, 1, 0)), 3, 0.9);
  EXPECT_NEAR(autocorrelation_time(simulate(SimulatedProcess::very_correlated, 2000, 1, 1)), 19, 6);
}

TEST(AutocorrelationTime, KeepsItsUnitInLongSeries) {
  EXPECT_NEAR(autocorrelation_time(simulate(SimulatedProcess::very_correlated, 100'000, 1, 2)), 19, 3);
  EXPECT_NEAR(sign_autocorrelation_time(simulate(SimulatedProcess::iid, 100'000, 1, 2)), 1, 0.2);
}

TEST(AutocorrelationTime, OfSignsIsNotDisturbedByOutliers) {
  std::vector<double> values = simulate(SimulatedProcess::very_correlated, 1000, 1, 3);
  const double before = sign_autocorrelation_time(values);
  for (std::size_t i = 0; i < values.size(); i += 50) values[i] = 100;
  EXPECT_LT(autocorrelation_time(values), 2);
  EXPECT_GT(sign_autocorrelation_time(values), before / 3);
}

TEST(AutocorrelationTime, IsAtLeastOne) {
  std::vector<double> alternating(100);
  for (std::size_t i = 0; i < alternating.size(); ++i) alternating[i] = i % 2 == 0 ? 1 : 2;
  EXPECT_EQ(autocorrelation_time(alternating), 1);
  EXPECT_EQ(sign_autocorrelation_time(alternating), 1);
  EXPECT_EQ(autocorrelation_time(std::vector<double>(100, 3.0)), 1);
  EXPECT_EQ(autocorrelation_time(std::vector<double>{1, 2, 3}), 1);
  EXPECT_EQ(sign_autocorrelation_time(std::vector<double>{}), 1);
}

}  // namespace
}  // namespace assay::statistics
