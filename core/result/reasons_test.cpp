// SPDX-License-Identifier: Apache-2.0
#include "result/reasons.hpp"

#include "base/file.hpp"
#include "text/testing/folders.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace assay::result {
namespace {

TEST(Reasons, CodesAreUniqueAndFound) {
  std::set<std::string_view> seen;
  for (const ReasonRow& row : reason_table()) {
    EXPECT_TRUE(seen.insert(row.code).second) << row.code;
    EXPECT_EQ(find_reason(row.code), &row);
  }
  EXPECT_EQ(find_reason("no.such-code"), nullptr);
  EXPECT_EQ(find_reason(""), nullptr);
  EXPECT_EQ(find_reason("zzz"), nullptr);
}

TEST(Reasons, EveryRowSaysWhatHappenedAndWhatToDo) {
  for (const ReasonRow& row : reason_table()) {
    EXPECT_GT(row.meaning.size(), 20u) << row.code;
    EXPECT_EQ(row.meaning.back(), '.') << row.code;
    EXPECT_EQ(row.next.back(), '.') << row.code;
    EXPECT_EQ(row.meaning.find('!'), std::string_view::npos) << row.code;
    for (const char c : row.code)
      EXPECT_TRUE((c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_') << row.code;
  }
}

TEST(Reasons, ThePageIsMadeFromTheTable) {
  EXPECT_EQ(read_file(source_folder() / "docs/reference/reasons.md"), reasons_markdown())
      << "write the function's text to the file";
}

}  // namespace
}  // namespace assay::result
