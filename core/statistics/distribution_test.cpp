// SPDX-License-Identifier: Apache-2.0
#include "statistics/distribution.hpp"

#include <gtest/gtest.h>

namespace assay::statistics {
namespace {

// From the tables of Abramowitz and Stegun, 26.1 and 26.10.
TEST(NormalQuantile, AgreesWithTheTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-6);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(normal_quantile(0.005), -2.575829, 1e-6);
}

TEST(StudentTQuantile, AgreesWithTheTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 1e-3);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.303, 1e-3);
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262, 1e-3);
  EXPECT_NEAR(student_t_quantile(0.995, 19), 2.861, 1e-3);
}

TEST(StudentTQuantile, TakesDegreesOfFreedomBetweenWholeNumbers) {
  EXPECT_LT(student_t_quantile(0.975, 2.5), student_t_quantile(0.975, 2));
  EXPECT_GT(student_t_quantile(0.975, 2.5), student_t_quantile(0.975, 3));
}

}  // namespace
}  // namespace assay::statistics
