// SPDX-License-Identifier: Apache-2.0
#include "text/table.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

AlignedTable texts() {
  AlignedTable table;
  table.add({"gemm@host", "matrix product in the host's own library", "host 0.1.0"});
  table.add({"a", "short", "host 0.1.0"});
  return table;
}

TEST(TextTable, AlignsColumnsAndLeavesEmptyOnesOut) {
  AlignedTable table;
  table.add({"a", "", "b"});
  table.add({"long", "", "c"});
  EXPECT_EQ(table.text("  "), "  a     b\n  long  c\n");
}

TEST(TextTable, BreaksItsWidestColumnOfWordsWhereTheLineWouldBeTooLong) {
  EXPECT_EQ(texts().text("  ", 50),
            "  gemm@host  matrix product in the      host 0.1.0\n"
            "             host's own library\n"
            "  a          short                      host 0.1.0\n");
}

TEST(TextTable, BreaksSeveralColumnsOfWordsWhereOneIsNotEnough) {
  AlignedTable table;
  table.add({"name", "read | write | copy | scale | add", "what is done to the arrays, again and again"});
  EXPECT_EQ(table.text("", 50),
            "name  read | write | copy |  what is done to the\n"
            "      scale | add            arrays, again and\n"
            "                             again\n");
}

TEST(TextTable, KeepsItsLinesWhereTheyFitOrNobodyAsked) {
  const std::string whole =
      "gemm@host  matrix product in the host's own library  host 0.1.0\n"
      "a          short                                     host 0.1.0\n";
  EXPECT_EQ(texts().text(""), whole);
  EXPECT_EQ(texts().text("", 63), whole);
  EXPECT_NE(texts().text("", 62), whole);
}

TEST(TextTable, LeavesNamesAndPathsWhole) {
  AlignedTable table;
  table.add({"plugin", "/a/folder/that/is/longer/than/the/terminal"});
  EXPECT_EQ(table.text("", 20), "plugin  /a/folder/that/is/longer/than/the/terminal\n");
}

}  // namespace
}  // namespace assay
