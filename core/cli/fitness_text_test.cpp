// SPDX-License-Identifier: Apache-2.0
#include "cli/fitness_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace assay::cli {
namespace {

using ::testing::HasSubstr;

TEST(FitnessText, OpensWithTheAnswer) {
  const std::string text = fitness_text({true, "fit for effects above 2.8 %"}, {},
                                        {{"a", "host", 5, 0.001}, {"b", "acme", 5, 0.01}}, 0);
  EXPECT_EQ(text.find("fit for effects above 2.8 %\n"), 0U);
  EXPECT_THAT(text, HasSubstr("differ by up to 2.8 % by chance"));
  EXPECT_THAT(text, HasSubstr("differ by up to 0.28 % by chance"));
  EXPECT_THAT(text, HasSubstr("nothing was found"));
  EXPECT_THAT(fitness_text({false, "not fit: …"}, {{"cuda:0", "it is off", "turn it on"}}, {}, 0),
              HasSubstr("cuda:0: it is off; turn it on"));
}

TEST(FitnessText, KeepsToTheWidthOfTheTerminal) {
  const std::string text = fitness_text(
      {false, "not fit: a command on host varies by 97 % from process to process meanwhile"},
      {{"host", "other programs had 77.8 % of the processors", "measure while nothing else runs"}},
      {{"host[work=clock,device=host:0]", "host", 5, 0.014}}, 60);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60U) << line;
  EXPECT_THAT(text, HasSubstr("varies by 97 % from process to\nprocess"));
}

}  // namespace
}  // namespace assay::cli
