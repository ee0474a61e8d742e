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

std::string refused(const std::vector<Words>& commands, const std::vector<SettingText>& settings) {
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
  EXPECT_THAT(text, HasSubstr("  - id: sort-a_b\n    uses: external\n    command: [\"./sort\", \"a b\"]\n"));
  EXPECT_THAT(text, HasSubstr("  - id: sort-u\n"));
  EXPECT_THAT(text, HasSubstr("  - id: command7z\n"));
  EXPECT_THAT(text, HasSubstr(R"(question: "Is '/bin/sort -u' faster than \"./sort 'a b'\"?")"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "let: {sort_u: \"sort-u[].time\", sort_a_b: \"sort-a_b[].time\"}\n    claim: sort_u < sort_a_b\n"));
  EXPECT_THAT(command_suite({{"true"}}, {}, 10),
              AllOf(HasSubstr("  - id: \"true\"\n"), Not(HasSubstr("findings"))));
}

TEST(CommandSuite, CallsCasesByWhatTellsTheirCommandsApart) {
  const auto text = [](const std::vector<Words>& commands) { return command_suite(commands, {}, 10); };
  EXPECT_THAT(text({{"python3", "prog.py", "3"}, {"python3", "prog.py", "10"}}),
              AllOf(HasSubstr("suite: \"python3\"\n"), HasSubstr("  - id: prog_py-3\n"),
                    HasSubstr("  - id: prog_py-10\n"), HasSubstr("claim: prog_py_10 < prog_py_3\n"),
                    HasSubstr("title: \"Beside 'python3 prog.py 3'\"\n    rows: [prog_py-3, prog_py-10]\n"),
                    HasSubstr("    reference: {case: prog_py-3}\n")));
  EXPECT_THAT(text({{"echo", "a b"}, {"echo", "c"}}), HasSubstr(R"(title: "Beside \"echo 'a b'\"")"));
  EXPECT_THAT(text({{"true"}, {"sleep", "1"}}),
              HasSubstr("    labels: {this: \"sleep-1\", base: \"true\"}\n    claim: this < base\n"))
      << "what YAML takes for a boolean cannot be a name";
  EXPECT_THAT(text({{"bin/old"}, {"bin/new"}}),
              AllOf(HasSubstr("  - id: old\n"), HasSubstr("claim: new < old\n")));
  EXPECT_THAT(text({{"sort", "n"}, {"sort", "-r", "n"}}), HasSubstr("  - id: sort-r-n\n"));
  EXPECT_THAT(text({{"true"}, {"true"}}), HasSubstr("  - id: true-2\n"));
  const std::string longest(100, 'x');
  EXPECT_THAT(text({{"a", longest + "1"}, {"a", longest + "2"}}),
              HasSubstr("  - id: a-" + std::string(24, 'x') + "_" + std::string(12, 'x') + "2\n"));
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
  EXPECT_THAT(refused({{"echo", "x{m}{}"}, {"echo", "{m}"}}, {{"n", "1"}}),
              HasSubstr("no command has {n}, and nothing gives {m} a value: did you mean {n}?"));
  EXPECT_THAT(refused({{"echo", "{m}{k}"}}, {{"n", "1"}}), HasSubstr("it is not a key of a case"));
}

TEST(CommandSuite, RefusesAParameterThatOneCommandLacks) {
  EXPECT_THAT(refused({{"sleep", "{n}"}, {"sleep", "1"}}, {{"n", "1,2"}}),
              HasSubstr("'sleep 1' has no {n}, and each command is run with every value of it"));
}

TEST(CommandSuite, SaysWhatOnlySuitesHave) {
  for (const char* key : {"expect", "metrics", "findings"})
    EXPECT_THAT(refused({{"true"}}, {{key, "1"}}),
                AllOf(HasSubstr("stands in suites only"), HasSubstr("--yaml")));
}

TEST(CommandSuite, RefusesARangeWithoutAStep) {
  for (const char* range : {"1..16", "1KiB..1MiB"})
    EXPECT_THAT(refused({{"echo", "{n}"}}, {{"n", range}}),
                AllOf(HasSubstr("has no step"), HasSubstr(std::string(range) + "*2"), HasSubstr("+1")));
  EXPECT_EQ(refused({{"echo", "{n}"}}, {{"n", "../a"}}), "");
  EXPECT_EQ(refused({{"echo", "{n}"}}, {{"n", "a..b"}}), "");
}

TEST(CommandSuite, LeavesSpacesAroundCommasOut) {
  EXPECT_THAT(command_suite({{"echo", "{n}"}}, {{"n", "a b, c ,d"}}, 10),
              HasSubstr("      n: [\"a b\", c, d]\n"));
}

TEST(CommandSuite, QuotesWordsThatYamlWouldReadOtherwise) {
  EXPECT_THAT(command_suite({{"echo", "yes", "a: b", "\"\\\n\x01"}}, {}, 10),
              HasSubstr(R"(["echo", "yes", "a: b", "\"\\\n\u0001"])"));
}

}  // namespace
}  // namespace assay::cli
