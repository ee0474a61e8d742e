// SPDX-License-Identifier: Apache-2.0
//
// min, max, mean, spread and cv over rows in a finding.
#include "judge/findings_test_world.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::judge {
namespace {

TEST(RowsOfFindings, MakeOneValueOfRowsAlongAnAxis) {
  Study study(3);
  const auto judged = [&](const std::string& claim, const std::string& a, const std::string& b) {
    return study.judge_one(finding(claim, {{"a", a}, {"b", b}}));
  };
  // 50, 62.5 and 55.6 GB/s at each size.
  const Json least =
      judged("a >= 0.75 * b", "min(membw[].bandwidth over kernel)", "max(membw[].bandwidth over kernel)");
  EXPECT_EQ(least.at("verdict"), "confirmed") << least;
  ASSERT_EQ(least.at("rows").size(), 2u) << "one for each size";
  const Json& row = least.at("rows").at(0);
  EXPECT_NEAR(double(row.at("measured").at("value")), 0.8, 0.01);
  EXPECT_EQ(row.at("left").at("id"), "min(membw[].bandwidth over kernel)");
  EXPECT_NEAR(double(row.at("left").at("value")), 50e9, 0.5e9);
  EXPECT_EQ(row.at("left").at("unit"), "B/s");
  // The axis of one side leaves the other side's rows alone.
  const Json mean = judged("a > b", "membw[kernel=nt].bandwidth", "mean(membw[].bandwidth over kernel)");
  EXPECT_EQ(mean.at("verdict"), "confirmed") << mean;
  EXPECT_NEAR(double(mean.at("rows").at(1).at("measured").at("value")), 62.5 / 56.0, 0.01);
  const Json deviation =
      study.judge_one(finding("a <= 20%", {{"a", "cv(membw[bytes=1GiB].bandwidth over kernel)"}}));
  EXPECT_EQ(deviation.at("verdict"), "confirmed") << deviation;
  EXPECT_NEAR(double(deviation.at("rows").at(0).at("left").at("value")), 0.1115, 0.005);
  EXPECT_EQ(deviation.at("rows").at(0).at("left").at("unit"), "1");
  EXPECT_EQ(study.judge_one(finding("a >= 20%", {{"a", "spread(membw[bytes=1GiB].bandwidth over kernel)"}}))
                .at("verdict"),
            "confirmed");
}

TEST(RowsOfFindings, OneRowHasNoSpread) {
  Study study(3);
  for (const std::string function : {"spread", "cv"}) {
    const Json row =
        study
            .judge_one(finding("a <= 20%",
                               {{"a", function + "(membw[bytes=1GiB,kernel=nt].bandwidth over kernel)"}}))
            .at("rows")
            .at(0);
    EXPECT_EQ(row.at("verdict"), "not_comparable") << row;
    EXPECT_NE(row.at("why").get<std::string>().find("has one row"), std::string::npos) << row;
  }
}

TEST(RowsOfFindings, AMemberWithoutAResultLeavesAFunctionOverRowsOpen) {
  Study study(3);
  for (result::Visit& visit : study.world.visits)
    if (visit.case_id == "membw[bytes=1GiB,kernel=asm]") visit.outcome = result::Outcome::crashed;
  const Json open = study.judge_one(finding("a > 1 GB/s", {{"a", "min(membw[].bandwidth over kernel)"}}));
  EXPECT_EQ(open.at("verdict"), "undecided") << open;
  EXPECT_EQ(open.at("rows").at(0).at("why"), "membw[bytes=1GiB,kernel=asm] has no result (crashed)");
}

}  // namespace
}  // namespace assay::judge
