// SPDX-License-Identifier: Apache-2.0
#include "text/fact_text.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(FactText, TheUnitStandsBesideTheNumber) {
  EXPECT_EQ(fact_name("memory_bytes"), "memory");
  EXPECT_EQ(fact_text("memory_bytes", 64 * 1073741824.0), "64 GiB");
  EXPECT_EQ(fact_name("largest_clock_hz"), "largest_clock");
  EXPECT_EQ(fact_text("largest_clock_hz", 1.98e9), "1980 MHz");
  EXPECT_EQ(fact_text("power_limit_w", 700), "700 W");
}

TEST(FactText, AKeyWithoutUnitStaysAsItIs) {
  EXPECT_EQ(fact_name("nvlinks"), "nvlinks");
  EXPECT_EQ(fact_text("nvlinks", 18), "");
}

}  // namespace
}  // namespace assay
