// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace assay {
namespace {

TEST(Utf8, StaysPrintableWithItsNewlinesAndTabs) {
  EXPECT_EQ(printable("a\tb\nµs 日本 🚀"), "a\tb\nµs 日本 🚀");
  EXPECT_EQ(printable("a\r\nb"), "a\nb");
}

TEST(Utf8, LosesWhatSteersATerminalOrAParser) {
  EXPECT_EQ(printable("\x1b[31m"), "\uFFFD[31m");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\uFFFD");
  EXPECT_EQ(printable("\x7f"), "\uFFFD");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\uFFFD31m");                          // the one-character control sequence introducer
  EXPECT_EQ(printable("\u202Eabc"), "\uFFFDabc");  // right-to-left override
  EXPECT_EQ(printable("\xEF\xBF\xBF"), "\uFFFD");  // U+FFFF is not a character of XML
  EXPECT_EQ(printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a lone surrogate
  EXPECT_EQ(printable("\xC0\xAF"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(printable("\xC3("), "\uFFFD(");
  EXPECT_EQ(printable("\uFDD0"), "\uFFFD");            // a non-character
  EXPECT_EQ(printable("a\xF0\x9F"), "a\uFFFD\uFFFD");  // cut off
}

TEST(Utf8, IsPrintableWhateverItsBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    const std::string once = printable(bytes);
    EXPECT_EQ(printable(once), once);
    for (const char c : once) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
  }
}

TEST(Utf8, IsKnownFromOtherBytes) {
  for (const char* text : {"", "abc\n", "\x7f", "µ 日本 🚀", "\uFFFD"}) EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* bytes : {"\xff", "a\xC3(", "\xC0\xAF", "\xED\xA0\x80", "a\xF0\x9F", "\xF4\x90\x80\x80"})
    EXPECT_FALSE(is_utf8(bytes)) << bytes;
}

TEST(Utf8, DisplayWidthCountsColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("µ–×"), 3u);
  EXPECT_EQ(display_width("日本"), 4u);
  EXPECT_EQ(display_width("🚀"), 2u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
}

}  // namespace
}  // namespace assay
