// SPDX-License-Identifier: Apache-2.0
#include "lib/reason_groups.hpp"

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

TEST(Reasons, OfFewCasesOrOtherUnitsHaveALineEach) {
  std::vector<std::pair<std::string, std::string>> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back("p2p[device=" + std::to_string(i) + "]", "latency 30 µs, limit 10 µs");
  all.emplace_back("p2p[device=4]", "latency 3 ms, limit 10 µs");
  all.emplace_back("p2p[device=5]", "it crashed");
  EXPECT_EQ(grouped_reasons(with_reasons(all))[0].lines.size(), 6u);
}

}  // namespace
}  // namespace assay::reporters
