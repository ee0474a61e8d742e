// SPDX-License-Identifier: Apache-2.0
//
// max(time): a function of several values, of what has one.
#include "plan/plan_test_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::plan {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCommand =
    "derive: {rate: 1 / lat, heat: 2 * power, hot: max(power)}\n"
    "cases:\n"
    "  - id: a\n"
    "    uses: external@cuda\n"
    "    command: [echo, '5', '{n}']\n"
    "    matrix: {n: [1, 2]}\n"
    "    metrics:\n"
    "      lat: {pattern: '^(.*)$', unit: ms, take: all}\n"
    "      steps: {json: /steps, unit: ms}\n"
    "      sizes: {pattern: '^(.*) (.*)$', unit: ms}\n"
    "      seen: {pattern: '^(.*)$', unit: ms, as: observed}\n"
    "      count: {pattern: '^(.*)$'}\n"
    "      mark: {pattern: '^(.*)$', as: measured}\n";

std::string problems_of(const std::string& that) {
  return plan_suite(kCommand + ("    expect: ['" + that + "']\n")).problems;
}

TEST(OneValue, OfWhatWasMeasuredMakesNoFunctionOfSeveral) {
  for (const char* one :
       {"max(lat) <= 100 ms", "min(lat) >= 5 ms", "mean(lat) <= 6 ms", "spread(lat) <= 5%", "cv(lat) <= 5%",
        "max(time) <= 1 s", "max(mark) <= 5", "max(rate) <= 5 Hz", "lat <= 2 * min(lat / 2)",
        "max(lat - time) <= 1 s", "min(max(lat) over n) >= 1 ms"})
    EXPECT_THAT(problems_of(one), HasSubstr("() goes over several values, and '")) << one;
}

TEST(OneValue, IsNotWhatMayBeSeveral) {
  for (const char* several :
       {"max(steps) <= 100 ms", "max(sizes) <= 100 ms", "cv(sizes) <= 5%", "spread(steps) <= 5%",
        "max(seen) <= 100 ms", "max(count) <= 5", "max(power) <= 700 W", "max(heat) <= 700 W",
        "max(power * time) <= 700 J", "max(steps / lat) <= 5", "max(lat over n) <= 100 ms",
        "spread(time over n) <= 5%", "sum(lat) <= 1 s", "p99(time) <= 1 s"})
    EXPECT_EQ(problems_of(several), "") << several;
}

TEST(OneValue, TheHintSaysWhatToWriteInstead) {
  EXPECT_THAT(
      problems_of("max(lat) <= 100 ms"),
      HasSubstr("error: max() goes over several values, and 'lat' has one (leave max() out; with 'as: "
                "observed' every value that the command prints is judged)"));
  EXPECT_THAT(
      problems_of("max(time) <= 1 s"),
      HasSubstr("'time' has one (leave max() out, write p99(time) for single iterations, or max(time over "
                "AXIS) for several rows)"));
  EXPECT_THAT(problems_of("max(rate) <= 5 Hz"),
              HasSubstr("'rate' has one (leave max() out, or max(rate over AXIS) for several rows)"));
  EXPECT_THAT(problems_of("cv(time) <= 5%"),
              HasSubstr("(write cv(time over AXIS) for how far rows lie apart"));
}

TEST(OneValue, IsRefusedInDerivedMetricsAndTables) {
  EXPECT_THAT(plan_suite("derive: {worst: max(latency)}\ncases:\n  - {id: a, uses: gemm@cuda}\n").problems,
              HasSubstr("max() goes over several values, and 'latency' has one"));
  const auto table = [](const std::string& column) {
    return plan_suite(
               "cases:\n  - {id: a, uses: gemm@cuda}\n"
               "  - id: b\n    uses: external@cuda\n    command: [echo]\n"
               "    metrics: {latency: {json: /x, unit: s}}\n"
               "tables:\n  - {id: t, rows: [a, b], columns: {worst: '" +
               column + "'}}\n")
        .problems;
  };
  EXPECT_THAT(table("mean(time)"), HasSubstr("mean() goes over several values, and 'time' has one"));
  EXPECT_EQ(table("max(latency)"), "") << "of one of the cases it may be an array";
  EXPECT_EQ(table("max(power)"), "");
}

}  // namespace
}  // namespace assay::plan
