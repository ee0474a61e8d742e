// SPDX-License-Identifier: Apache-2.0
#include "judge/reproduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace assay::judge {
namespace {

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
  header.command = {"assay", "run", "s.yaml", "--resume", "empty"};
  EXPECT_EQ(reproduce_command(header, "gemm", 1), "assay run s.yaml --filter '^gemm$' --seed 1");
  header.command = {"assay", "bench", "gemm", "m=5", "-o", "out", "--quick"};
  EXPECT_EQ(reproduce_command(header, "gemm", 1), "assay bench gemm m=5 --quick --filter '^gemm$' --seed 1");
  EXPECT_EQ(reproduce_command(header, "gemm[m=5]", 1, "gemm[m=4]"),
            "assay bench gemm m=5 --quick --filter '^(gemm\\[m=5\\]|gemm\\[m=4\\])$' --seed 1");
}

TEST(Reproduce, NamesBothVariantsOfPairs) {
  result::JournalHeader header;
  header.command = {"assay", "run", "s.yaml", "--pairs", "env:X=1", "env:X=2"};
  for (const auto& [id, filter] : {std::pair{"c[variant=after]", "^c$"},
                                   {"c[m=1,variant=before]", R"(^c\[m=1\]$)"},
                                   {"c[variant=after,device=host:0]", R"(^c\[device=host:0\]$)"}})
    EXPECT_THAT(reproduce_command(header, id, 1),
                testing::HasSubstr(std::string("--filter '") + filter + "' --seed 1"));
}

TEST(Reproduce, FiltersMatchTheirCaseAndNoOther) {
  for (const std::string id : {"gemm[dtype=bf16,device=cuda:0]", "a+b(c)|d{2}^$\\", "x.y*"}) {
    const std::regex filter(exactly(id));
    EXPECT_TRUE(std::regex_search(id, filter)) << id;
    EXPECT_FALSE(std::regex_search(id + "0", filter)) << id;
    EXPECT_FALSE(std::regex_search("x" + id, filter)) << id;
  }
}

TEST(Reproduce, LeavesTheWordsOfCommandsOfTheUsersOwnAsTheyAre) {
  result::JournalHeader header;
  header.command = {"assay", "bench", "-o", "two", "--runs", "4",   "--report", "html", "--",
                    "./a",   "-q",    "-o", "x",   "--",     "./b", "--seed",   "3"};
  EXPECT_EQ(reproduce_command(header, "a", 1),
            "assay bench --runs 4 --filter '^a$' --seed 1 -- ./a -q -o x -- ./b --seed 3");
}

}  // namespace
}  // namespace assay::judge
