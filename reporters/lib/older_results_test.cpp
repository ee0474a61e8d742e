// SPDX-License-Identifier: Apache-2.0
#include "lib/older_results.hpp"

#include "lib/compared.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

Finding with_claim(const std::string& claim, double effect) {
  Finding finding;
  finding.claim = claim;
  finding.theta = 0.02;
  FindingRow& row = finding.rows.emplace_back();
  row.effect = effect;
  row.bounds = {effect - 0.01, effect + 0.01};
  add_what_is_asked(finding);
  return finding;
}

std::string what_it_says(const Finding& finding) {
  return compared_name(finding) + " = " +
         compared_value(*reporters::compared(finding, finding.rows.front())) + ", asked " +
         asked_text(finding);
}

TEST(OlderResults, SayWhatTheirClaimsAsk) {
  EXPECT_EQ(what_it_says(with_claim("fp8 >= 1.8 * bf16", 0.7)), "fp8 / bf16 = 1.70×, asked ≥ 1.80×");
  EXPECT_EQ(what_it_says(with_claim("layer >= 95% * square", 0)), "layer / square = 1.00×, asked ≥ 0.95×");
  EXPECT_EQ(what_it_says(with_claim("epilogue > kernel", 0.05)), "epilogue / kernel = 1.05×, asked > 1.02×");
}

TEST(OlderResults, TakeTheFactorOutOfAProductOfNames) {
  const Finding finding = with_claim("apart >= 0.9 * model * together", 0.0366);
  EXPECT_EQ(what_it_says(finding), "apart / (model * together) = 0.933×, asked ≥ 0.90×");
  EXPECT_EQ(side_names(finding).second, "0.9 * model * together");
}

TEST(OlderResults, SayWhatAQuantityInAClaimCameTo) {
  const Finding finding = with_claim("compute >= 412 FLOP/B * read", -0.508);
  EXPECT_EQ(what_it_says(finding), "compute / read = 202.7 FLOP/B, asked ≥ 412 FLOP/B");
}

TEST(OlderResults, LeaveOtherClaimsAsTheyAre) {
  for (const char* claim :
       {"", "a", "a >=", "a >= 2", "a >= 2 *", "a >= 2 * ", "a == b", "a >= 2 * b *", "a - b >= 5us",
        "gemm[dtype=bf16].throughput > gemm[dtype=fp32].throughput", "a >= x * 2", "a >= -2 * b"})
    EXPECT_FALSE(with_claim(claim, 0).asks) << claim;
  Finding today = with_claim("a > b", 0);
  today.asks->tolerance = 0.5;
  add_what_is_asked(today);
  EXPECT_EQ(today.asks->tolerance, 0.5);
}

TEST(OlderResults, NameFiveOfManyDifferences) {
  EXPECT_EQ(with_few_names("a and b differ in c, d, e, f, g, h, i: more than one thing"),
            "a and b differ in c, d, e, f, g and 2 more: more than one thing");
  for (const char* why :
       {"", "a differ in ", "a and b differ in c, d, e, f, g and 2 more: more than one thing",
        "a and b differ in c, d, e, f, g: more than one thing", "a has no result"})
    EXPECT_EQ(with_few_names(why), why);
}

TEST(OlderResults, AreInTodaysWords) {
  EXPECT_EQ(in_todays_words("Follow the text."), "");
  EXPECT_EQ(in_todays_words("Look at the cable."), "Look at the cable.");
  EXPECT_EQ(
      in_todays_words("warm-up ended at its cap, and 36 samples are too few to tell whether a transient is "
                      "among them"),
      "may include effects of the warm-up: times were still changing when the samples began, and 36 "
      "samples are too few to check");
}

TEST(OlderResults, HaveFlagsThatTellNothing) {
  EXPECT_TRUE(tells_nothing({"not_steady", "the first 30 of 124 samples are 0.0 % faster than the rest"}));
  EXPECT_FALSE(tells_nothing({"not_steady", "the first 30 of 124 samples are 0.6 % faster than the rest"}));
  EXPECT_TRUE(tells_nothing({"bimodal", "two states: 11.7 ms and 11.7 ms (75 % of the samples)"}));
  EXPECT_FALSE(tells_nothing({"bimodal", "two states: 11.7 ms and 11.9 ms (75 % of the samples)"}));
  EXPECT_FALSE(tells_nothing({"bimodal", "two states: 11.7 ms and "}));
  EXPECT_FALSE(tells_nothing({"bimodal", "two states: "}));
}

}  // namespace
}  // namespace assay::reporters
