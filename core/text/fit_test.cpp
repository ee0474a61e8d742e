// SPDX-License-Identifier: Apache-2.0
#include "text/fit.hpp"

#include "text/utf8.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

TEST(Fit, PadFillsToColumnsNotBytes) {
  EXPECT_EQ(pad("µs", 4), "µs  ");
  EXPECT_EQ(pad("日本", 5, Align::right), " 日本");
  EXPECT_EQ(pad("long", 2), "long");
}

TEST(Fit, ShortenKeepsTheWidthForAnyText) {
  EXPECT_EQ(shorten("abcdef", 4), "abc…");
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("日本語", 4), "日…");
  for (std::size_t width = 0; width < 12; ++width) {
    EXPECT_LE(display_width(shorten("日本語 and words", width)), width);
    EXPECT_LE(display_width(shorten("words only", width, "...")), std::max<std::size_t>(width, 3));
  }
}

TEST(Fit, AsciiSpellsKnownSigns) {
  EXPECT_EQ(to_ascii("4 × ≥ 3 µs – ✓ ✗ …"), "4 x >= 3 us - ok FAIL ...");
  EXPECT_EQ(to_ascii("日"), "?");
}

}  // namespace
}  // namespace assay
