// SPDX-License-Identifier: Apache-2.0
#include "lib/epoch.hpp"

#include <gtest/gtest.h>

namespace assay::reporters {
namespace {

TEST(Epoch, IsOfTimesInUtc) {
  EXPECT_EQ(epoch_ms("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(epoch_ms("2026-11-21T08:30:12Z"), 1795249812000);
  EXPECT_EQ(epoch_ms("2026-11-21T08:30:12.25Z"), 1795249812250);
  EXPECT_EQ(epoch_ms("2024-02-29T23:59:59.9999Z"), 1709251199999);
}

TEST(Epoch, IsNothingOfOtherTexts) {
  for (const char* text :
       {"", "yesterday", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-21 08:30:12",
        "2026-11-21T25:30:12Z", "-026-11-21T08:30:12Z", "2026-1x-21T08:30:12Z"})
    EXPECT_EQ(epoch_ms(text), std::nullopt) << text;
}

}  // namespace
}  // namespace assay::reporters
