// SPDX-License-Identifier: Apache-2.0
#include "console/blocks.hpp"

#include "lib/pivot.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

Case measured(const std::string& name, double value) {
  Case one;
  one.id = one.name = name;
  one.outcome = Outcome::passed;
  Metric metric;
  metric.name = "bandwidth";
  metric.unit = "B/s";
  metric.headline = true;
  metric.value = value;
  metric.interval = Interval{value * 0.99, value * 1.01};
  one.metrics = {metric};
  return one;
}

TEST(Blocks, PutCaptionsOnLinesOfTheirOwnBeforeTheyDropAColumn) {
  Document document;
  document.cases = {measured("copy", 41.2e9), measured("other", 38.1e9)};
  document.cases[1].conditions = {{"cache", std::string(8, 'c')}};
  const auto at = [&](std::size_t width) {
    Style style;
    style.width = width;
    return case_table(pivot(document), style).render(style);
  };
  EXPECT_NE(at(130).find("other   " + std::string(8, 'c') + "    bandwidth"), std::string::npos) << at(130);
  const std::string narrow = at(45);
  EXPECT_NE(narrow.find("\nother   cccccccc\n"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("[40.79, 41.61]"), std::string::npos) << narrow;
  EXPECT_EQ(narrow.find("left out"), std::string::npos) << narrow;
}

TEST(Blocks, HaveNoTickWhereNoLimitWasJudged) {
  Document document;
  document.cases = {measured("copy", 41.2e9)};
  document.cases[0].expectations.resize(2);
  document.cases[0].expectations[0].status = ExpectationStatus::not_available;
  document.cases[0].expectations[1].status = ExpectationStatus::not_available;
  document.cases[0].checks.resize(1);
  document.cases[0].checks[0].passed = true;
  Style style;
  const auto table = [&] { return case_table(pivot(document), style).render(style); };
  EXPECT_EQ(table().find("✓"), std::string::npos) << table();
  EXPECT_NE(table().find("– limits not judged"), std::string::npos) << table();
  document.cases[0].expectations[1].status = ExpectationStatus::passed;
  EXPECT_NE(table().find("✓"), std::string::npos) << table();
  EXPECT_EQ(table().find("not judged"), std::string::npos) << table();
}

TEST(Blocks, PutNoLongCaptionBetweenARowsNameAndItsValue) {
  Document document;
  document.cases = {measured("copy", 41.2e9), measured("other", 38.1e9)};
  document.cases[1].conditions = {{"cache", std::string(40, 'c')}};
  Style style;
  style.width = 140;
  const std::string text = case_table(pivot(document), style).render(style);
  EXPECT_NE(text.find("\nother   " + std::string(40, 'c') + "\n"), std::string::npos) << text;
}

TEST(Blocks, NameTheAxisOnceAboveRowsOfNumbers) {
  Document document;
  document.cases = {measured("stages", 41.2e9), measured("stages", 38.1e9)};
  for (std::size_t i = 0; i < 2; ++i) document.cases[i].axes = {{"micro_batches", i == 0 ? "4" : "32"}};
  Style style;
  const auto table = [&] { return case_table(pivot(document), style).render(style); };
  EXPECT_NE(table().find("\n  micro_batches=32 "), std::string::npos) << "no heading names it: " << table();
  for (Case& one : document.cases) one.conditions = {{"cache", std::string(60, 'c')}};
  EXPECT_NE(table().find("\n  micro_batches "), std::string::npos) << table();
  EXPECT_NE(table().find("\n  32 "), std::string::npos) << table();
  EXPECT_EQ(table().find("micro_batches="), std::string::npos) << table();
}

TEST(Blocks, ShowWhatARowHasInsteadOfTheFirstMetric) {
  Document document;
  document.cases = {measured("roof", 41.2e12), measured("roof", 4.57e12)};
  for (std::size_t i = 0; i < 2; ++i) {
    document.cases[i].axes = {{"work", i == 0 ? "matrix" : "memory"}};
    document.cases[i].metrics[0].name = i == 0 ? "throughput" : "bandwidth";
    document.cases[i].metrics[0].unit = i == 0 ? "FLOP/s" : "B/s";
  }
  Style style;
  style.width = 80;
  const std::string text = case_table(pivot(document), style).render(style);
  EXPECT_NE(text.find("bandwidth 4.570 TB/s"), std::string::npos) << text;
  EXPECT_NE(text.find("41.20 TFLOP/s"), std::string::npos) << text;
  EXPECT_EQ(text.find("left out"), std::string::npos) << text;
}

TEST(Blocks, PutFurtherMetricsBelowTheRowBeforeTheyDropThem) {
  Document document;
  document.cases = {measured("train", 41.2e9)};
  for (const char* name : {"accuracy_of_the_model", "loss_of_the_model", "tokens_per_second"}) {
    Metric more = document.cases[0].metrics[0];
    more.name = name;
    document.cases[0].metrics.push_back(more);
  }
  Style style;
  style.width = 90;
  const std::string text = case_table(pivot(document), style).render(style);
  EXPECT_NE(text.find("\n    accuracy_of_the_model 41.2"), std::string::npos) << text;
  EXPECT_NE(text.find("tokens_per_second 41.2"), std::string::npos) << text;
  EXPECT_EQ(text.find("left out"), std::string::npos) << text;
}

// At 80 columns, a share of peak, a limit, and a check over devices that could not be judged.
Document accepted(const char* shape) {
  Document document;
  Case one = measured("gemm", 663e12);
  one.axes = {{"shape", shape}, {"algorithm", "heuristic"}};
  one.metrics[0].peak.emplace();
  one.metrics[0].peak->share = 0.67;
  Expectation limit;
  limit.text = "bandwidth >= 58% of peak";
  limit.op = ">=";
  limit.limit = 574e12;
  limit.status = ExpectationStatus::passed;
  one.expectations = {limit};
  document.cases = {one, one, one};
  document.cases[1].id = "other";
  document.cases[1].axes = {{"shape", shape}, {"algorithm", "autotune"}};
  document.cases[1].flags = {{"unsteady", "", "warning"}};
  document.cases[2].axes = {{"shape", "m:8/n:8/k:8"}, {"algorithm", "autotune"}};
  Group group;
  group.case_name = "gemm";
  group.text = "spread(bandwidth over device) <= 12%";
  group.over = "device";
  group.outcome = Outcome::skipped;
  group.status = ExpectationStatus::not_judged;
  document.groups = {group};
  return document;
}

TEST(Blocks, WriteNotesAsSignsBeforeTheyDropAnAnswer) {
  const Document document = accepted("m:16384/n:16384/k:16384");
  const auto at = [&](std::size_t width) {
    Style style;
    style.width = width;
    return case_table(pivot(document), style).render(style);
  };
  const std::string wide = at(120), narrow = at(74);
  EXPECT_NE(wide.find("✓ ! unsteady"), std::string::npos) << wide;
  EXPECT_NE(wide.find("– not judged over device"), std::string::npos) << wide;
  EXPECT_NE(narrow.find("≥ 58 %"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("[656"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("✓!  "), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("  95 %, 0 rounds  "), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("\n! unsteady   – not judged\n"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("  16384³  heuristic"), std::string::npos) << narrow;
  EXPECT_EQ(narrow.find("left out"), std::string::npos) << narrow;
}

TEST(Blocks, TellMeaningsOfOneSignApart) {
  Document document = accepted("m:16384/n:16384/k:16384");
  document.cases[0].flags = {{"disturbed", "", "warning"}};
  Style style;
  style.width = 74;
  const std::string text = case_table(pivot(document), style).render(style);
  EXPECT_NE(text.find("✓!1"), std::string::npos) << text;
  EXPECT_NE(text.find("✓!2"), std::string::npos) << text;
  EXPECT_NE(text.find("\n!1 disturbed   !2 unsteady   – not judged\n"), std::string::npos) << text;
}

TEST(Blocks, ShowValuesOfAxesAsTheSuiteWroteThem) {
  Document document;
  document.cases = {measured("compile", 1e9), measured("compile", 2e9)};
  document.cases[0].axes = {{"flags", "-O2%20-g"}};
  document.cases[1].axes = {{"flags", "-O3"}};
  const std::string text = case_table(pivot(document), {}).render({});
  EXPECT_NE(text.find("  -O2 -g "), std::string::npos) << text;
}

TEST(Blocks, ShowTheFirstRowsOfManyAndAllThatDidNotPass) {
  Document document;
  for (int n = 0; n < 70; ++n) {
    document.cases.push_back(measured("copy", 41.2e9));
    document.cases.back().axes = {{"n", std::to_string(n)}};
  }
  document.cases[66].outcome = Outcome::failed;
  const std::string text = case_table(pivot(document), Style()).render(Style());
  for (const char* row : {"  n=0 ", "  n=19 ", "  n=66 "})
    EXPECT_NE(text.find(row), std::string::npos) << text;
  for (const char* row : {"  n=20 ", "  n=69 "}) EXPECT_EQ(text.find(row), std::string::npos) << text;
  EXPECT_NE(text.find("  … 49 more rows passed; --report csv or html shows all\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace assay::reporters
