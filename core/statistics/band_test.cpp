// SPDX-License-Identifier: Apache-2.0
#include "statistics/band.hpp"

#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay::statistics {
namespace {

// By hand: t of 2 degrees of freedom at 0.99 is 6.9646.
TEST(Band, PeersReachAsFarAsTheirScatterAndTheirNumberSay) {
  const std::vector<double> others{-0.01, 0.0, 0.01};
  const Chance chance = among_peers(others, 0.01);
  EXPECT_DOUBLE_EQ(chance.middle, 0);
  EXPECT_NEAR(chance.reach, 6.9646 * 0.01 * std::sqrt(1 + M_PI / 6), 1e-6);
  EXPECT_GT(among_peers(others, 0.001).reach, 3 * chance.reach);
}

TEST(Band, PeersThatAgreeByLuckAreKnownNoBetterThanTheirClocks) {
  const std::vector<double> others(7, 0.5);
  EXPECT_NEAR(among_peers(others, 0.01).reach, 3.1427 * 0.00025 * std::sqrt(1 + M_PI / 14), 1e-6);
}

TEST(Band, OneSickPeerDoesNotMoveTheMiddle) {
  EXPECT_DOUBLE_EQ(among_peers(std::vector<double>{0, 0.001, -0.001, -0.3, 0}, 0.01).middle, 0);
}

// t of 7 degrees of freedom at 0.99 is 2.9980; k of 60 at 99 % of others with 95 % confidence stands in tables as 2.807.
TEST(Band, TheFactorIsThatOfAPredictionAndFromSixtyOnOfTolerance) {
  EXPECT_NEAR(band_factor(8, 0.01), 2.9980 * std::sqrt(1 + 1.0 / 8), 1e-4);
  EXPECT_NEAR(band_factor(60, 0.01), 2.807, 2e-3);
  EXPECT_GT(band_factor(60, 0.01), band_factor(59, 0.01));
}

// How often a healthy one of four or eight lies farther out than by chance: as often as was asked for.
TEST(Band, HealthyPeersAreBlamedAsOftenAsWasAskedFor) {
  for (const std::size_t devices : {std::size_t{4}, std::size_t{8}}) {
    constexpr int kNodes = 4000;
    int blamed = 0;
    Random random(7, devices);
    for (int node = 0; node < kNodes; ++node) {
      std::vector<double> values;
      for (std::size_t i = 0; i < devices; ++i) values.push_back(0.01 * random.normal());
      const std::vector<double> others(values.begin() + 1, values.end());
      const Chance chance = among_peers(others, 0.01);
      blamed += values.front() < chance.middle - chance.reach ? 1 : 0;
    }
    EXPECT_LE(blamed, kNodes * 0.015) << devices;
    EXPECT_GE(blamed, kNodes * 0.005) << devices;
  }
}

}  // namespace
}  // namespace assay::statistics
