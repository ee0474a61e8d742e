// SPDX-License-Identifier: Apache-2.0
#include "lib/axis_text.hpp"

#include <gtest/gtest.h>

namespace assay::reporters {
namespace {

TEST(AxisTexts, AreAsTheSuiteWroteThem) {
  EXPECT_EQ(as_written("-O2%20-g"), "-O2 -g");
  EXPECT_EQ(as_written("a%2Cb%5Bc%5D"), "a,b[c]");
  EXPECT_EQ(as_written("a%20%20b"), "a  b") << "not the same value as 'a b'";
  EXPECT_EQ(as_written("a%2520b"), "a%20b") << "decoded once, to the text that the suite wrote";
  EXPECT_EQ(as_written("a%0Ab%1Bc"), "a%0Ab%1Bc") << "a label has one line and no control characters";
  EXPECT_EQ(as_written("50% of%2"), "50% of%2") << "not an escape sequence";
}

TEST(AxisTexts, WriteEqualSizesAsOne) {
  EXPECT_EQ(axis_text("m:4096/n:4096/k:4096"), "4096³");
  EXPECT_EQ(axis_text("rows:512/columns:512"), "512²");
  EXPECT_EQ(axis_text("m:4096/n:4096/k:1024"), "m:4096/n:4096/k:1024");
  EXPECT_EQ(axis_text("a:x%20y/b:x%20y"), "a:x y/b:x y") << "these are not numbers";
}

TEST(AxisTexts, NameTheAxisOfNumbersAndBooleans) {
  EXPECT_EQ(with_axis("workers", "4"), "workers=4");
  EXPECT_EQ(with_axis("persistent", "true"), "persistent=true");
  EXPECT_EQ(with_axis("algorithm", "Ring"), "Ring");
  EXPECT_EQ(with_axis("bytes", "4 MiB"), "4 MiB");
}

}  // namespace
}  // namespace assay::reporters
