// SPDX-License-Identifier: Apache-2.0
#include "result/report_words.hpp"

#include "base/file.hpp"
#include "result/reasons.hpp"
#include "text/testing/folders.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::result {
namespace {

TEST(ReportWords, AreInOrderAndInNoOtherTable) {
  const auto& rows = report_words();
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), [](const GlossaryRow& left, const GlossaryRow& right) {
    return left.word < right.word;
  }));
  for (const GlossaryRow& row : rows) {
    EXPECT_TRUE(std::none_of(glossary().begin(), glossary().end(), [&](const GlossaryRow& other) {
      return other.word == row.word;
    })) << row.word;
    EXPECT_EQ(find_reason(row.word), nullptr) << row.word;
  }
}

TEST(ReportWords, AreFoundAsTheyArePrinted) {
  for (const char* word : {"confirmed", "Not comparable", "pass", "~", "θ", "p5–p95", "bands", "not answered",
                           "limits not judged", "–"})
    EXPECT_NE(find_printed_word(word), nullptr) << word;
  for (const char* word : {"rounds", "Facts", "visit", "peers"})
    ASSERT_NE(find_printed_word(word), nullptr) << word;
  EXPECT_EQ(find_printed_word("Facts")->word, "fact");
  EXPECT_EQ(find_printed_word("95 % over 12 rounds")->word, "95 % over N rounds");
  EXPECT_EQ(find_printed_word("95 %, 3 rounds")->word, "95 % over N rounds");
  EXPECT_EQ(find_printed_word("95 %")->word, "95 % interval");
  EXPECT_EQ(find_printed_word("p5–p95 of samples")->word, "p5–p95");
  EXPECT_EQ(find_printed_word("worst of 4")->word, "worst of N");
  EXPECT_EQ(find_printed_word("! straggling")->word, "!");
  EXPECT_EQ(find_printed_word("!1")->word, "!");
  EXPECT_EQ(find_printed_word("+22 %?")->word, "?");
  for (const char* word : {"", "s", "es", "comparable"}) EXPECT_EQ(find_printed_word(word), nullptr) << word;
}

TEST(ReportWords, ThePageIsMadeFromTheTable) {
  EXPECT_EQ(read_file(source_folder() / "docs/reference/report-words.md"), report_words_markdown())
      << "write the function's text to the file";
}

}  // namespace
}  // namespace assay::result
