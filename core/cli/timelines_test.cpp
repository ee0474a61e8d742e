// SPDX-License-Identifier: Apache-2.0
#include "cli/timelines.hpp"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

TEST(Timelines, AreRecordedForTheReporterThatShowsThem) {
  EXPECT_FALSE(show_timelines({{"json", {}, ""}, {"markdown", {}, "trace"}}));
  EXPECT_TRUE(show_timelines({{"json", {}, ""}, {"trace", {}, "-"}}));
}

TEST(Timelines, AreKeysOfCasesAndOfNothingElse) {
  EXPECT_TRUE(has_timeline(R"({"cases": [{"id": "a"}, {"id": "b", "timeline": {"tracks": []}}]})"));
  EXPECT_FALSE(has_timeline(R"({"cases": [{"id": "timeline", "facts": {"timeline": "x"}}]})"));
  EXPECT_FALSE(
      has_timeline(R"({"run": {"host": {"timeline": 1}}, "groups": [{"timeline": 1}], "cases": []})"));
  EXPECT_FALSE(has_timeline("no JSON"));
}

}  // namespace
}  // namespace assay::cli
