// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_test_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::plan {
namespace {

using ::testing::HasSubstr;

TEST(Expressions, AreCheckedAgainstTheBenchmark) {
  const Planned planned = plan_suite(
      "derive: {efficiency: throughput / power, odd: bandwith / power}\n"
      "cases:\n"
      "  - id: a\n"
      "    uses: gemm@cuda\n"
      "    matrix: {dtype: [fp32, bf16]}\n"
      "    expect:\n"
      "      - troughput >= 1 TFLOP/s\n"
      "      - throughput >= 1 GB/s\n"
      "      - throughput >= 60% of peak\n"
      "      - latency <= 60% of peak\n"
      "      - throughput >= 60% of reference\n"
      "      - temperature <= 85 C\n"
      "      - efficiency >= 1 FLOP/J\n"
      "      - algorithm == \"tree\"\n"
      "      - algorithm >= 3\n"
      "      - dtype == \"bf16\"\n"
      "      - latency == \"bf16\"\n"
      "      - spread(throughput over device) <= 5%\n"
      "      - spread(throughput over dtyp) <= 5%\n"
      "      - p99(latency) <= 1ms\n"
      "      - p99(workspace) <= 1MiB\n"
      "      - time <= 1ms\n");

  EXPECT_EQ(
      planned.problems,
      "t.yaml:3:47: error: 'gemm' has no metric 'bandwith' (it has throughput, latency, workspace, time; "
      "telemetry: power, temperature, ecc_uncorrected)\n"
      "t.yaml:9:9: error: 'gemm' has no metric 'troughput' (did you mean 'throughput'?)\n"
      "t.yaml:10:20: error: this compares an operation rate (throughput) with a data rate (1GB/s) (both "
      "sides must be of one kind)\n"
      "t.yaml:12:20: error: no peak is defined for 'latency' of 'gemm' (write the limit as a quantity, in "
      "s)\n"
      "t.yaml:13:23: error: the case has no reference row (name one with 'reference: {axis: value}')\n"
      "t.yaml:17:9: error: 'algorithm' is text and no number (compare it with text: algorithm == \"…\")\n"
      "t.yaml:19:9: error: 'latency' is a number and can't be compared with text (write a quantity)\n"
      "t.yaml:20:9: error: 'device' is not an axis of this case (rows tell devices apart with 'devices: each' or "
      "'pairs')\n"
      "t.yaml:21:9: error: 'dtyp' is not an axis of this case (did you mean 'dtype'?)\n"
      "t.yaml:23:9: error: p99() looks at single iterations, and 'workspace' is recorded once (compare the "
      "metric itself)\n");
}

TEST(Expressions, MayNameWhateverTheBackendDeclares) {
  EXPECT_EQ(
      plan_suite("cases:\n"
                 "  - id: a\n"
                 "    uses: gemm@cuda\n"
                 "    expect:\n"
                 "      - ecc_uncorrected == 0\n"
                 "      - ecc_uncorected == 0\n"
                 "      - ecc_uncorrected == 0 W\n"
                 "      - power <= 700\n"
                 "      - energy <= 1 kJ\n")
          .problems,
      "t.yaml:8:9: error: 'gemm' has no metric 'ecc_uncorected' (did you mean 'ecc_uncorrected'?)\n"
      "t.yaml:9:25: error: this compares a plain number (ecc_uncorrected) with a power (0W) (write a unit, "
      "like W, or a share, like 60% of peak)\n"
      "t.yaml:10:15: error: this compares a power (power) with a plain number (700) (write a unit, like W, "
      "or a share, like 60% of peak)\n"
      "t.yaml:11:9: error: 'gemm' has no metric 'energy' (one of: throughput, latency, workspace, time, "
      "power, temperature, ecc_uncorrected, algorithm)\n");
}

TEST(Expressions, SuggestWhatAShareMayBeOf) {
  EXPECT_EQ(plan_suite("cases:\n"
                       "  - id: a\n"
                       "    uses: gemm@cuda\n"
                       "    expect: [throughput >= 60% of peek, throughput >= 60% of referense]\n")
                .problems,
            "t.yaml:6:28: error: 'gemm' has no metric 'peek' (did you mean 'peak'?)\n"
            "t.yaml:6:55: error: 'gemm' has no metric 'referense' (did you mean 'reference'?)\n");
}

TEST(Expressions, AShareIsOfOneMetric) {
  const auto problems = [](const std::string& that) {
    return plan_suite(
               "cases:\n  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16]}, reference: {dtype: fp32}, expect: ['" +
               that + "']}\n")
        .problems;
  };
  for (const char* one : {"time <= 105% of reference", "time + time <= 210% of reference",
                          "sum(time) - 1 us <= 105% of baseline", "throughput / 2 >= 30% of peak",
                          "time + latency <= 300% of latency", "p99(time) <= 110% of reference"})
    EXPECT_EQ(problems(one), "") << one;
  for (const char* several :
       {"time + latency <= 105% of reference", "105% of baseline >= time + latency",
        "throughput * time >= 90% of peak * latency", "time <= 5% of reference + latency",
        "p99(time) - p50(time) <= 10% of reference", "sum(time) <= 110% of reference - time"})
    EXPECT_THAT(problems(several), HasSubstr("a share is of one metric, and this names ")) << several;
}

TEST(Expressions, ThatSayTheSameWhateverIsMeasuredAreRefused) {
  const auto problems = [](const std::string& that) {
    return plan_suite(
               "derive: {limit: 5 GB/s, twice: 2 * limit, mine: limit * time, same: time}\ncases:\n"
               "  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16]}, expect: ['" +
               that + "']}\n")
        .problems;
  };
  for (const char* always :
       {"limit >= 1 GB/s", "twice > limit", "1 GB/s <= twice", "time >= 0 s", "throughput > 0% of peak",
        "2 * time > time", "time - same <= 0 s", "throughput / throughput == 1", "0 * time <= 1 s",
        "sum(time) > 0 s", "p99(time) + 1 ns > 0 s", "time * throughput >= 0 FLOP"})
    EXPECT_THAT(problems(always), HasSubstr("this holds whatever is measured (compare a metric")) << always;
  for (const char* always : {"1 / time > 0 Hz", "spread(time over dtype) >= 0%", "power * 0 <= 1 W",
                             "mean(latency over dtype) > -1 ms", "latency * latency / time > 0 s"})
    EXPECT_THAT(problems(always), HasSubstr("this holds whatever is measured")) << always;
  for (const char* never : {"limit < 1 GB/s", "time < 0 s", "same != time", "2 * time + 1 ns <= time",
                            "cv(time over dtype) < 0%", "-time >= 0 s"})
    EXPECT_THAT(problems(never), HasSubstr("this never holds, whatever is measured")) << never;
  for (const char* open : {"limit * time >= 1 GB",
                           "mine >= 1 GB",
                           "power >= 0 W",
                           "power <= 0 W",
                           "time == 2 * same",
                           "p99(time) <= 3 * p50(time)",
                           "sum(time) <= time",
                           "throughput >= 1e15 FLOP/s",
                           "time <= 1 ns",
                           "(power - 100 W) * (power - 100 W) <= 25 W * 1 W",
                           "1 W / (power - 5 W) <= 10",
                           "1 W / (power - 5 W) - 1 W / (power - 5 W) <= 10",
                           "power - power <= 1 W",
                           "power * power >= 0 W * 1 W",
                           "power / power == 1",
                           "time - latency > 0 s",
                           "max(time - latency over dtype) > 0 s",
                           "spread(time over dtype) > 0%",
                           "0.1 * time + 0.2 * time > 0.3 * time",
                           "workspace - workspace <= 1 B"})
    EXPECT_EQ(problems(open), "") << open;
}

TEST(Expressions, LimitsThatOnlyDrawnNumbersMissAreTaken) {
  const auto problems = [](const std::string& that, const std::string& as) {
    return plan_suite(
               "cases:\n  - {id: a, uses: external@cuda, command: [echo], metrics: {v: {pattern: '^(.*)$'" +
               as + "}}, expect: ['" + that + "']}\n")
        .problems;
  };
  for (const char* as : {"", ", as: measured"})
    for (const char* open :
         {"(v - 100) * (v - 100) <= 25", "1 / (v - 5) <= 10", "v * v <= 1e-100", "v <= 1e60"})
      EXPECT_EQ(problems(open, as), "") << open;
  EXPECT_EQ(problems("v within band", ", as: measured"), "");
  EXPECT_THAT(problems("v within band", ""), HasSubstr("a band is of one metric that is measured"));
}

// Forty factors of three terms would make 861 products; the power of a name has a limit, too.
TEST(Expressions, OfMoreProductsThanAreMultipliedOutAreTaken) {
  std::string sums = "(v + w + 1)", power = "v";
  for (int i = 2; i <= 40; ++i) sums += " * (v + w + " + std::to_string(i) + ")";
  for (int i = 2; i <= 60; ++i) power += " * v";
  for (const std::string& that : {sums + " >= 0", "(" + power + ") * (" + power + ") >= 0"})
    EXPECT_EQ(plan_suite("cases:\n  - {id: a, uses: external@cuda, command: [echo], metrics: {v: {pattern: "
                         "'^v (.*)$'}, w: {pattern: '^w (.*)$'}}, expect: ['" +
                         that + "']}\n")
                  .problems,
              "");
}

TEST(Expressions, WhatDevicesReadMakesNoSum) {
  const auto problems = [](const std::string& that) {
    return plan_suite("cases:\n  - {id: a, uses: gemm@cuda, devices: each, expect: ['" + that + "']}\n")
        .problems;
  };
  EXPECT_THAT(problems("sum(power) <= 700 W"), HasSubstr("and what is read of 'power' has none"));
  EXPECT_EQ(problems("sum(power over device) <= 700 W"), "");
  EXPECT_EQ(problems("max(power) <= 700 W"), "");
  EXPECT_EQ(problems("sum(time) <= 1 s"), "");
}

TEST(Expressions, ABaselineHasNoPercentiles) {
  EXPECT_THAT(
      plan_suite("cases:\n  - {id: a, uses: gemm@cuda, expect: [p99(time) <= 110% of baseline]}\n").problems,
      HasSubstr("a baseline has means, and no percentiles (compare the metric itself with it)"));
}

TEST(Expressions, OfSeveralRowsNameNothingOfOne) {
  const auto problems = [](const std::string& that) {
    return plan_suite(
               "cases:\n  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16], m: [64, 128]}, reference: {m: 64}, "
               "expect: ['" +
               that + "']}\n")
        .problems;
  };
  for (const char* good :
       {"min(throughput over m) >= 60% of peak", "max(time over m) <= 2 * min(time over m)",
        "min(throughput / time over m) >= 0.5 * max(throughput / time over m)"})
    EXPECT_EQ(problems(good), "") << good;
  for (const char* of_one :
       {"min(throughput over m) >= 0.5 * throughput", "min(throughput over m) >= 60% of reference",
        "min(throughput over m) >= 60% of baseline", "max(time over m) <= 200% of latency",
        "min(throughput over m) >= max(min(throughput over m))"})
    EXPECT_THAT(problems(of_one), HasSubstr("is of one row, and m")) << of_one;
  EXPECT_THAT(problems("min(time over m) <= max(time over dtype)"),
              HasSubstr("one check goes over one axis"));
}

TEST(Expressions, HoldTextsAgainstWhatAParameterMayBe) {
  const auto problems = [](const std::string& that) {
    return plan_suite("cases:\n  - {id: a, uses: gemm@cuda, expect: ['" + that + "']}\n").problems;
  };
  EXPECT_EQ(problems("dtype == \"bf16\""), "");
  EXPECT_EQ(problems("algorithm != \"whatever\""), "") << "nobody knows what a fact may be";
  EXPECT_THAT(problems("dtype != \"fb16\""), HasSubstr("'dtype' is never 'fb16' (did you mean "));
  EXPECT_THAT(problems("throughput >= 50% of dtype"), HasSubstr("'dtype' is text and no number"));
}

TEST(Expressions, APercentileIsOfWhatAssayTimedItself) {
  const auto problems = [](const std::string& that) {
    return plan_suite("derive: {half: time / 2}\ncases:\n  - {id: a, uses: gemm@cuda, expect: ['" + that +
                      "']}\n")
        .problems;
  };
  EXPECT_EQ(problems("p999(time) <= 1 ms"), "");
  EXPECT_THAT(problems("p999(workspace) <= 1 B"), HasSubstr("'workspace' is recorded once"));
  EXPECT_THAT(problems("p99(half) <= 1 ms"), HasSubstr("'half' is derived"));
  EXPECT_THAT(problems("p99(power) <= 1 W"), HasSubstr("'power' is read beside them"));
}

TEST(Expressions, ADerivedMetricHasANameOfItsOwn) {
  const auto problems = [](const std::string& name, const std::string& uses = "gemm@cuda") {
    return plan_suite("derive: {" + name + ": time / 2}\ncases:\n  - {id: a, uses: " + uses + "}\n").problems;
  };
  EXPECT_EQ(problems("half"), "");
  EXPECT_THAT(problems("throughput"), HasSubstr("'throughput' is a metric of 'gemm' already"));
  EXPECT_THAT(problems("power"), HasSubstr("'power' is telemetry of 'cuda' already"));
  EXPECT_THAT(problems("energy_per_iteration", "membw@host"),
              HasSubstr("'energy_per_iteration' is made of the telemetry of 'host' already"));
  EXPECT_EQ(problems("energy_per_iteration"), "") << "of devices that count no energy";
}

TEST(Expressions, WithPeersAreOfOneMetricOfRowsThatTellDevicesApart) {
  const auto problems = [](const std::string& that, const std::string& devices = "each") {
    return plan_suite("cases:\n  - {id: a, uses: gemm@cuda, devices: " + devices + ", expect: ['" + that +
                      "']}\n")
        .problems;
  };
  EXPECT_EQ(problems("throughput >= 97% of peers"), "");
  EXPECT_EQ(problems("103% of peers >= latency"), "");
  EXPECT_THAT(problems("throughput >= 97% of peers", "all"), HasSubstr("don't tell devices apart"));
  for (const char* other :
       {"2 * throughput >= 97% of peers", "throughput == 97% of peers", "workspace <= 110% of peers",
        "temperature <= 110% of peers", "throughput >= 97% of peers - 1 GFLOP/s"})
    EXPECT_THAT(problems(other), HasSubstr("of one metric that is measured, by itself")) << other;
  for (const char* none :
       {"throughput >= 100% of peers", "latency <= 99% of peers", "103% of peers <= throughput"})
    EXPECT_THAT(problems(none), HasSubstr("half of all healthy devices")) << none;
}

TEST(Expressions, OfFindingsAreCheckedAgainstTheirCases) {
  const Planned planned = plan_suite(
      "cases:\n"
      "  - {id: a, uses: gemm@cuda, matrix: {dtype: [fp32, bf16]}}\n"
      "findings:\n"
      "  - id: f\n"
      "    question: Is it?\n"
      "    let: {x: \"a[dtype=fp32].throughput\", y: \"a[dtype=bf16].latency\"}\n"
      "    claim: x > y\n"
      "  - id: g\n"
      "    question: Is it?\n"
      "    let: {x: \"a[dtype=fp32].throughputt\", y: \"a[dtype=bf16, device=cuda:0].throughput\"}\n"
      "    claim: x > y\n");

  EXPECT_THAT(planned.problems,
              HasSubstr("t.yaml:9:14: error: this compares an operation rate (x) with a time (y)"));
  EXPECT_THAT(planned.problems,
              HasSubstr("error: 'gemm' has no metric 'throughputt' (did you mean 'throughput'?)"));
  EXPECT_THAT(planned.problems, HasSubstr("error: the rows of case 'a' don't tell devices apart"));
}

}  // namespace
}  // namespace assay::plan
