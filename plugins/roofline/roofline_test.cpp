// SPDX-License-Identifier: Apache-2.0
#include "roofline/host_kernels.hpp"
#include "roofline/roofs.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::plugins::roofline {
namespace {

TEST(Roofs, TheLowerOneIsWhatIsLeft) {
  EXPECT_EQ(attainable(1, 100, 20), 20);
  EXPECT_EQ(attainable(5, 100, 20), 100);
  EXPECT_EQ(attainable(50, 100, 20), 100);
  EXPECT_EQ(ridge(100, 20), 5);
  EXPECT_EQ(attainable(ridge(989.4e12, 4.8e12), 989.4e12, 4.8e12), 989.4e12);
}

TEST(ProductCounts, AreOfTheLeastThatMoves) {
  const ProductCounts square(4096, 4096, 4096, 2);
  EXPECT_EQ(square.operations(), 2.0 * 4096 * 4096 * 4096);
  EXPECT_EQ(square.bytes(), 3.0 * 4096 * 4096 * 2);
  EXPECT_NEAR(square.intensity(), 4096.0 / 3, 1e-9);
  EXPECT_EQ(ProductCounts(16, 16, 32, 1, 4).bytes(), 2 * 16 * 32 + 16 * 16 * 4);
  // One row: as much is read as is computed with.
  EXPECT_LT(ProductCounts(1, 8192, 8192, 2).intensity(), 1.01);
}

TEST(Steps, CountEveryMultiplyAdd) {
  const Steps steps{3, 1};
  EXPECT_EQ(steps.multiply_adds(4), 13U);
  EXPECT_EQ(steps.intensity(4), 2.0 * 13 / 16);
}

TEST(Steps, ComeAsNearAsWholeOnesCan) {
  for (const std::uint32_t elements : {2U, 4U}) {
    for (double intensity = 0.125; intensity <= 1024; intensity += 0.125) {
      const Steps steps = steps_for(intensity, elements);
      EXPECT_LT(steps.tail, elements);
      EXPECT_EQ(steps.intensity(elements), intensity);
    }
  }
  EXPECT_EQ(steps_for(1e-9, 4).multiply_adds(4), 1U);
}

TEST(Initial, IsSmallAndDependsOnPlaceAndSeed) {
  int differ_by_place = 0, differ_by_seed = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_LT(initial(i, 7), 8U);
    differ_by_place += initial(i, 7) != initial(i + 1, 7);
    differ_by_seed += initial(i, 7) != initial(i, 8);
  }
  EXPECT_GT(differ_by_place, 500);
  EXPECT_GT(differ_by_seed, 500);
}

TEST(Sweep, EveryVectorWidthGivesTheSum) {
  std::vector<double> numbers(8 * kStripe);
  double plain = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) plain += numbers[i] = initial(i, 3);
  for (const std::uint32_t steps : {0U, 1U, 17U}) {
    const double right = plain + steps * static_cast<double>(numbers.size());
    EXPECT_EQ(best_sweep()(numbers.data(), numbers.size(), steps, 1), right);
    EXPECT_EQ(sweeps::with_base(numbers.data(), numbers.size(), steps, 1), right);
  }
}

}  // namespace
}  // namespace assay::plugins::roofline
