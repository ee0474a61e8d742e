// SPDX-License-Identifier: Apache-2.0
#include "cli/more_rounds.hpp"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

TEST(MoreRounds, OfCommandsStandBeforeThem) {
  const RoundsOfCases rounds = {{"a", 12}, {"b", 19}};
  EXPECT_EQ(command_with_rounds({"/opt/assay", "bench", "--runs", "4", "-o", "two", "n=1", "--", "./a b",
                                 "--runs", "3", "-o", "x"},
                                rounds),
            "assay bench --runs 19 n=1 -- './a b' --runs 3 -o x");
  EXPECT_EQ(command_with_rounds({"assay", "bench", "--", "true"}, rounds), "assay bench --runs 19 -- true");
  EXPECT_EQ(command_with_rounds({"assay", "bench", "processes=4", "--output=x", "--", "true"}, rounds),
            "assay bench processes=19 -- true");
}

TEST(MoreRounds, OfABenchmarkAreASetting) {
  EXPECT_EQ(command_with_rounds({"assay", "bench", "membw", "processes=3", "way=a,b"}, {{"membw", 7}}),
            "assay bench membw way=a,b processes=7");
}

TEST(MoreRounds, OfPairsAreOfEachCase) {
  EXPECT_EQ(command_with_rounds({"assay", "run", "s.yaml", "--set", "a.processes=3", "--set", "a.m=4", "-o",
                                 "x", "--pairs", "as-is", "with:n=2"},
                                {{"a", 12}, {"b", 19}}),
            "assay run s.yaml --set a.m=4 --pairs as-is with:n=2 --set a.processes=12 --set b.processes=19");
}

TEST(MoreRounds, AreNotAskedForWhereNoneAreSaid) {
  EXPECT_EQ(command_with_rounds({"assay", "bench", "--", "true"}, {}), "");
  model::Comparison pairs;
  pairs.rows.resize(4);
  pairs.rows[0].id = "a[n=1]";
  pairs.rows[0].verdict = model::ComparedVerdict::undecided;
  pairs.rows[0].before_rounds = 4;
  pairs.rows[0].more_rounds = 38;
  pairs.rows[1] = pairs.rows[0];
  pairs.rows[1].more_rounds = 1;
  pairs.rows[2] = pairs.rows[0];
  pairs.rows[2].id = "b";
  pairs.rows[2].more_rounds.reset();
  pairs.rows[3] = pairs.rows[0];
  pairs.rows[3].id = "c";
  pairs.rows[3].verdict = model::ComparedVerdict::same;
  EXPECT_EQ(rounds_to_decide(pairs), (RoundsOfCases{{"a", 42}}));
}

TEST(MoreRounds, ARunThatWasInterruptedGoesOnInItsFolder) {
  EXPECT_EQ(
      command_that_resumes({"assay", "run", "s.yaml", "-o", "x", "--pairs", "as-is", "with:n=2"}, "a b"),
      "assay run s.yaml --pairs as-is with:n=2 --resume 'a b'");
}

}  // namespace
}  // namespace assay::cli
