// SPDX-License-Identifier: Apache-2.0
#include "external/command.hpp"
#include "external/output.hpp"

#include <assay/errors.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <utility>

namespace assay::plugins::external {
namespace {

using testing::HasSubstr;

// ---- Output

const char* const kTable =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
    "     1048576        262144     float     sum      -1    38.21   27.44   41.16      0\n"
    "  1073741824     268435456     float     sum      -1   4517.6  237.68  356.52      0\n"
    "# Avg bus bandwidth    : 198.84 \n";

Metric pattern(const std::string& text, Take take = Take::only) {
  Metric metric;
  metric.name = "busbw";
  metric.scale = 1e9;
  metric.pattern = text;
  metric.take = take;
  return metric;
}

Metric json(const std::string& pointer, Take take = Take::only) {
  Metric metric;
  metric.name = "m";
  metric.json = pointer;
  metric.take = take;
  return metric;
}

std::vector<double> values(const Metric& metric, const std::string& out) {
  std::vector<double> found;
  for (const Value& value : read_metric(metric, {out, "", 0})) found.push_back(value.value);
  return found;
}

std::string refusal(const Metric& metric, const std::string& out) {
  try {
    (void)read_metric(metric, {out, "", 0});
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.domain(), "external.output");
    return failure.what();
  }
  return "nothing was refused";
}

TEST(Output, APatternsLastGroupIsTheValueInBaseUnits) {
  EXPECT_THAT(values(pattern(R"(Avg bus bandwidth *: ([0-9.]+))"), kTable), testing::ElementsAre(198.84e9));
  EXPECT_THAT(values(pattern(R"(^ *1073741824 .* ([0-9.]+) +\d+$)"), kTable), testing::ElementsAre(356.52e9));
}

TEST(Output, GroupsBeforeTheLastAreIndices) {
  const auto found = read_metric(pattern(R"(^ *(\d+) .* ([0-9.]+) +\d+$)"), {kTable, "", 0});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].indices, testing::ElementsAre(1048576U));
  EXPECT_DOUBLE_EQ(found[1].value, 356.52e9);
}

TEST(Output, ChoosesAmongSeveralValuesOnlyIfTold) {
  const std::string text = "loss 3\nloss 2\rloss 1\n";
  const std::string rule = R"(loss (\d+))";
  EXPECT_THAT(refusal(pattern(rule), text), HasSubstr("more than once; say which with 'take'"));
  EXPECT_THAT(values(pattern(rule, Take::first), text), testing::ElementsAre(3e9));
  EXPECT_THAT(values(pattern(rule, Take::last), text), testing::ElementsAre(1e9));
  EXPECT_THAT(values(pattern(rule, Take::all), text), testing::ElementsAre(3e9, 2e9, 1e9));
}

TEST(Output, RefusesWhatIsMissingOrNoNumber) {
  EXPECT_THAT(refusal(pattern("nothing (.*)"), kTable), HasSubstr("the command gave no 'busbw'"));
  EXPECT_THAT(refusal(pattern("type +(\\w+)"), kTable),
              HasSubstr("'redop' in the output, which is not a number"));
  EXPECT_THAT(refusal(pattern("x (.*)"), "x inf\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(refusal(pattern("x (.*) (.*)"), "x 4294967296 1\n"), HasSubstr("below 2^32"));
}

TEST(Output, LongLinesAndGreedyPatternsCostNoMoreThanTheirLength) {
  const std::string xs(1 << 20, 'x');
  for (const char* evil : {"(x+x+)+y", "(x*)*y", "(x|x?)+y", "(.*)*(y)", "((x{1,9}){1,9})+y"})
    EXPECT_THAT(refusal(pattern(evil), xs + "\n"), HasSubstr("gave no")) << evil;
  EXPECT_THAT(values(pattern("v=(\\d+)", Take::all), "v=0\n" + xs + "v=5"), testing::ElementsAre(0, 5e9))
      << "a line is looked at whole";
}

TEST(Output, PatternsKeepTheirGroupsWhateverTheyAreCalled) {
  const auto found =
      read_metric(pattern("gpu(?P<gpu>\\d+) (?:at|is) (?P<rate>[0-9.]+)"), {"gpu3 at 1.5\n", "", 0});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].indices, testing::ElementsAre(3U));
  EXPECT_DOUBLE_EQ(found[0].value, 1.5e9);
  EXPECT_THAT(refusal(pattern("(x)?v=(\\d+)"), "v=7\n"), HasSubstr("an index of 'busbw' is ''"))
      << "a group that takes no part is not an index";
}

