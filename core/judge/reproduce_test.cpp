// SPDX-License-Identifier: Apache-2.0
#include "judge/reproduce.hpp"

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
  header.command = {"assay", "bench", "gemm", "m=5", "-o", "out", "--quick"};
  EXPECT_EQ(reproduce_command(header, "gemm", 1), "assay bench gemm m=5 --quick --filter '^gemm$' --seed 1");
}

TEST(Reproduce, FiltersMatchTheirCaseAndNoOther) {
  for (const std::string id : {"gemm[dtype=bf16,device=cuda:0]", "a+b(c)|d{2}^$\\", "x.y*"}) {
    const std::regex filter(exactly(id));
    EXPECT_TRUE(std::regex_search(id, filter)) << id;
    EXPECT_FALSE(std::regex_search(id + "0", filter)) << id;
    EXPECT_FALSE(std::regex_search("x" + id, filter)) << id;
  }
}

}  // namespace
}  // namespace assay::judge
