// SPDX-License-Identifier: Apache-2.0
#include "lib/escape.hpp"

#include <gtest/gtest.h>

namespace assay::reporters {
namespace {

TEST(Escape, MarkdownTextIsLiteral) {
  EXPECT_EQ(markdown_text("a | b"), "a \\| b");
  EXPECT_EQ(markdown_text("<script>"), "&lt;script>");
  EXPECT_EQ(markdown_text("[x](y) *z* `c`"), "\\[x\\](y) \\*z\\* \\`c\\`");
  EXPECT_EQ(markdown_text("# title\nmore"), "\\# title more");
  EXPECT_EQ(markdown_text("> quote"), "\\> quote");
  EXPECT_EQ(markdown_text("1. item"), "1\\. item");
  EXPECT_EQ(markdown_text("@team"), "&#64;team");
}

TEST(Escape, MarkdownTextLeavesNamesAndNumbersReadable) {
  EXPECT_EQ(markdown_text("fp8_e4m3"), "fp8_e4m3");
  EXPECT_EQ(markdown_text("0.39 %"), "0.39 %");
  EXPECT_EQ(markdown_text("gemm@cuda"), "gemm@cuda");
  EXPECT_EQ(markdown_text("_x_"), "\\_x\\_");
  EXPECT_EQ(markdown_text("four / two < 0.98"), "four / two < 0.98");
  EXPECT_EQ(markdown_text("a <"), "a &lt;") << "who knows what comes next";
}

TEST(Escape, MarkdownSentencesKeepTheirCode) {
  EXPECT_EQ(markdown_sentence("ended at `max_time` before *it* `a|b`."),
            "ended at `max_time` before \\*it\\* `a|b`.");
  EXPECT_EQ(markdown_cell_sentence("`a|b` | c"), "`a\\|b` \\| c");
  EXPECT_EQ(markdown_sentence("one ` alone"), "one \\` alone");
  EXPECT_EQ(markdown_sentence("``a` `b`"), "\\`\\`a\\` `b`") << "runs of several are nobody's code";
  EXPECT_EQ(markdown_sentence("`"), "\\`");
  EXPECT_EQ(markdown_sentence("````"), "\\`\\`\\`\\`");
  EXPECT_EQ(markdown_sentence("`<b>` <b>"), "`<b>` &lt;b>");
}

TEST(Escape, JsonTextIsOneString) { EXPECT_EQ(json_text("a\"b\\\n\tµ"), "\"a\\\"b\\\\\\n\\tµ\""); }

TEST(Escape, MarkdownCodeOutlastsBackticks) {
  EXPECT_EQ(markdown_code("a|b"), "`a|b`");
  EXPECT_EQ(markdown_cell_code("a|b"), "`a\\|b`");
  EXPECT_EQ(markdown_code("a`b"), "``a`b``");
  EXPECT_EQ(markdown_code("`a"), "`` `a ``");
  EXPECT_EQ(markdown_code(""), "");
}

TEST(Escape, MarkdownBlocksOutlastFences) {
  EXPECT_EQ(markdown_block("a\n```\nb", "sh"), "````sh\na\n```\nb\n````\n");
  EXPECT_EQ(markdown_block("a\n"), "```\na\n```\n");
}

}  // namespace
}  // namespace assay::reporters
