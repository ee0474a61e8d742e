// SPDX-License-Identifier: Apache-2.0
#include "text/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace assay {
namespace {

TEST(Text, WrapsAtSpacesOnly) {
  EXPECT_THAT(wrap("one two three", 7), ::testing::ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("one", 7), ::testing::ElementsAre("one"));
  EXPECT_THAT(wrap("", 7), ::testing::ElementsAre(""));
  EXPECT_THAT(wrap("a verylongword b", 4), ::testing::ElementsAre("a", "verylongword", "b"));
  EXPECT_THAT(wrap("first\nsecond line", 40), ::testing::ElementsAre("first", "second line"));
  EXPECT_THAT(wrap("up to 28 % by chance", 8), ::testing::ElementsAre("up to", "28 % by", "chance"))
      << "a number stays with its sign";
  EXPECT_THAT(wrap("µµµ 日本", 8), ::testing::ElementsAre("µµµ 日本"));
}

TEST(Text, TailCutsAtALineAndSaysHowMuch) {
  EXPECT_EQ(tail("short", 10), "short");
  EXPECT_EQ(tail("first line\nsecond\nthird\n", 10), "[… 18 bytes left out]\nthird\n");
}

TEST(Text, ShortestReadsBackTheSameNumber) {
  for (const double value : {0.1, 1e300, 5e-324, 67108864.0, 1.0 / 3}) {
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
  }
}

}  // namespace
}  // namespace assay
