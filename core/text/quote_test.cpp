// SPDX-License-Identifier: Apache-2.0
#include "text/quote.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>

namespace assay {
namespace {

// What a shell makes of a text that is pasted into it: its words, one a line.
std::string words_by(const std::string& shell, const std::string& pasted) {
  std::FILE* pipe =
      ::popen((shell + " -c 'for w; do printf \"%s\\n\" \"$w\"; done' - " + pasted).c_str(), "r");
  std::string words;
  char buffer[4096];
  while (const std::size_t read = std::fread(buffer, 1, sizeof buffer, pipe)) words.append(buffer, read);
  EXPECT_EQ(::pclose(pipe), 0);
  return words;
}

TEST(Quote, WordsSurviveTheShell) {
  std::mt19937 random(3);
  const std::string nasty = " '\"\\$`!*?[](){}<>|&;#~=%^\tab\xc3\xa4";
  std::string pasted, expected;
  for (int i = 0; i < 200; ++i) {
    std::string word;
    for (std::size_t length = 1 + random() % 6; length > 0; --length)
      word += nasty[random() % (nasty.size() - 2)];
    pasted += " " + shell_word(word);
    expected += word + "\n";
  }
  EXPECT_EQ(words_by("sh", pasted), expected);
  EXPECT_EQ(shell_word("suites/a.yaml"), "suites/a.yaml");
  EXPECT_EQ(shell_word("--set=a.m=5"), "--set=a.m=5");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("=ls"), "'=ls'");  // zsh would look for the program
}

TEST(Quote, XmlTextCannotEndAnElementOrASection) {
  EXPECT_EQ(xml_text("]]><a> & \"b\""), "]]&gt;&lt;a&gt; &amp; \"b\"");
  EXPECT_EQ(xml_text("a\nb"), "a\nb");
}

TEST(Quote, XmlAttributesKeepNewlinesAndQuotes) {
  EXPECT_EQ(xml_attribute("a\n\"b\"\t"), "a&#10;&quot;b&quot;&#9;");
}

}  // namespace
}  // namespace assay
