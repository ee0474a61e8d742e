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
  document.cases[1].conditions = {{"cache", std::string(40, 'c')}};
  const auto at = [&](std::size_t width) {
    Style style;
    style.width = width;
    return case_table(pivot(document), style).render(style);
  };
  EXPECT_NE(at(130).find("other   " + std::string(40, 'c') + "    bandwidth"), std::string::npos) << at(130);
  document.cases[1].conditions = {{"cache", "cccccccccccc"}};
  const std::string narrow = at(45);
  EXPECT_NE(narrow.find("\nother   cccccccccccc\n"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("[40.79, 41.61]"), std::string::npos) << narrow;
  EXPECT_EQ(narrow.find("left out"), std::string::npos) << narrow;
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

}  // namespace
}  // namespace assay::reporters
