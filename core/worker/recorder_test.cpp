// SPDX-License-Identifier: Apache-2.0
#include "worker/recorder.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace assay::worker {
namespace {

// Up to the limit all is kept; one more is an error that names it.
template <typename Report>
void expect_limit(std::size_t limit, const std::string& what, Report report) {
  Recorder recorder({"m"}, {"m"}, {}, {"ecc"});
  recorder.set_tracing(true);
  for (std::size_t i = 0; i < limit; ++i) report(recorder);
  EXPECT_FALSE(recorder.violated());
  report(recorder);
  ASSERT_TRUE(recorder.violated());
  EXPECT_EQ(recorder.violation().code, "plugin.protocol");
  EXPECT_EQ(recorder.violation().text,
            "the plugin recorded more than " + std::to_string(limit) + " " + what + " in one visit");
}

TEST(Recorder, RefusesMoreValuesThanTheLimit) {
  expect_limit(1'000'000, "values", [](Recorder& one) { one.value("m", 0, nullptr, 1); });
}

TEST(Recorder, RefusesMoreChecksThanTheLimit) {
  expect_limit(100'000, "checks", [](Recorder& one) { one.check("ecc", "0", false, ""); });
}

TEST(Recorder, RefusesMoreSpansThanTheLimit) {
  expect_limit(100'000, "spans", [](Recorder& one) { one.span("t", "n", 0, 1); });
}

TEST(Recorder, RefusesASpanThatEndsBeforeItBegins) {
  for (const auto& [begin, end] : {std::pair(2, 1), std::pair(-1, 1)}) {
    Recorder one({}, {}, {}, {});
    one.span("t", "n", begin, end);
    EXPECT_FALSE(one.violated()) << "it is not looked at where nobody asked for a timeline";
    one.set_tracing(true);
    one.span("t", "n", 1, 1);
    EXPECT_FALSE(one.violated());
    one.span("t", "n", begin, end);
    ASSERT_TRUE(one.violated());
    EXPECT_EQ(one.violation().code, "plugin.protocol");
  }
}

TEST(Recorder, KeepsTheFirstRuleThatWasBroken) {
  Recorder one({"m"}, {}, {}, {});
  one.value("other", 0, nullptr, 1);
  one.check("undeclared", "", true, "");
  EXPECT_EQ(one.violation().code, "plugin.undeclared-metric");
}

}  // namespace
}  // namespace assay::worker
