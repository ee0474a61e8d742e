// SPDX-License-Identifier: Apache-2.0
#include "fusion/byte_model.hpp"

#include <gtest/gtest.h>

namespace assay::plugins::fusion {
namespace {

constexpr std::uint64_t kRows = 8192, kColumns = 4096;
constexpr double kArray = 8192.0 * 4096 * 2;

TEST(ByteModel, CountsFourPassesForTwoKernelsAndTwoForOne) {
  EXPECT_DOUBLE_EQ(bytes_of(Variant::separate, Bias::vector, kRows, kColumns, 2),
                   4 * kArray + 2.0 * kColumns);
  EXPECT_DOUBLE_EQ(bytes_of(Variant::fused, Bias::vector, kRows, kColumns, 2), 2 * kArray + 2.0 * kColumns);
}

TEST(ByteModel, CountsABiasOfTheSameShapeAsAnotherPass) {
  EXPECT_DOUBLE_EQ(bytes_of(Variant::separate, Bias::full, kRows, kColumns, 2), 5 * kArray);
  EXPECT_DOUBLE_EQ(bytes_of(Variant::fused, Bias::full, kRows, kColumns, 2), 3 * kArray);
}

TEST(ByteModel, ExpectsTwiceTheSpeedOfOneKernelAndFiveThirdsWithAFullBias) {
  EXPECT_NEAR(model_speedup(Variant::fused, Bias::vector, kRows, kColumns, 2), 2, 1e-3);
  EXPECT_NEAR(model_speedup(Variant::fused, Bias::full, kRows, kColumns, 4), 5.0 / 3, 1e-12);
  EXPECT_EQ(model_speedup(Variant::separate, Bias::full, kRows, kColumns, 2), 1);
}

TEST(ByteModel, ExpectsNothingOfAnEpilogue) {
  EXPECT_EQ(model_speedup(Variant::gemm_epilogue, Bias::vector, kRows, kColumns, 2), 0);
  EXPECT_DOUBLE_EQ(bytes_of(Variant::gemm_epilogue, Bias::vector, kRows, kColumns, 2), 2.0 * kColumns);
}

TEST(ByteModel, IsTheSameAfterAProduct) {
  EXPECT_EQ(bytes_of(Variant::gemm_fused, Bias::vector, kRows, kColumns, 2),
            bytes_of(Variant::fused, Bias::vector, kRows, kColumns, 2));
  EXPECT_EQ(bytes_of(Variant::gemm_separate, Bias::full, kRows, kColumns, 2),
            bytes_of(Variant::separate, Bias::full, kRows, kColumns, 2));
}

TEST(ByteModel, KnowsWhichVariantsBeginWithAProduct) {
  EXPECT_FALSE(has_product(Variant::separate));
  EXPECT_FALSE(has_product(Variant::fused));
  EXPECT_TRUE(has_product(Variant::gemm_separate));
  EXPECT_TRUE(has_product(Variant::gemm_epilogue));
}

}  // namespace
}  // namespace assay::plugins::fusion