TEST(Output, EveryMatchOfALineCounts) {
  const std::string line = "gpu 0 errors 0 gpu 1 errors 13\n";
  EXPECT_THAT(refusal(pattern("errors (\\d+)"), line), HasSubstr("more than once"));
  EXPECT_THAT(values(pattern("errors (\\d+)", Take::all), line), testing::ElementsAre(0, 13e9));
  EXPECT_THAT(values(pattern("gpu (\\d+) errors (\\d+)"), line), testing::ElementsAre(0, 13e9));
  EXPECT_THAT(values(pattern("^gpu \\d+ errors (\\d+)"), line), testing::ElementsAre(0)) << "it begins once";
  EXPECT_THAT(values(pattern("(\\d*)$", Take::all), "x 7"), testing::ElementsAre(7e9));
}

TEST(Output, AMatchWithoutAValueIsRefusedWithItsLine) {
  EXPECT_THAT(refusal(pattern("^gpu (\\d+) errors (\\d+)?$"), "gpu 0 errors 0\ngpu 1 errors \n"),
              HasSubstr("the line 'gpu 1 errors ' of the output matches"));
}

TEST(Output, AKeyThatStandsTwiceIsNoValue) {
  EXPECT_THAT(refusal(json("/errors"), R"({"errors": 13, "errors": 0})"),
              HasSubstr("the key 'errors' twice"));
  EXPECT_THAT(refusal(json("/gpu/errors"), R"({"gpu": {"errors": 13}, "gpu": {"errors": 0}})"),
              HasSubstr("the key 'gpu' twice"));
  EXPECT_THAT(refusal(json("/e", Take::all), "{\"e\": 1}\n{\"e\": 2, \"e\": 0}\n"),
              HasSubstr("the key 'e' twice"));
  EXPECT_THAT(values(json("/errors"), R"({"errors": 13, "note": 1, "note": 2})"), testing::ElementsAre(13));
}

TEST(Output, WholeNumbersAreExactOrRefused) {
  Metric count = pattern("^(\\d+)$");
  count.scale = 1;
  EXPECT_THAT(values(count, "9007199254740992\n"), testing::ElementsAre(9007199254740992.0));
  EXPECT_THAT(refusal(count, "9007199254740993\n"), HasSubstr("beyond 2^53"));
  EXPECT_THAT(refusal(json("/n"), R"({"n": 12345678901234567891})"), HasSubstr("beyond 2^53"));
  EXPECT_THAT(values(pattern("^(\\d+)$"), "9007199254740993\n"),
              testing::ElementsAre(9007199254740993.0 * 1e9));
}

TEST(Output, HoweverAllDigitsAreWrittenTheyAreExactOrRefused) {
  Metric count = pattern("^v (.*)$");
  count.scale = 1;
  for (const char* text :
       {"18446744073709551617", "9007199254740993.0", "9007199254740993.000", "9007199254740992.5",
        "-9007199254740993.0", "9.007199254740993e15", "90071992547409930E-1", "1.2345678901234567891e19",
        "100000000000000000000000", "123456789012345678901234567890"}) {
    EXPECT_THAT(refusal(count, "v " + std::string(text) + "\n"), HasSubstr("beyond 2^53")) << text;
    const std::string document = R"({"n": )" + std::string(text) + R"(, "list": [1, )" + text + "]}";
    EXPECT_THAT(refusal(json("/n"), document), HasSubstr(std::string("'") + text + "'")) << text;
    EXPECT_THAT(refusal(json("/list"), document), HasSubstr("beyond 2^53")) << text;
    EXPECT_THAT(refusal(json("/n"), R"({"n": ")" + std::string(text) + R"("})"), HasSubstr("beyond 2^53"));
    EXPECT_THAT(values(json("/other"), R"({"n": )" + std::string(text) + R"(, "other": 1})"),
                testing::ElementsAre(1))
        << "nobody asked for it";
  }
  for (const auto& [text, value] :
       std::vector<std::pair<std::string, double>>{{"18446744073709551616", 0x1p64},
                                                   {"9007199254740992.0", 0x1p53},
                                                   {"9007199254740994.00", 0x1p53 + 2},
                                                   {"1.8446744073709551616e19", 0x1p64},
                                                   {"6.02214076e23", 6.02214076e23},
                                                   {"1e23", 1e23},
                                                   {"1.7976931348623157e308", 1.7976931348623157e308},
                                                   {"4503599627370497.5", 4503599627370497.5},
                                                   {"-0.0", 0},
                                                   {"1e-320", 1e-320}}) {
    EXPECT_THAT(values(json("/n"), R"({"n": )" + text + "}"), testing::ElementsAre(value)) << text;
    EXPECT_THAT(values(count, "v " + text + "\n"), testing::ElementsAre(value)) << text;
  }
}

