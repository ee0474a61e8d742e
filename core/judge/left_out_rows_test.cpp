// SPDX-License-Identifier: Apache-2.0
//
// Findings of runs that --filter or --only made smaller: what would have been measured nobody knows.
#include "judge/left_out_rows.hpp"

#include "judge/dependency_closure.hpp"
#include "judge/findings_test_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// nt is the fastest of three kernels, 62.5 against 50 and 55.6 GB/s at each of two sizes; without the cases of `left_out`.
struct PartialRun {
  Study study{3};
  explicit PartialRun(const std::vector<std::string>& left_out) {
    for (const std::string& id : left_out) {
      plan::Plan& plan = study.world.plan;
      const plan::PlannedCase gone = study.world.case_of(id);
      plan.left_out.push_back({gone.suite_case, gone.axes, gone.expectations});
      std::erase_if(plan.cases, [&](const plan::PlannedCase& each) { return each.id == id; });
      std::erase_if(study.world.visits, [&](const result::Visit& each) { return each.case_id == id; });
    }
  }
  Json judge(const std::string& claim, const std::string& x, const std::string& by = "") {
    suite::SuiteFinding asked = finding(claim, {{"x", x}});
    asked.decided_by = by;
    return study.judge_one(asked);
  }
};

constexpr const char* kNt1 = "membw[bytes=1GiB,kernel=nt]";

TEST(LeftOutRows, LeaveAFunctionOverThemWithoutAValue) {
  PartialRun part({kNt1});
  const Json most = part.judge("x >= 1 GB/s", "max(membw[].bandwidth over kernel)");
  EXPECT_EQ(most.at("verdict"), "undecided") << most;
  EXPECT_EQ(most.at("rows").at(0).at("why"), "1 of the 3 rows that it is about was left out of this run");
  EXPECT_EQ(most.at("rows").at(1).at("verdict"), "confirmed") << "those of 2GiB are all there";
  EXPECT_EQ(most.at("left_out"), 1);
  const Json best = part.judge("argmax(x over kernel) == asm", "membw[bytes=1GiB].bandwidth");
  EXPECT_EQ(best.at("verdict"), "undecided") << "of those that are there it is the fastest: " << best;
}

TEST(LeftOutRows, KeepTheWholeOpen) {
  PartialRun part({kNt1});
  const Json each = part.judge("x >= 1 GB/s", "membw[bytes=1GiB].bandwidth");
  EXPECT_EQ(each.at("verdict"), "undecided") << each;
  EXPECT_EQ(each.at("why"), "1 of the 3 rows that it is about was left out of this run");
  EXPECT_EQ(each.at("rows").size(), 2u);
  EXPECT_EQ(part.judge("x >= 1 GB/s", "membw[bytes=1GiB].bandwidth", "worst").at("verdict"), "undecided");
  EXPECT_FALSE(part.judge("x >= 1 GB/s", "membw[bytes=2GiB].bandwidth").contains("left_out"));
}

TEST(LeftOutRows, DoNotMatterWhereOneRowIsEnough) {
  PartialRun part({kNt1});
  const std::string rows = "membw[bytes=1GiB].bandwidth";
  EXPECT_EQ(part.judge("x >= 53 GB/s", rows, "any").at("verdict"), "confirmed");
  EXPECT_EQ(part.judge("x >= 60 GB/s", rows, "any").at("verdict"), "undecided") << "nt would be";
  EXPECT_EQ(part.judge("x >= 53 GB/s", rows, "all").at("verdict"), "refuted");
  EXPECT_EQ(part.judge("x <= 60 GB/s", rows, "all").at("verdict"), "undecided") << "nt would not be";
}

TEST(LeftOutRows, SayThatAllWereLeftOut) {
  PartialRun part({kNt1, "membw[bytes=2GiB,kernel=nt]"});
  EXPECT_EQ(part.judge("x >= 1 GB/s", "membw[kernel=nt].bandwidth").at("why"),
            "all rows of 'membw[kernel=nt].bandwidth' were left out of this run");
}

TEST(LeftOutRows, OfAnAssertedFindingFailTheRun) {
  PartialRun part({kNt1});
  suite::SuiteFinding asserted = finding("x >= 1 GB/s", {{"x", "membw[].bandwidth"}});
  asserted.assert_confirmed = true;
  part.study.world.suite.findings = {asserted};
  EXPECT_EQ(part.study.world.document().at("verdict").at("exit_code"), 1);
}

// Else --failed could not answer it.
TEST(LeftOutRows, AreNoneOfAnAssertedFindingThatIsTakenAgain) {
  Study study(3);
  suite::SuiteFinding about_all = finding("x >= 1 GB/s", {{"x", "membw[].bandwidth"}});
  study.world.suite.findings = {about_all};
  EXPECT_EQ(dependency_closure(study.world.suite, study.world.plan, {kNt1}).size(), 1u);
  study.world.suite.findings.front().assert_confirmed = true;
  EXPECT_EQ(dependency_closure(study.world.suite, study.world.plan, {kNt1}).size(), 6u);
}

}  // namespace
}  // namespace assay::judge
