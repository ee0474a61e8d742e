// SPDX-License-Identifier: Apache-2.0
#include "lib/text.hpp"

#include <gtest/gtest.h>

namespace assay::reporters {
namespace {

TEST(Text, OneLineJoinsLinesAndTrims) { EXPECT_EQ(one_line("  a\n\n b\tc \n"), "a b c"); }

TEST(Text, TailTakesTheLastLinesAndNeverCutsACharacter) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2, 100), "b\nc");
  EXPECT_EQ(last_lines("a", 5, 100), "a");
  EXPECT_EQ(last_lines("xµµ", 5, 3), "µ");
}

}  // namespace
}  // namespace assay::reporters
