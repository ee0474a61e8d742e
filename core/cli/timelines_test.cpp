// SPDX-License-Identifier: Apache-2.0
#include "cli/timelines.hpp"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

TEST(Timelines, AreRecordedForTheReporterThatShowsThem) {
  EXPECT_FALSE(show_timelines({{"json", {}, ""}, {"markdown", {}, "trace"}}));
  EXPECT_TRUE(show_timelines({{"json", {}, ""}, {"trace", {}, "-"}}));
}

TEST(Timelines, AreOfAnyCase) {
  model::Document document;
  document.cases.resize(2);
  EXPECT_FALSE(has_timeline(document));
  document.cases[1].timeline.emplace();
  EXPECT_TRUE(has_timeline(document));
}

}  // namespace
}  // namespace assay::cli
