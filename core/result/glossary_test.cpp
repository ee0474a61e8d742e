// SPDX-License-Identifier: Apache-2.0
#include "result/glossary.hpp"

#include "base/file.hpp"
#include "result/exit_code.hpp"
#include "result/reasons.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace assay::result {
namespace {

TEST(Glossary, HasFortyWordsAtMostInOrderAndNoneTwice) {
  const auto& rows = glossary();
  EXPECT_LE(rows.size(), 40u);
  EXPECT_TRUE(
      std::adjacent_find(rows.begin(), rows.end(), [](const GlossaryRow& left, const GlossaryRow& right) {
        return left.word >= right.word;
      }) == rows.end());
}

TEST(Glossary, HasNoWordThatAnotherTableExplains) {
  for (const GlossaryRow& row : glossary()) {
    EXPECT_EQ(find_reason(row.word), nullptr) << row.word;
    for (const OutcomeRow& outcome : outcome_table()) EXPECT_NE(to_text(outcome.outcome), row.word);
  }
}

TEST(Glossary, ThePageIsMadeFromTheTable) {
  EXPECT_EQ(read_file(source_folder() / "docs/reference/glossary.md"), glossary_markdown())
      << "write the function's text to the file";
}

}  // namespace
}  // namespace assay::result
