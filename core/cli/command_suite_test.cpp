// SPDX-License-Identifier: Apache-2.0
#include "cli/command_suite.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string refused(const std::vector<Words>& commands, const std::vector<Setting>& settings) {
  try {
    (void)command_suite(commands, settings, 10);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TakeCommands, CutsAtEachSeparatorAndLeavesTheRest) {
  Words words = {"bench", "n=1,2", "--", "./a", "x", "--", "./b"};
  EXPECT_THAT(take_commands(words), ElementsAre(ElementsAre("./a", "x"), ElementsAre("./b")));
  EXPECT_THAT(words, ElementsAre("bench", "n=1,2"));
  Words without = {"bench", "membw"};
  EXPECT_THAT(take_commands(without), IsEmpty());
  for (Words bad : {Words{"--"}, Words{"--", "a", "--"}, Words{"--", "--", "a"}})
    EXPECT_THROW((void)take_commands(bad), Error);
}

TEST(CommandSuite, RunsEachCommandARoundATimeAndAsksOfEachLaterOne) {
  const std::string text = command_suite({{"./sort", "a b"}, {"/bin/sort", "-u"}, {"7z"}}, {}, 20);
  EXPECT_THAT(text, HasSubstr("defaults: {processes: 20, measure: {samples: 1, warmup: 0}}"));
  EXPECT_THAT(text, HasSubstr("  - id: sort\n    uses: external\n    command: [\"./sort\", \"a b\"]\n"));
  EXPECT_THAT(text, HasSubstr("  - id: sort-2\n"));
  EXPECT_THAT(text, HasSubstr("  - id: command7z\n"));
  EXPECT_THAT(text, HasSubstr("question: \"Is '/bin/sort -u' faster than './sort 'a b''?\""));
  EXPECT_THAT(text, HasSubstr("let: {this: \"sort-2[].time\", base: \"sort[].time\"}"));
  EXPECT_THAT(command_suite({{"true"}}, {}, 10),
              AllOf(HasSubstr("  - id: \"true\"\n"), Not(HasSubstr("findings"))));
}

TEST(CommandSuite, PutsParametersIntoTheCommandsAndLeavesOtherBracesAlone) {
  const std::string text = command_suite({{"awk", "{print $1}", "n={n}"}},
                                         {{"n", "1,2"}, {"timeout", "5s"}, {"env.LANG", "C"}}, 10);
  EXPECT_THAT(text, HasSubstr(R"(["awk", "{{print $1}}", "n={n}"])"));
  EXPECT_THAT(text, HasSubstr("    matrix:\n      n: [1, 2]\n"));
  EXPECT_THAT(text, HasSubstr("    env:\n      LANG: C\n"));
  EXPECT_THAT(text, HasSubstr("    timeout: 5s\n"));
}

TEST(CommandSuite, RefusesAParameterThatNoCommandHas) {
  EXPECT_THAT(refused({{"true"}}, {{"n", "1"}}), HasSubstr("no command has {n}"));
  EXPECT_THAT(refused({{"true"}}, {{"timeuot", "1s"}}), HasSubstr("timeout"));
}

TEST(CommandSuite, QuotesWordsThatYamlWouldReadOtherwise) {
  EXPECT_THAT(command_suite({{"echo", "yes", "a: b", "\"\\\n\x01"}}, {}, 10),
              HasSubstr(R"(["echo", "yes", "a: b", "\"\\\n\u0001"])"));
}

}  // namespace
}  // namespace assay::cli