TEST(Output, NumbersOfSmallUnitsAreTheSuitesOwn) {
  Metric metric = pattern("^v (.*)$");
  const std::vector<std::pair<double, double>> units{
      {1e-2, 1e2}, {1e-3, 1e3}, {1e-6, 1e6}, {1e-9, 1e9}, {1e-12, 1e12}, {1.0 / 60, 60}, {1.0 / 3600, 3600}};
  for (const auto& [scale, parts] : units)
    for (int number = 1; number <= 999; ++number) {
      metric.scale = scale;
      ASSERT_THAT(values(metric, "v " + std::to_string(number) + "\n"), testing::ElementsAre(number / parts))
          << number << " of " << scale;
    }
}

TEST(Output, RefusesPatternsThatNoSuiteMayHave) {
  for (const char* wrong : {"(a)\\1", "(?=a)(b)", "(?<=a)(b)", "(", "[a", "*", "((a{100}){100}){100}"})
    EXPECT_THAT(refusal(pattern(wrong), "a\n"), HasSubstr("is not a regular expression")) << wrong;
}

TEST(Output, ReadsADocumentWhateverStandsAroundIt) {
  const std::string document = R"({"nvbandwidth": {"testcases": [{"sum": "221.9", "ok": true}]}})";
  const std::string pointer = "/nvbandwidth/testcases/0/sum";
  EXPECT_THAT(values(json(pointer), document), testing::ElementsAre(221.9));
  EXPECT_THAT(values(json(pointer), "warning: clocks\n" + document + "\ndone\n"),
              testing::ElementsAre(221.9));
  EXPECT_THAT(values(json("/nvbandwidth/testcases/0/ok"), document), testing::ElementsAre(1));
  EXPECT_THAT(refusal(json("/nvbandwidth"), document), HasSubstr("an object"));
  EXPECT_THAT(refusal(json("/a"), "no json"), HasSubstr("at '/a' of its JSON output"));
}

TEST(Output, ReadsADocumentALine) {
  const std::string lines = "starting\n{\"step\": 1, \"loss\": 3}\n{\"step\": 2, \"loss\": 2}\n";
  EXPECT_THAT(values(json("/loss", Take::last), lines), testing::ElementsAre(2));
  EXPECT_THAT(values(json("/loss", Take::all), lines), testing::ElementsAre(3, 2));
}

