// SPDX-License-Identifier: Apache-2.0
#include "judge/reproduce.hpp"

#include "judge/quantity_text.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <random>
#include <regex>

namespace assay::judge {
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

TEST(Reproduce, KeepsWhatChoosesAndDropsWhatReports) {
  result::JournalHeader header;
  header.suite_file = "a suite.yaml";
  header.command = {"assay",
                    "run",
                    "a suite.yaml",
                    "--set",
                    "gemm.m=5",
                    "--filter",
                    "x",
                    "--report=html=a.html",
                    "--report",
                    "markdown",
                    "-o",
                    "out",
                    "--seed",
                    "9",
                    "--strict",
                    "--plugin-dir",
                    "/opt/it's"};
  EXPECT_EQ(reproduce_command(header, "gemm[dtype=bf16,device=cuda:0]", 9),
            "assay run 'a suite.yaml' --set gemm.m=5 --plugin-dir '/opt/it'\\''s' --filter "
            "'^gemm\\[dtype=bf16,device=cuda:0\\]$' --seed 9");
  header.command = {"assay", "bench", "gemm", "m=5", "-o", "out", "--quick"};
  EXPECT_EQ(reproduce_command(header, "gemm", 1), "assay bench gemm m=5 --quick --filter '^gemm$' --seed 1");
}

TEST(Reproduce, WordsSurviveTheShell) {
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
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("=ls"), "'=ls'");  // zsh would look for the program
}

TEST(Reproduce, FiltersMatchTheirCaseAndNoOther) {
  for (const std::string id : {"gemm[dtype=bf16,device=cuda:0]", "a+b(c)|d{2}^$\\", "x.y*"}) {
    const std::regex filter(exactly(id));
    EXPECT_TRUE(std::regex_search(id, filter)) << id;
    EXPECT_FALSE(std::regex_search(id + "0", filter)) << id;
    EXPECT_FALSE(std::regex_search("x" + id, filter)) << id;
  }
}

TEST(QuantityText, HasThreeDigitsAndAPrefixThatFits) {
  EXPECT_EQ(quantity_text(41.2e9, "B/s"), "41.2 GB/s");
  EXPECT_EQ(quantity_text(std::numeric_limits<double>::infinity(), "s"), "∞ s");  // a bound that is none
  EXPECT_EQ(quantity_text(4.38e12, "B/s"), "4.38 TB/s");
  EXPECT_EQ(quantity_text(659e12, "FLOP/s"), "659 TFLOP/s");
  EXPECT_EQ(quantity_text(18.9e-6, "s"), "18.9 µs");
  EXPECT_EQ(quantity_text(0.02, "s"), "20 ms");
  EXPECT_EQ(quantity_text(90, "s"), "90 s");
  EXPECT_EQ(quantity_text(67108864, "B"), "64 MiB");
  EXPECT_EQ(quantity_text(85, "C"), "85 C");
  EXPECT_EQ(quantity_text(0, "B/s"), "0 B/s");
  EXPECT_EQ(quantity_text(-0.5, "1"), "-0.5");
  EXPECT_EQ(percent_text(0.162), "16.2 %");
  EXPECT_EQ(percent_text(0.6), "60 %");
  EXPECT_EQ(percent_text(1.12), "112 %");
}

}  // namespace
}  // namespace assay::judge
