// SPDX-License-Identifier: Apache-2.0
#include "lib/text.hpp"

#include <gtest/gtest.h>

#include <random>

namespace assay::reporters {
namespace {

TEST(Text, OneLineJoinsLinesAndTrims) { EXPECT_EQ(one_line("  a\n\n b\tc \n"), "a b c"); }

TEST(Text, PadFillsToColumnsNotBytes) {
  EXPECT_EQ(pad("µs", 4), "µs  ");
  EXPECT_EQ(pad("日本", 5, Align::right), " 日本");
  EXPECT_EQ(pad("long", 2), "long");
}

TEST(Text, ShortenKeepsTheWidthForAnyText) {
  EXPECT_EQ(shorten("abcdef", 4), "abc…");
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("日本語", 4), "日…");
  for (std::size_t width = 0; width < 12; ++width) {
    EXPECT_LE(display_width(shorten("日本語 and words", width)), width);
    EXPECT_LE(display_width(shorten("words only", width, "...")), std::max<std::size_t>(width, 3));
  }
}

TEST(Text, AsciiSpellsKnownSigns) {
  EXPECT_EQ(to_ascii("4 × ≥ 3 µs – ✓ ✗ …"), "4 x >= 3 us - ok FAIL ...");
  EXPECT_EQ(to_ascii("日"), "?");
}

TEST(Text, TailTakesTheLastLinesAndNeverCutsACharacter) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2, 100), "b\nc");
  EXPECT_EQ(last_lines("a", 5, 100), "a");
  EXPECT_EQ(last_lines("xµµ", 5, 3), "µ");
}

}  // namespace
}  // namespace assay::reporters
