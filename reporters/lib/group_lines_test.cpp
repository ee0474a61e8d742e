// SPDX-License-Identifier: Apache-2.0
#include "lib/group_lines.hpp"

#include "console/blocks.hpp"
#include "lib/pivot.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

Group not_judged(const std::string& dtype) {
  Group group;
  group.case_name = "gemm";
  group.text = "spread(throughput over device) <= " + std::string(dtype == "fp8" ? "12%" : "6%");
  group.status = ExpectationStatus::not_judged;
  group.outcome = Outcome::skipped;
  group.where = {{"dtype", dtype}};
  group.over = "device";
  group.why = "nothing to compare: device cuda:0 is its one member";
  Member member;
  member.label = "cuda:0";
  member.value = 663e12;
  member.unit = "FLOP/s";
  group.members = {member};
  return group;
}

TEST(GroupLines, TellOnceWhatWasNotJudgedForOneReason) {
  const Group first = not_judged("bf16"), second = not_judged("fp8");
  Group other = not_judged("fp32");
  other.why = "gemm[dtype=fp32] has no result (skipped)";
  const std::vector<GroupLine> lines = group_lines({&first, &other, &second});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(group_label(lines[0]), "spread, 2 checks");
  EXPECT_EQ(group_label(lines[1]), "fp32, spread");
  EXPECT_TRUE(members_to_show(lines[0]).empty());
  EXPECT_TRUE(members_to_show(lines[1]).empty()) << "one member is nothing to compare";
}

TEST(GroupLines, KeepEachThatIsOpenOrFailed) {
  Group open = not_judged("bf16"), failed = not_judged("fp8");
  open.outcome = Outcome::passed;
  open.status = ExpectationStatus::undecided;
  failed.outcome = Outcome::failed;
  open.members.push_back(open.members.front());
  const std::vector<GroupLine> lines = group_lines({&open, &open, &failed, &failed});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(members_to_show(lines[0]).size(), 2U);
}

TEST(GroupLines, LeaveTheTableToRowsOfAMachineWithOneDevice) {
  Document document;
  for (const char* dtype : {"bf16", "fp8"}) {
    Case one;
    one.id = one.name = "gemm";
    one.outcome = Outcome::passed;
    one.axes = {{"dtype", dtype}};
    Metric metric;
    metric.name = "throughput";
    metric.unit = "FLOP/s";
    metric.headline = true;
    metric.value = 663e12;
    metric.interval = Interval{660e12, 666e12};
    one.metrics = {metric};
    document.cases.push_back(one);
    document.groups.push_back(not_judged(dtype));
  }
  const std::string text = case_table(pivot(document), {}).render({});
  EXPECT_NE(text.find("  spread, 2 checks   – not judged over device"), std::string::npos) << text;
  EXPECT_EQ(text.find("cuda:0"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::reporters
