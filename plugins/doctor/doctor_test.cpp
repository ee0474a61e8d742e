// SPDX-License-Identifier: Apache-2.0
#include "doctor/known_delay.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::plugins::doctor {
namespace {

std::vector<double> delays() {
  std::vector<double> seconds;
  for (const Delay& delay : kDelays) seconds.push_back(static_cast<double>(delay.nanoseconds) * 1e-9);
  return seconds;
}

std::vector<double> seen(double slope, double offset_s) {
  std::vector<double> times = delays();
  for (double& time : times) time = slope * time + offset_s;
  return times;
}

TEST(Line, GoesThroughTimesOnALine) {
  const Line line = line_through(delays(), seen(1.002, 4.4e-6));
  EXPECT_NEAR(line.slope, 1.002, 1e-9);
  EXPECT_NEAR(line.offset, 4.4e-6, 1e-9);
}

TEST(Line, SlopeIsThatOfLongDelays) {
  std::vector<double> times = seen(1, 4.4e-6);
  times.front() += 3e-6;  // a disturbed short one
  EXPECT_NEAR(line_through(delays(), times).slope, 1, 1e-5);
}

TEST(Offset, IsThatOfShortDelays) {
  std::vector<double> times = seen(1, 4.4e-6);
  times.back() += 1e-3;
  EXPECT_NEAR(offset_of(delays(), times), 4.4e-6, 1e-12);
}

TEST(Median, IsTheMiddle) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

}  // namespace
}  // namespace assay::plugins::doctor
