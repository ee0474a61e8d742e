// SPDX-License-Identifier: Apache-2.0
#include "lib/reason_groups.hpp"

#include "junit/junit.hpp"
#include "lib/acceptance.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

Document with_reasons(const std::vector<std::pair<std::string, std::string>>& all) {
  Document document;
  for (const auto& [subject, text] : all) {
    VerdictReason& reason = document.verdict.reasons.emplace_back();
    reason.code = "expectation.failed";
    reason.subject = subject;
    reason.text = text;
    reason.position = {"suite.yaml", 9, 5};
  }
  return document;
}

TEST(Reasons, OfManyCasesThatMissedOneLimitAreALine) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* value : {"464", "262", "654", "30", "99"})
    all.emplace_back("p2p[device=" + std::to_string(all.size()) + "]",
                     std::string("nvlink_crc ") + value + ", limit 10");
  all.emplace_back("copy[device=1]", "nvlink_crc 12, limit 10");
  all.emplace_back("p2p[device=9]", "p99 30 µs, limit 10 µs");
  const std::vector<ReasonGroup> groups = grouped_reasons(with_reasons(all));
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].lines.size(), 3u);
  EXPECT_EQ(groups[0].lines[0].subject, "p2p");
  EXPECT_EQ(groups[0].lines[0].text, "nvlink_crc 30 to 654, limit 10, in 5 cases");
  EXPECT_EQ(to_text(groups[0].lines[0].position), "suite.yaml:9:5");
  EXPECT_EQ(groups[0].lines[1].subject, "copy[device=1]");
  EXPECT_EQ(groups[0].lines[2].text, "p99 30 µs, limit 10 µs");
}

TEST(Reasons, OfOneCaseThatMissedSeveralLimitsAlikeAreNoOtherCases) {
  Document document = with_reasons({});
  for (int of_case = 0; of_case < 3; ++of_case)
    for (int line = 9; line < 12; ++line) {
      VerdictReason& reason = document.verdict.reasons.emplace_back();
      reason.code = "expectation.failed";
      reason.subject = "a[n=" + std::to_string(of_case) + "]";
      reason.text = "energy 20 J, limit 0 J";
      reason.position = {"suite.yaml", line, 5};
    }
  EXPECT_EQ(grouped_reasons(document)[0].lines.size(), 9u);
}

TEST(Reasons, OfFewCasesOrOtherUnitsHaveALineEach) {
  std::vector<std::pair<std::string, std::string>> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back("p2p[device=" + std::to_string(i) + "]", "latency 30 µs, limit 10 µs");
  all.emplace_back("p2p[device=4]", "latency 3 ms, limit 10 µs");
  all.emplace_back("p2p[device=5]", "it crashed");
  EXPECT_EQ(grouped_reasons(with_reasons(all))[0].lines.size(), 6u);
}

Expectation limit(const std::string& text, const std::string& op, double value, double bound,
                  ExpectationStatus status = ExpectationStatus::failed) {
  Expectation out;
  out.text = text;
  out.op = op;
  out.value = value;
  out.limit = bound;
  out.unit = "1";
  out.status = status;
  out.position = {"suite.yaml", 9, static_cast<int>(text.size())};
  return out;
}

// A case with these limits, of which the verdict tells the first as judges do.
Document with_limits(const std::vector<Expectation>& all, Outcome outcome = Outcome::failed) {
  Document document;
  Case& one = document.cases.emplace_back();
  one.id = one.name = "a";
  one.outcome = outcome;
  one.expectations = all;
  VerdictReason& reason = document.verdict.reasons.emplace_back();
  reason.code = outcome == Outcome::failed ? "expectation.failed" : "expectation.undecided";
  reason.subject = "a";
  reason.text = "the first";
  reason.next = "Look at the flags.";
  reason.position = all.front().position;
  if (outcome == Outcome::failed) {
    one.reason.emplace();
    one.reason->code = reason.code;
  }
  return document;
}

std::vector<std::string> texts_of(const std::vector<ReasonGroup>& groups) {
  std::vector<std::string> out;
  for (const ReasonGroup& group : groups)
    for (const ReasonLine& line : group.lines)
      out.push_back(group.code + " " + line.subject + ": " + line.text);
  return out;
}

TEST(Reasons, OfACaseTellEveryLimitThatItMissedTheWorstFirst) {
  Expectation unjudged = limit("temperature <= 1", "<=", 0, 1, ExpectationStatus::not_judged);
  unjudged.why = "it has no telemetry";
  Document document =
      with_limits({limit("v <= 4", "<=", 5, 4), limit("w >= 9", ">=", 1, 9), limit("v != 5", "!=", 5, 5),
                   limit("v >= 1", ">=", 5, 1, ExpectationStatus::passed), unjudged});
  EXPECT_EQ(texts_of(grouped_reasons(document)),
            (std::vector<std::string>{"expectation.failed a: v 5, limit ≠ 5",
                                      "expectation.failed a: w 1, limit 9", "expectation.failed a: the first",
                                      "expectation.not-judged a: temperature <= 1: it has no telemetry"}));
  EXPECT_EQ(what_was_found(document), "4 of 5 checks failed; worst: a, v 5, limit ≠ 5.");
}

