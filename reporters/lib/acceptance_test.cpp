// SPDX-License-Identifier: Apache-2.0
#include "lib/acceptance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

Case judged(const std::string& device, double value, ExpectationStatus status = ExpectationStatus::passed) {
  Case one;
  one.name = "gemm";
  one.backend = "cuda";
  one.axes = {{"dtype", "fp8_e4m3", "fp8_e4m3"}, {"device", device, device}};
  one.placement.devices = {device};
  one.outcome = status == ExpectationStatus::failed ? Outcome::failed : Outcome::passed;
  Expectation limit;
  limit.text = "throughput >= 58% of peak";
  limit.op = ">=";
  limit.value = value;
  limit.limit = 58.0;
  limit.unit = "FLOP/s";
  limit.status = status;
  one.expectations = {limit};
  return one;
}

Group spread(double value, ExpectationStatus status) {
  Group group;
  group.case_name = "gemm";
  group.where = {{"dtype", "bf16"}};
  group.text = "spread(throughput over device) <= 6%";
  group.op = "<=";
  group.value = value;
  group.limit = 0.06;
  group.unit = "1";
  group.status = status;
  group.outcome = status == ExpectationStatus::failed ? Outcome::failed : Outcome::passed;
  return group;
}

TEST(Acceptance, SaysThatLimitsAreKeptAndWhatIsClosest) {
  Document document;
  EXPECT_EQ(what_was_found(document), "") << "nothing was judged";
  document.cases = {judged("cuda:0", 90)};
  EXPECT_EQ(what_was_found(document),
            "1 GPU: the one check is within its limit; closest: gemm fp8_e4m3, 90 % of peak, limit 58 %.");
  document.cases = {judged("cuda:0", 90), judged("cuda:2", 59)};
  document.groups = {spread(0.028, ExpectationStatus::passed)};
  EXPECT_EQ(
      what_was_found(document),
      "2 GPUs: all 3 checks are within their limits; closest: gemm fp8_e4m3 on cuda:2, 59 % of peak, limit "
      "58 %.");
  document.groups = {spread(0.0599, ExpectationStatus::undecided)};
  EXPECT_EQ(
      what_was_found(document),
      "2 GPUs: 2 of 3 checks are within their limits, 1 is undecided; closest: gemm bf16, spread 5.99 %, "
      "limit 6 %.");
}

TEST(Acceptance, SaysThatNothingIsDecided) {
  Document document;
  document.cases = {judged("cuda:0", 58, ExpectationStatus::undecided)};
  EXPECT_EQ(what_was_found(document),
            "1 GPU: the one check is undecided; closest: gemm fp8_e4m3, 58 % of peak, limit 58 %.");
}

TEST(Acceptance, CountsTheLimitsThatNobodyCouldJudge) {
  Document document;
  document.cases = {judged("cuda:0", 90)};
  Expectation absent;
  absent.text = "link_errors == 0";
  absent.status = ExpectationStatus::not_available;
  document.cases[0].expectations.push_back(absent);
  EXPECT_EQ(
      what_was_found(document),
      "1 GPU: the one check is within its limit, 1 limit was not judged; closest: gemm fp8_e4m3, 90 % of "
      "peak, limit 58 %.");
  document.cases[0].expectations = {absent};
  EXPECT_EQ(what_was_found(document), "1 GPU: the one limit was not judged.");
  document.groups = {spread(0.028, ExpectationStatus::not_available)};
  document.groups[0].outcome = Outcome::skipped;
  EXPECT_EQ(what_was_found(document), "1 GPU: none of 2 limits was judged.");
}

TEST(Acceptance, NamesTheWorstOfWhatFailed) {
  Document document;
  document.cases = {judged("cuda:0", 59), judged("cuda:1", 57, ExpectationStatus::failed),
                    judged("cuda:2", 29, ExpectationStatus::failed)};
  EXPECT_EQ(what_was_found(document),
            "3 GPUs: 2 of 3 checks failed; worst: gemm fp8_e4m3 on cuda:2, 29 % of peak, limit 58 %.")
      << "not what was only closest";
  document.cases.pop_back();
  Expectation memory = document.cases[1].expectations[0];
  memory.text = "ecc_uncorrected == 0";
  memory.op = "==";
  memory.unit = "1";
  memory.value = 3;
  memory.limit = 0;
  document.cases[1].expectations.push_back(memory);
  EXPECT_EQ(what_was_found(document),
            "2 GPUs: 2 of 3 checks failed; worst: gemm fp8_e4m3 on cuda:1, ecc_uncorrected 3, limit 0.");
}

TEST(Acceptance, TellsAGroupsValueFromItsLimit) {
  Document document;
  document.groups = {spread(0.50004, ExpectationStatus::failed)};
  document.groups[0].limit = 0.5;
  EXPECT_EQ(what_was_found(document), "The one check failed: gemm bf16, spread 50.004 %, limit 50 %.");
  document.groups[0].limit = 0.50001;
  EXPECT_EQ(what_was_found(document), "The one check failed: gemm bf16, spread 50.004 %, limit 50.001 %.");
  document.groups[0].text = "max(latency over device) <= 3";
  document.groups[0].unit = "s";
  document.groups[0].value = 3.0004;
  document.groups[0].limit = 3;
  EXPECT_EQ(what_was_found(document), "The one check failed: gemm bf16, max 3.0004 s, limit 3 s.");
}

TEST(Acceptance, CountsNoPatternOfDevicesAsOne) {
  Document document;
  Case skipped;
  skipped.outcome = Outcome::skipped;
  skipped.backend = "cuda";
  skipped.placement.devices = {"cuda:*"};
  document.cases = {judged("cuda:0", 90), skipped};
  EXPECT_THAT(what_was_found(document), testing::StartsWith("1 GPU: the one check is within its limit,"));
}

TEST(Acceptance, CountsWhatWasNotJudged) {
  Document document;
  Case skipped;
  skipped.outcome = Outcome::skipped;
  document.cases = {judged("cuda:0", 59), skipped};
  document.groups = {spread(0.01, ExpectationStatus::not_judged)};
  const std::string text = what_was_found(document);
  EXPECT_NE(text.find("the one check is within its limit, 2 were not judged;"), std::string::npos) << text;
  document.cases = {skipped};
  EXPECT_EQ(what_was_found(document), "") << "no limit was compared with anything";
}

TEST(Acceptance, BeginsWithWhatHasNoResult) {
  Document document;
  Case crashed;
  crashed.outcome = Outcome::crashed;
  document.cases = {judged("cuda:0", 59), judged("cuda:1", 29, ExpectationStatus::failed), crashed};
  EXPECT_EQ(
      what_was_found(document),
      "2 GPUs: 1 of 3 checks has no result, 1 failed, 1 is within limits; worst: gemm fp8_e4m3 on cuda:1, 29 % "
      "of peak, limit 58 %.");
}

TEST(Acceptance, LeavesTheFirstWordToQuestions) {
  Document document;
  document.cases = {judged("cuda:0", 59)};
  Finding finding;
  finding.verdict = FindingVerdict::confirmed;
  document.findings = {finding};
  EXPECT_EQ(what_was_found(document), "The question is answered yes.");
}

}  // namespace
}  // namespace assay::reporters
