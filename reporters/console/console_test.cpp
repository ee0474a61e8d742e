// SPDX-License-Identifier: Apache-2.0
#include "console/console.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

TEST(ConsoleText, SaysThatNoCaseIsCompleteWhereARunWasInterrupted) {
  Document document;
  document.cases.resize(2);
  document.cases[0].outcome = Outcome::cancelled;
  document.cases[1].outcome = Outcome::not_run;
  document.verdict.outcome = RunOutcome::interrupted;
  document.findings.resize(2);
  for (Finding& finding : document.findings) {
    finding.verdict = FindingVerdict::undecided;
    finding.why = "a has no result (cancelled)";
  }
  const std::string text = render_console(document, {});
  EXPECT_NE(text.find("2 findings   not answered: no case is complete\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("undecided"), std::string::npos) << text;
}

TEST(ConsoleText, PutsTheTimeBehindTheWholeVerdict) {
  Document document;
  document.cases.resize(59);
  for (Case& one : document.cases) one.outcome = Outcome::passed;
  document.groups.resize(10);
  for (Group& group : document.groups) group.outcome = Outcome::passed;
  document.verdict.outcome = RunOutcome::passed;
  document.verdict.undecided = 8;
  document.run.duration_s = 147;
  ConsoleOptions options;
  options.style.width = 80;
  const std::string text = render_console(document, options);
  EXPECT_NE(text.find("8 expectations\n"), std::string::npos) << text;
  EXPECT_NE(text.find("undecided  "), std::string::npos) << text;
  EXPECT_LT(text.find("undecided  "), text.find("2 min 27 s")) << text;
}

TEST(ConsoleText, PraisesNoRunOfWhichItsCommandSaysNo) {
  Document document;
  document.verdict.outcome = RunOutcome::passed;
  ConsoleOptions options;
  options.style.color = true;
  const std::string green = toned("PASS", Tone::good, options.style);
  for (const char* exit : {"", "0"}) {
    options.exit = exit;
    EXPECT_NE(render_console(document, options).find(green), std::string::npos) << exit;
  }
  options.exit = "1, because the machine is not fit";
  const std::string text = render_console(document, options);
  EXPECT_EQ(text.find("PASS"), std::string::npos) << text;
}

TEST(ConsoleText, SaysOnceWhatKeepsAllQuestionsOpen) {
  Document document;
  Metric metric;
  metric.name = "time";
  metric.value = 1;
  Case& done = document.cases.emplace_back();
  done.id = done.name = "a";
  done.outcome = Outcome::passed;
  done.metrics = {metric};
  document.findings.resize(2);
  for (Finding& finding : document.findings) {
    finding.question = "Is it?";
    finding.verdict = FindingVerdict::undecided;
    finding.why = "findings are not judged in a quick run";
  }
  const std::string once = render_console(document, {});
  EXPECT_NE(once.find("2 findings   not answered: findings are not judged in a quick run\n"),
            std::string::npos)
      << once;
  EXPECT_EQ(once.find("Is it?"), std::string::npos) << once;
  document.findings.resize(1);  // of one, the question is worth its line
  EXPECT_NE(render_console(document, {}).find("Is it?"), std::string::npos);
}

TEST(ConsoleText, SaysOnceWhereTheLimitStandsThatManyMissed) {
  Document document;
  VerdictReason reason;
  reason.code = "expectation.failed";
  reason.next = "Look at the cable.";
  for (int i = 0; i < 4; ++i) {
    reason.subject = "copy[device=cuda:" + std::to_string(i) + "]";
    reason.text = "nvlink_crc " + std::to_string(12 + i) + ", limit 10";
    reason.position = {"suite.yaml", i < 2 ? 9 : 20, 5};
    document.verdict.reasons.push_back(reason);
  }
  const std::string text = render_console(document, {});
  EXPECT_NE(text.find("  copy[device=cuda:0]   nvlink_crc 12, limit 10\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    at suite.yaml:9:5, suite.yaml:20:5\n    → Look at the cable."), std::string::npos)
      << text;
  document.verdict.reasons.resize(3);
  EXPECT_NE(render_console(document, {}).find("limit 10   suite.yaml:9:5\n"), std::string::npos)
      << "three lines of two places have their own";
}

TEST(ConsoleText, TellsWhatHappenedBeforeWhatToDo) {
  Document document;
  VerdictReason reason;
  reason.code = "external.start";
  reason.subject = "typo";
  reason.text = "'pyton3' is in no folder of PATH";
  reason.next = "Install the program.";
  document.verdict.reasons = {reason};
  ConsoleOptions options;
  options.style.width = 80;
  const std::string text = render_console(document, options);
  EXPECT_NE(
      text.find("\n  typo   'pyton3' is in no folder of PATH\n    → Install the program. [external.start]\n"),
      std::string::npos)
      << text;
}

TEST(ConsoleText, ShowsEightLimitsOfACaseAndCountsTheRest) {
  Document document;
  Case& one = document.cases.emplace_back();
  one.id = one.name = "a";
  one.outcome = Outcome::failed;
  one.reason.emplace();
  one.reason->code = "expectation.failed";
  one.metrics.emplace_back().value = 1;
  for (int i = 0; i < 11; ++i) {
    Expectation& each = one.expectations.emplace_back();
    each.text = "m" + std::to_string(i) + " >= 9";
    each.op = ">=";
    each.value = 1;
    each.limit = 9;
    each.unit = "1";
    each.status = ExpectationStatus::failed;
  }
  document.verdict.outcome = RunOutcome::failed;
  document.verdict.reasons = {{"expectation.failed", ReasonSeverity::failure, "a", "m0 1, limit 9", "", {}}};
  const std::string text = render_console(document, {});
  EXPECT_NE(text.find("  a   m0 1, limit 9\n  a   m1 1, limit 9\n"), std::string::npos) << text;
  EXPECT_NE(text.find("m7 1, limit 9\n  … 3 more, see report.md\n"), std::string::npos) << text;
  EXPECT_NE(text.find("11 of 11 checks failed; worst: a, m0 1, limit 9."), std::string::npos) << text;
}

TEST(ConsoleText, SaysOfARunUnderAToolThatNothingIsJudged) {
  Document document;
  document.cases.resize(2);
  for (Case& one : document.cases) one.outcome = Outcome::passed;
  document.verdict.outcome = RunOutcome::unmet;
  document.run.mode.wrap = "perf stat";
  std::string text = render_console(document, {});
  EXPECT_NE(text.find("UNMET   2 measured, not judged"), std::string::npos) << text;
  EXPECT_EQ(text.find("passed"), std::string::npos) << text;
  document.run.mode.wrap.reset();
  text = render_console(document, {});
  EXPECT_NE(text.find("2 passed"), std::string::npos) << text;
}

TEST(ConsoleText, ShowsEveryEntryOfACommandsMetricWithIndices) {
  Document document;
  Case& one = document.cases.emplace_back();
  one.id = one.name = "a";
  one.command = {"./train"};
  one.outcome = Outcome::passed;
  for (std::uint64_t i = 0; i < 3; ++i) {
    Metric& metric = one.metrics.emplace_back();
    metric.name = "bw";
    metric.unit = "B/s";
    metric.indices = {i};
    metric.value = 1e9 * static_cast<double>(10 * i + 10);
  }
  std::string text = render_console(document, {});
  EXPECT_NE(text.find("    bw, 3 values: 10 GB/s, 20 GB/s, 30 GB/s\n"), std::string::npos) << text;
  for (std::uint64_t i = 3; i < 64; ++i) {
    Metric metric = one.metrics.front();
    metric.indices = {i};
    metric.value = 1e9 * static_cast<double>(i + 10);
    one.metrics.push_back(metric);
  }
  text = render_console(document, {});
  EXPECT_NE(text.find("    bw, 64 values from 10 GB/s to 73 GB/s\n"), std::string::npos) << text;
}

TEST(ConsoleText, ShowsTheSlowestIterationsIfVerbose) {
  Document document;
  Case& one = document.cases.emplace_back();
  one.id = one.name = "a";
  one.outcome = Outcome::passed;
  one.time.emplace();
  one.time->tail = {{0.99, 0.021, 0.0202, 0.0221}, {0.999, 0.025, 0.022, {}}};
  ConsoleOptions options;
  EXPECT_EQ(render_console(document, options).find("p99"), std::string::npos);
  options.verbose = true;
  const std::string text = render_console(document, options);
  EXPECT_NE(text.find("    time p99 21.00 ± 0.95 ms, p99.9 > 25 ms, n too small\n"), std::string::npos)
      << text;
}

TEST(ConsoleText, SaysOnceInFullForWhatNoPeakIsKnown) {
  Document document;
  for (const char* id : {"a", "b"}) {
    Case& one = document.cases.emplace_back();
    one.id = one.name = id;
    one.benchmark = "membw";
    one.backend = "host";
    one.outcome = Outcome::passed;
    Metric& metric = one.metrics.emplace_back();
    metric.name = "bandwidth";
    metric.unit = "B/s";
    metric.statistic = "work over time";
    metric.value = 1e9;
  }
  const std::string said = "No peak is known for: membw@host; its work is as the plugin declares it";
  EXPECT_EQ(render_console(document, {}).find(said), std::string::npos);
  ConsoleOptions options;
  options.verbose = true;
  std::string text = render_console(document, options);
  EXPECT_NE(text.find(said), std::string::npos) << text;
  EXPECT_EQ(text.find(said), text.rfind(said)) << text;
  for (Case& one : document.cases) {
    one.metrics.push_back(one.metrics.front());
    one.metrics.back().peak = model::Peak{2e9, 0.5, "dram", "given", {}};  // which bounds the other rate, too
  }
  text = render_console(document, options);
  EXPECT_EQ(text.find("No peak"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::reporters