TEST(Output, ArraysBecomeIndicesOrSamples) {
  const auto matrix =
      read_metric(json("/m"), {R"({"m": [["N/A", "1.5"], [2.5, null]]})", "", 0});  // to itself
  ASSERT_EQ(matrix.size(), 2U);
  EXPECT_THAT(matrix[0].indices, testing::ElementsAre(0U, 1U));
  EXPECT_THAT(matrix[1].indices, testing::ElementsAre(1U, 0U));
  EXPECT_DOUBLE_EQ(matrix[1].value, 2.5);
  EXPECT_THAT(values(json("/m", Take::all), R"({"m": [1, 2, 3]})"), testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(refusal(json("/m"), R"({"m": [[[1]]]})"), HasSubstr("arrays in arrays"));
  EXPECT_THAT(refusal(json("/m", Take::all), R"({"m": [[1]]})"), HasSubstr("arrays in arrays"));
}

TEST(Output, DropsNothing) {
  const std::string begin = "{\"step\": 1, \"loss\": 3}\n";
  EXPECT_THAT(refusal(json("/loss", Take::all), begin + "{\"step\": 2, \"loss\": NaN}\n"),
              HasSubstr("line 2 of the output, '{\"step\": 2, \"loss\": NaN}', is not JSON"));
  EXPECT_THAT(refusal(json("/loss", Take::last), begin + "{\"step\": 2, \"lo"), HasSubstr("line 2"));
  EXPECT_THAT(refusal(json("/0", Take::last), "[1]\n[Infinity]\n"), HasSubstr("line 2"));
  EXPECT_THAT(values(json("/loss", Take::all), "[rank 0] starting\n" + begin + begin),
              testing::ElementsAre(3, 3));
  EXPECT_THAT(refusal(json("/m"), R"({"m": [1, null, 3]})"), HasSubstr("at index 1 is null"));
  EXPECT_THAT(refusal(json("/m"), R"({"m": [1, "N/A", 3]})"), HasSubstr("at index 1 is 'N/A'"));
  EXPECT_THAT(refusal(json("/m"), R"({"m": [["N/A", "N/A"], [2.5, "N/A"]]})"),
              HasSubstr("at index 0, 1 is 'N/A'"));
  EXPECT_THAT(refusal(json("/m"), R"({"m": [[null, 1, 2]]})"), HasSubstr("at index 0, 0 is null"));
  EXPECT_THAT(refusal(json("/m"), R"({"m": [[], [1]]})"), HasSubstr("at index 0 is an empty array"));
  using std::string_literals::operator""s;
  EXPECT_THAT(refusal(json("/m", Take::last), "{\"m\": 1}\0{\"m\": 7}\n"s),
              HasSubstr("line 1 of the output"));
  EXPECT_THAT(refusal(json("/m", Take::last), "{\"m\": 1}\n\0{\"m\": 7}\n"s),
              HasSubstr("line 2 of the output"));
}

// ---- Processes

Definition shell(const std::string& text) {
  Definition definition;
  definition.arguments = {"/bin/sh", "-c", text};
  return definition;
}

Finished run(
    const Definition& definition, const std::function<bool()>& cancelled = [] { return false; },
    std::size_t most = kMostOutput) {
  return run_command(definition, find_program(definition), cancelled, most);
}

template <typename Body>
std::string failure_of(const std::string& domain, Body body) {
  try {
    body();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.domain(), domain);
    return failure.what();
  }
  return "nothing failed";
}

// Holds a lock of its own for as long as one of the processes that inherited it lives.
class Witness {
 public:
  Witness() {
    EXPECT_EQ(pipe2(ends_.data(), 0), 0);
    path_ = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(ends_[1]);
  }
  ~Witness() {
    ::close(ends_[0]);
    close_own();
  }
  // What a shell writes so that it and all its children hold the pipe open.
  [[nodiscard]] std::string hold() const { return "exec 9>" + path_ + "; "; }
  // True once nobody holds it: all who did are dead. Waits for it, within what a test may take.
  [[nodiscard]] bool all_gone() {
    close_own();
    pollfd polled{ends_[0], POLLIN, 0};
    if (poll(&polled, 1, 30000) <= 0) return false;
    std::array<char, 64> bytes{};
    while (read(ends_[0], bytes.data(), bytes.size()) > 0) {
    }
    return true;
  }

 private:
  void close_own() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }
  std::array<int, 2> ends_{};
  std::string path_;
};