TEST(Reasons, OfAnOpenCaseTellEveryUndecidedLimit) {
  Expectation second = limit("w >= 9", ">=", 9.5, 9, ExpectationStatus::undecided);
  second.why = "the limit lies inside the interval";
  const Document document =
      with_limits({limit("v >= 4", ">=", 5, 4, ExpectationStatus::undecided), second}, Outcome::passed);
  EXPECT_EQ(texts_of(grouped_reasons(document)),
            (std::vector<std::string>{
                "expectation.undecided a: the first",
                "expectation.undecided a: w 9.50, limit 9: undecided; the limit lies inside the interval"}));
}

TEST(Reasons, OfCasesThatShareOneAreFollowedByTheirFurtherLimits) {
  Document document = with_limits({limit("v >= 4", ">=", 5, 4, ExpectationStatus::undecided),
                                   limit("w >= 9", ">=", 9, 9, ExpectationStatus::undecided)},
                                  Outcome::passed);
  Case other = document.cases.front();
  other.id = "b";
  document.cases.push_back(other);
  document.verdict.reasons.front().subject = "a and 1 more";
  EXPECT_EQ(texts_of(grouped_reasons(document)),
            (std::vector<std::string>{"expectation.undecided a and 1 more: the first",
                                      "expectation.undecided a and 1 more: w 9, limit 9: undecided"}));
}

TEST(Reasons, OfACaseThatIsNotJudgedForHeatTellItsLimitsToo) {
  Document document = with_limits({limit("broken != 0", "!=", 0, 0, ExpectationStatus::not_judged)});
  document.verdict.reasons.front().code = document.cases.front().reason->code = "expectation.not-judged";
  document.verdict.reasons.front().position = {"suite.yaml", 1, 1};
  EXPECT_EQ(texts_of(grouped_reasons(document)).size(), 2u);
}

TEST(Reasons, OfAStrictRunTellEveryLimitThatWasNotJudged) {
  Expectation first = limit("link_errors == 0", "==", 0, 0, ExpectationStatus::not_available);
  first.why = "the device has no links";
  Expectation second = limit("ecc == 0", "==", 0, 0, ExpectationStatus::not_available);
  second.why = "the device counts none";
  Document document = with_limits({first, second}, Outcome::passed);
  VerdictReason& reason = document.verdict.reasons.front();
  reason.code = "not_available";
  reason.severity = ReasonSeverity::unmet;
  reason.text = "link_errors == 0 was not judged: the device has no links (and 1 more)";
  document.verdict.outcome = RunOutcome::unmet;
  document.verdict.exit_code = 6;
  const std::string last = "ecc == 0 was not judged: the device counts none";
  EXPECT_EQ(
      texts_of(grouped_reasons(document)),
      (std::vector<std::string>{"not_available a: link_errors == 0 was not judged: the device has no links",
                                "not_available a: " + last}));
  EXPECT_NE(render_junit(document, {}).find(last), std::string::npos);
  reason.severity = ReasonSeverity::warning;  // a remark, which counts them
  EXPECT_EQ(texts_of(grouped_reasons(document)).size(), 1u);
}

TEST(Reasons, OfAProductAreNamedByAllOfIt) {
  const Document document =
      with_limits({limit("v <= 4", "<=", 5, 4), limit("2 * w >= 9", ">=", 8.9, 9),
                   limit("3 s >= x", ">=", 3.1, 3), limit("50% of v < w", "<", 3, 2.99)});
  std::string all;
  for (const std::string& text : texts_of(grouped_reasons(document))) all += text + "\n";
  for (const char* name : {"a: 2 * w 8.90, limit 9\n", "a: x 3.10, limit 3\n", "a: 50% of v 3, limit 2.99\n"})
    EXPECT_NE(all.find(name), std::string::npos) << all;
}

TEST(Reasons, OfManyOpenLimitsAreAllNamedInJunit) {
  std::vector<Expectation> open;
  for (int i = 0; i < 9; ++i) {
    open.push_back(limit("m" + std::to_string(i) + " >= 9", ">=", 9, 9, ExpectationStatus::undecided));
    open.back().why = std::string(120, 'y');
  }
  const std::string text = render_junit(with_limits(open, Outcome::passed), {});
  for (int i = 0; i < 9; ++i) EXPECT_NE(text.find("m" + std::to_string(i)), std::string::npos) << text;
}

TEST(Reasons, OfAFindingWithTheNameOfACaseAreItsOwn) {
  Document document = with_limits({limit("v <= 4", "<=", 5, 4), limit("w >= 9", ">=", 1, 9)});
  document.verdict.reasons.front().code = "finding.not-confirmed";
  EXPECT_EQ(texts_of(grouped_reasons(document)),
            std::vector<std::string>{"finding.not-confirmed a: the first"});
}

TEST(Reasons, OfALimitWithAnAdviceOfItsOwnHaveIt) {
  Expectation advised = limit("w >= 9", ">=", 1, 9);
  advised.say = "Update it.";
  const std::vector<ReasonGroup> groups =
      grouped_reasons(with_limits({limit("v <= 4", "<=", 5, 4), advised}));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].next, "Update it.");
  EXPECT_EQ(groups[1].next, "Look at the flags.");
}

}  // namespace
}  // namespace assay::reporters
