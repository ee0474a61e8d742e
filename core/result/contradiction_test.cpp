// SPDX-License-Identifier: Apache-2.0
#include "result/contradiction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace assay::result {
namespace {

using model::ExpectationStatus;
using model::FindingVerdict;
using model::ReasonSeverity;
using model::RunOutcome;
using testing::HasSubstr;

model::Case case_of(const std::string& id, Outcome outcome, ExpectationStatus status) {
  model::Case one;
  one.id = id;
  one.outcome = outcome;
  if (outcome != Outcome::passed) one.reason.emplace().code = "expectation.failed";
  one.expectations.emplace_back().text = "bandwidth >= 60 GB/s";
  one.expectations.back().status = status;
  return one;
}

// Two cases, of which one failed, a group check that passed and a finding that is confirmed and asserted.
model::Document failed_run() {
  model::Document stated;
  stated.cases = {case_of("fast", Outcome::passed, ExpectationStatus::passed),
                  case_of("slow", Outcome::failed, ExpectationStatus::failed)};
  model::Group& group = stated.groups.emplace_back();
  group.id = "all: spread";
  group.outcome = Outcome::passed;
  group.status = ExpectationStatus::undecided;
  model::Finding& finding = stated.findings.emplace_back();
  finding.id = "helps";
  finding.verdict = FindingVerdict::confirmed;
  finding.asserted = true;
  stated.verdict.outcome = RunOutcome::failed;
  stated.verdict.exit_code = 1;
  stated.verdict.counts.passed = 2;
  stated.verdict.counts.failed = 1;
  stated.verdict.undecided = 1;
  return stated;
}

// The same without the case that failed.
model::Document passed_run() {
  model::Document stated = failed_run();
  stated.cases.pop_back();
  stated.verdict.outcome = RunOutcome::passed;
  stated.verdict.exit_code = 0;
  stated.verdict.counts.failed = 0;
  return stated;
}

std::string edited(model::Document stated, const std::function<void(model::Document&)>& edit) {
  edit(stated);
  return contradiction_in(stated);
}

void add_reason(model::Document& stated, const std::string& code, ReasonSeverity severity) {
  model::VerdictReason& reason = stated.verdict.reasons.emplace_back();
  reason.code = code;
  reason.severity = severity;
}

TEST(Contradiction, IsNoneWhereTheVerdictIsThatOfItsParts) {
  EXPECT_EQ(contradiction_in(failed_run()), "");
  EXPECT_EQ(contradiction_in(passed_run()), "");
  EXPECT_EQ(edited(passed_run(), [](model::Document& stated) { stated.run.mode.wrap = ""; }), "");
}

TEST(Contradiction, OfAVerdictThatItsCasesDoNotCarry) {
  EXPECT_EQ(
      edited(failed_run(),
             [](model::Document& stated) {
               stated.verdict.outcome = RunOutcome::passed;
               stated.verdict.exit_code = 0;
             }),
      "its verdict is passed (exit code 0), and its cases, group checks and findings come to failed (exit code 1) "
      "(case 'slow' is failed)");
  EXPECT_THAT(edited(passed_run(), [](model::Document& stated) { stated.verdict.exit_code = 1; }),
              HasSubstr("its verdict is passed (exit code 1), and"));
  EXPECT_THAT(edited(passed_run(),
                     [](model::Document& stated) { stated.findings[0].verdict = FindingVerdict::refuted; }),
              HasSubstr("come to failed (exit code 1) (finding 'helps' is refuted, and asserted)"));
  EXPECT_THAT(edited(passed_run(), [](model::Document& stated) { stated.run.mode.strict = true; }),
              HasSubstr("come to failed (exit code 1)"))
      << "what is undecided fails under --strict";
  EXPECT_THAT(edited(passed_run(), [](model::Document& stated) { stated.run.mode.wrap = "ncu"; }),
              HasSubstr("come to unmet (exit code 6)"));
  EXPECT_THAT(
      edited(passed_run(), [](model::Document& stated) { stated.run.mode.interrupted_by = "SIGINT"; }),
      HasSubstr("come to interrupted (exit code 130)"));
}

TEST(Contradiction, OfCounts) {
  EXPECT_EQ(edited(failed_run(), [](model::Document& stated) { stated.verdict.counts.failed = 0; }),
            "its verdict counts 0 failed, and 1 of its cases and group checks are");
  EXPECT_EQ(edited(passed_run(), [](model::Document& stated) { stated.verdict.undecided = 0; }),
            "its verdict counts 0 undecided, and 1 of its expectations and group checks are");
}

TEST(Contradiction, OfACaseThatPassedWithWhatFailed) {
  const auto problem = [](const std::function<void(model::Case&)>& edit) {
    return edited(passed_run(), [&](model::Document& stated) { edit(stated.cases[0]); });
  };
  EXPECT_EQ(problem([](model::Case& one) { one.expectations[0].status = ExpectationStatus::failed; }),
            "case 'fast' is passed, and its expectation 'bandwidth >= 60 GB/s' is failed");
  EXPECT_THAT(problem([](model::Case& one) { one.expectations[0].status = ExpectationStatus::not_judged; }),
              HasSubstr("is not_judged"));
  EXPECT_THAT(problem([](model::Case& one) { one.expectations[0].status = ExpectationStatus::no_reference; }),
              HasSubstr("is no_reference"));
  EXPECT_EQ(problem([](model::Case& one) {
              one.expectations[0].status = ExpectationStatus::no_reference;
              one.flags.emplace_back().code = "no_peers";
            }),
            "")
      << "alone: skip";
  EXPECT_EQ(problem([](model::Case& one) { one.expectations[0].status = ExpectationStatus::not_available; }),
            "");
  EXPECT_EQ(problem([](model::Case& one) { one.reason.emplace().code = "check.failed"; }),
            "case 'fast' is passed, and has the reason 'check.failed'");
  EXPECT_EQ(problem([](model::Case& one) { one.checks.emplace_back().name = "sum"; }),
            "case 'fast' is passed, and its check 'sum' is not");
  EXPECT_EQ(problem([](model::Case& one) { one.verification.emplace().wrong = 3; }),
            "case 'fast' is passed, and its verification found wrong values");
  EXPECT_EQ(edited(passed_run(),
                   [](model::Document& stated) { stated.groups[0].status = ExpectationStatus::failed; }),
            "its verdict counts 1 undecided, and 0 of its expectations and group checks are");
  EXPECT_EQ(edited(passed_run(),
                   [](model::Document& stated) {
                     stated.groups[0].status = ExpectationStatus::failed;
                     stated.verdict.undecided = 0;
                   }),
            "group check 'all: spread' is passed, and its status is failed");
}

TEST(Contradiction, OfAValueThatItsRoundsDoNotReach) {
  const auto problem = [](double value, const std::vector<double>& rounds) {
    return edited(passed_run(), [&](model::Document& stated) {
      model::Metric& metric = stated.cases[0].metrics.emplace_back();
      metric.name = "rate";
      metric.value = value;
      metric.rounds = rounds;
    });
  };
  EXPECT_EQ(problem(100, {50, 50, 50}), "'rate' of case 'fast' is 100, and its rounds lie from 50 to 50");
  EXPECT_NE(problem(1, {2, 3}), "");
  EXPECT_EQ(problem(2.5, {2, 3}), "");
  EXPECT_EQ(problem(-3, {-3, std::nan("")}), "");
  EXPECT_EQ(problem(0.1 + 0.2, {0.3}), "") << "rounded otherwise";
  EXPECT_EQ(problem(5, {}), "");
}

TEST(Contradiction, OfAnExpectationThatItsNumbersDoNotCarry) {
  const auto problem = [](double value, const std::string& op, double limit, bool passed = true,
                          const std::string& text = "v OP x") {
    model::Document stated = passed ? passed_run() : failed_run();
    model::Expectation& each = stated.cases.back().expectations[0];
    each.text = text;
    each.op = op;
    each.value = value;
    each.limit = limit;
    return contradiction_in(stated);
  };
  EXPECT_EQ(problem(5, ">=", 10),
            "expectation 'v OP x' of case 'fast' is passed, and its value is 5 and its limit 10");
  EXPECT_NE(problem(5, ">", 10), "");
  EXPECT_NE(problem(11, "<=", 10), "");
  EXPECT_NE(problem(11, "==", 10), "");
  EXPECT_NE(problem(10, "!=", 10), "");
  EXPECT_EQ(problem(10, ">=", 10), "");
  EXPECT_EQ(problem(0.3, "==", 0.1 + 0.2), "");
  EXPECT_NE(problem(11, ">=", 10, false), "");
  EXPECT_NE(problem(10, "==", 10, false), "");
  EXPECT_EQ(problem(9, ">=", 10, false), "");
  EXPECT_EQ(problem(10, "<", 10, false), "");
  EXPECT_EQ(problem(5, ">=", 10, true, "v >= 90% of reference"), "") << "judged by more than these";
}

TEST(Contradiction, OfAStrictRunThatLeftALimitOut) {
  const auto strict = [](model::Document& stated) {
    stated.run.mode.strict = true;
    stated.groups[0].status = ExpectationStatus::passed;
    stated.verdict.undecided = 0;
    stated.cases[0].expectations[0].status = ExpectationStatus::not_available;
  };
  EXPECT_THAT(edited(passed_run(), strict), HasSubstr("come to unmet (exit code 6)"));
  EXPECT_EQ(edited(passed_run(),
                   [&](model::Document& stated) {
                     strict(stated);
                     stated.verdict.outcome = RunOutcome::unmet;
                     stated.verdict.exit_code = 6;
                   }),
            "");
}

TEST(Contradiction, IsNoneOfWhatStandsInNoCase) {
  const auto unmet = [](model::Document& stated) {
    stated.verdict.outcome = RunOutcome::unmet;
    stated.verdict.exit_code = 6;
  };
  EXPECT_THAT(edited(passed_run(), unmet), HasSubstr("come to passed (exit code 0)"));
  EXPECT_EQ(edited(passed_run(),
                   [&](model::Document& stated) {
                     unmet(stated);
                     add_reason(stated, "devices.missing", ReasonSeverity::unmet);
                   }),
            "");
  EXPECT_THAT(edited(failed_run(),
                     [&](model::Document& stated) {
                       unmet(stated);
                       add_reason(stated, "requires.unmet", ReasonSeverity::unmet);
                     }),
              HasSubstr("come to failed (exit code 1)"));
  EXPECT_EQ(edited(passed_run(),
                   [&](model::Document& stated) {
                     unmet(stated);
                     add_reason(stated, "requires.unmet", ReasonSeverity::unmet);
                     stated.cases[0] = case_of("fast", Outcome::not_run, ExpectationStatus::not_judged);
                     stated.groups.clear();
                     stated.verdict.undecided = stated.verdict.counts.passed = 0;
                     stated.verdict.counts.not_run = 1;
                     stated.findings[0].verdict = FindingVerdict::undecided;
                   }),
            "")
      << "nothing ran, so that nothing was refuted";
  EXPECT_EQ(edited(passed_run(),
                   [](model::Document& stated) {
                     stated.verdict.outcome = RunOutcome::failed;
                     stated.verdict.exit_code = 1;
                     add_reason(stated, "run.slower", ReasonSeverity::failure);
                   }),
            "")
      << "--pairs";
  EXPECT_EQ(edited(failed_run(),
                   [](model::Document& stated) {
                     stated.verdict.outcome = RunOutcome::interrupted;
                     stated.verdict.exit_code = 137;
                   }),
            "")
      << "a run that was killed has no signal's name";
}

TEST(Contradiction, IsNoneOfWordsOfALaterVersion) {
  EXPECT_EQ(edited(passed_run(), [](model::Document& stated) { stated.cases[0].outcome = Outcome::other; }),
            "");
  EXPECT_EQ(edited(failed_run(), [](model::Document& stated) { stated.verdict.outcome = RunOutcome::other; }),
            "");
}

}  // namespace
}  // namespace assay::result