TEST(Command, GivesOutputErrorsAndStatus) {
  const Finished finished = run(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(finished.output.out, "out\n");
  EXPECT_EQ(finished.output.error, "err\n");
  EXPECT_EQ(finished.output.status, 7);
  EXPECT_EQ(finished.signal, 0);
  EXPECT_EQ(finished.end.left, 0);
  EXPECT_GT(finished.end.end_ns, finished.end.begin_ns);
}

TEST(Command, ArgumentsReachTheProgramUntouchedByAnyShell) {
  Definition definition;
  definition.arguments = {"printf", "%s|", "a b", "$HOME", "*", "; exit 3", ""};
  EXPECT_EQ(run(definition).output.out, "a b|$HOME|*|; exit 3||");
}

TEST(Command, HasNoInputNoTerminalAndNoDescriptorsOfOurs) {
  const int open_here = open("/dev/null", O_RDONLY);
  const Finished finished = run(shell("cat; ls /proc/self/fd | tr '\\n' ' '; test -t 0 || echo quiet"));
  EXPECT_EQ(finished.output.out, "0 1 2 3 quiet\n");  // 3 is the folder that ls reads
  ::close(open_here);
}

TEST(Command, RunsInItsFolder) {
  Definition definition = shell("pwd");
  definition.directory = "/usr";
  EXPECT_EQ(run(definition).output.out, "/usr\n");
}

TEST(Command, KeepsWhatIsWrittenFasterThanItIsRead) {
  EXPECT_EQ(run(shell("head -c 3000000 /dev/zero")).output.out.size(), 3000000U);
}

TEST(Command, SaysWhatCannotBeStarted) {
  const auto start = [](std::vector<std::string> arguments, const std::string& directory = "") {
    return failure_of("external.start", [&] {
      Definition definition;
      definition.arguments = std::move(arguments);
      definition.directory = directory;
      (void)run(definition);
    });
  };
  EXPECT_THAT(start({"no_such_program_here"}), HasSubstr("is in no folder of PATH"));
  EXPECT_THAT(start({"/usr"}), HasSubstr("is not a program that can be run"));
  EXPECT_THAT(start({"true"}, "/no/such/folder"), HasSubstr("there is no folder"));
  const std::string script = testing::TempDir() + "/assay_external_no_interpreter";
  std::ofstream(script) << "echo hello\n";
  ASSERT_EQ(chmod(script.c_str(), 0700), 0);
  EXPECT_THAT(start({script}), HasSubstr("begins with #!"));
}

TEST(Command, ItsSignalIsTold) {
  const Finished finished = run(shell("kill -SEGV $$"));
  EXPECT_EQ(finished.signal, SIGSEGV);
}

TEST(Command, WhatItLeavesBehindDiesWithIt) {
  Witness witness;
  // In the background, in a session of its own, and as a daemon that was forked twice.
  const Finished finished =
      run(shell(witness.hold() + "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 & "
                                 "trap \"\" TERM HUP; sleep 1000' &) ; echo started"));
  EXPECT_EQ(finished.output.out, "started\n");
  EXPECT_EQ(finished.end.left, 3);
  EXPECT_TRUE(witness.all_gone());
}

TEST(Command, AReceivedCancelEndsTheWholeTree) {
  Witness witness;
  bool seen = false;
  const Definition definition = shell(witness.hold() + "setsid sleep 1000 & sleep 1000");
  EXPECT_THROW((void)run(definition, [&] { return std::exchange(seen, true); }), Cancelled);
  EXPECT_TRUE(witness.all_gone());
}

TEST(Command, ATreeThatGrowsWhileItIsKilledIsKilledAllTheSame) {
  Witness witness;
  bool seen = false;
  const Definition definition =
      shell(witness.hold() + "grow() { while :; do (sleep 1000 &) ; sleep 0.01; done; }; grow & grow & wait");
  EXPECT_THROW((void)run(definition, [&] { return std::exchange(seen, true); }), Cancelled);
  EXPECT_TRUE(witness.all_gone());
}

TEST(Command, TooMuchOutputEndsIt) {
  const std::string text = failure_of("external.output", [] {
    (void)run(
        shell("yes"), [] { return false; }, 1 << 20);
  });
  EXPECT_THAT(text, HasSubstr("wrote more than 1 MiB"));
}

TEST(Supervisor, ItsCallersSuddenDeathEndsTheWholeTree) {
  Witness witness;
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe2(ready.data(), O_CLOEXEC), 0);
  const std::string text = witness.hold() + "setsid sleep 1000 & (sleep 1000 &); echo ready; sleep 1000";
  const pid_t caller = fork();
  if (caller == 0) {
    const Supervisor supervisor({"/bin/sh", {"sh", "-c", text}, "", ready[1], ready[1]});
    pause();
  }
  std::array<char, 6> word{};
  ASSERT_EQ(read(ready[0], word.data(), word.size()), 6);
  ASSERT_EQ(kill(caller, SIGKILL), 0);
  int status = 0;
  waitpid(caller, &status, 0);
  EXPECT_TRUE(witness.all_gone());
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace assay::plugins::external
