// SPDX-License-Identifier: Apache-2.0
#include "worker/plugin_messages.hpp"

#include <assay/abi/v1.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::worker {
namespace {

TEST(Messages, KeepTheEndOfAFloodAndTellOnlyItsBeginning) {
  std::size_t told = 0;
  Messages messages([&](std::string_view, const std::string& text) { told += text.size(); });
  const std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i) messages.log(ASSAY_LOG_INFO, line.c_str());
  messages.log(ASSAY_LOG_INFO, "the last");
  EXPECT_LE(told, std::size_t{256} << 10);
  EXPECT_GE(told, std::size_t{255} << 10);
  EXPECT_LE(messages.log_tail().size(), (std::size_t{16} << 10) + 40) << "and what says how much is missing";
  EXPECT_GE(messages.log_tail().size(), std::size_t{15} << 10);
  EXPECT_THAT(messages.log_tail(), testing::EndsWith("info: the last\n"));
}

TEST(Messages, CutALongLineAndSaySo) {
  Messages messages([](std::string_view, const std::string&) {});
  messages.log(ASSAY_LOG_WARNING, std::string(5000, 'x').c_str());
  EXPECT_EQ(messages.log_tail(), "warning: " + std::string(4096, 'x') + " […]\n");
  messages.fail("", 0, std::string(4096, 'y').c_str());
  EXPECT_EQ(messages.take_reason()->text, std::string(4096, 'y'));
}

TEST(Messages, OfSeveralReasonsTheFirstCountsUntilItIsTaken) {
  Messages messages([](std::string_view, const std::string&) {});
  messages.fail_parameter("bytes", "must be even");
  messages.fail("errno", 12, "what a destructor says");
  messages.fail_unless_failed("must be even");
  messages.fail_unless_failed("one more");
  const auto reason = messages.take_reason();
  EXPECT_EQ(reason->text, "must be even");
  EXPECT_EQ(reason->parameter, "bytes");
  EXPECT_EQ(messages.log_tail(), "error: what a destructor says\nerror: one more\n");
  EXPECT_FALSE(messages.take_reason());
  messages.fail("", 0, "of the next status");
  EXPECT_EQ(messages.take_reason()->text, "of the next status");
}

}  // namespace
}  // namespace assay::worker
