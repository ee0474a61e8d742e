// SPDX-License-Identifier: Apache-2.0
#include "lib/text.hpp"

#include <gtest/gtest.h>

#include <random>

namespace assay::reporters {
namespace {

TEST(Text, CleanKeepsPrintableTextNewlinesAndTabs) {
  EXPECT_EQ(clean("a\tb\nµs 日本 🚀"), "a\tb\nµs 日本 🚀");
  EXPECT_EQ(clean("a\r\nb"), "a\nb");
}

TEST(Text, CleanReplacesWhatSteersATerminalOrAParser) {
  EXPECT_EQ(clean("\x1b[31m"), "\uFFFD[31m");
  EXPECT_EQ(clean(std::string_view("\0", 1)), "\uFFFD");
  EXPECT_EQ(clean("\x7f"), "\uFFFD");
  EXPECT_EQ(clean("\xC2\x9B"
                  "31m"),
            "\uFFFD31m");                                  // the one-character control sequence introducer
  EXPECT_EQ(clean("\u202Eabc"), "\uFFFDabc");              // right-to-left override
  EXPECT_EQ(clean("\xEF\xBF\xBF"), "\uFFFD");              // U+FFFF is no character of XML
  EXPECT_EQ(clean("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a lone surrogate
  EXPECT_EQ(clean("\xC0\xAF"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(clean("a\xF0\x9F"), "a\uFFFD\uFFFD");          // cut off
}

TEST(Text, CleanGivesCleanTextForAnyBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    const std::string once = clean(bytes);
    EXPECT_EQ(clean(once), once);
    for (const char c : once) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
  }
}

TEST(Text, DisplayWidthCountsColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("µ–×"), 3u);
  EXPECT_EQ(display_width("日本"), 4u);
  EXPECT_EQ(display_width("🚀"), 2u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
}

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

TEST(Text, WrapBreaksAtSpacesAndKeepsLongWords) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("unbreakable", 4), (std::vector<std::string>{"unbreakable"}));
  EXPECT_EQ(wrap("", 4), (std::vector<std::string>{""}));
}

TEST(Text, OneLineJoinsLinesAndTrims) { EXPECT_EQ(one_line("  a\n\n b\tc \n"), "a b c"); }

TEST(Text, AsciiSpellsKnownSigns) {
  EXPECT_EQ(to_ascii("4 × ≥ 3 µs – ✓ ✗ …"), "4 x >= 3 us - ok FAIL ...");
  EXPECT_EQ(to_ascii("日"), "?");
}

TEST(Text, TailTakesTheLastLinesAndNeverCutsACharacter) {
  EXPECT_EQ(tail("a\nb\nc\n", 2, 100), "b\nc");
  EXPECT_EQ(tail("a", 5, 100), "a");
  EXPECT_EQ(tail("xµµ", 5, 3), "µ");
}

TEST(Text, ShellWordsSurviveAShell) {
  EXPECT_EQ(shell_word("suites/a.yaml"), "suites/a.yaml");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("a=b"), "'a=b'");  // zsh expands =command
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace assay::reporters
