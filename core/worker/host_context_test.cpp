// SPDX-License-Identifier: Apache-2.0
#include "worker/host_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::worker {
namespace {

TEST(HostContext, KeepsLinesForTheNextCaseUpToItsLimits) {
  int told = 0;
  HostContext context("0.0.0", "/lib.so", "", [&](std::string_view, const std::string&) { ++told; });
  const assay_host* host = context.abi();
  for (int i = 0; i < 250; ++i) host->log(host, ASSAY_LOG_INFO, ("line " + std::to_string(i)).c_str());
  EXPECT_EQ(told, 250) << "whoever listens hears all of them at once";

  Messages first([](std::string_view, const std::string&) {});
  context.begin_case(first);
  context.end_case();
  EXPECT_THAT(first.log_tail(), testing::HasSubstr("info: line 199\n"));
  EXPECT_THAT(first.log_tail(), testing::Not(testing::HasSubstr("line 200")));

  host->log(host, ASSAY_LOG_WARNING, std::string(5000, 'x').c_str());
  Messages second([](std::string_view, const std::string&) {});
  context.begin_case(second);
  host->log(host, ASSAY_LOG_INFO, "in the case");
  context.end_case();
  EXPECT_EQ(second.log_tail(), "warning: " + std::string(4096, 'x') + " […]\ninfo: in the case\n")
      << "what waited goes to one case only, before its own lines";
}

}  // namespace
}  // namespace assay::worker
