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
  metric.interval = Bounds{value * 0.99, value * 1.01};
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

}  // namespace
}  // namespace assay::reporters
