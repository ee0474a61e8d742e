// SPDX-License-Identifier: Apache-2.0
#include "markdown/markdown.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::reporters {
namespace {

struct Point {
  std::string algorithm, op;
  double value;
  std::string verdict;  // of its delta to "unset"; "reference", or "" without any
};

// One line of a sweep, of several sizes: intervals are 10 % to both sides, so that all overlap.
std::string line_of(const std::vector<Point>& points) {
  Document document;
  for (const char* size : {"1", "2"}) {
    for (const Point& point : points) {
      Case one;
      one.name = "reduce";
      one.id = point.op + point.algorithm + size;
      one.outcome = Outcome::passed;
      one.axes = {{"bytes", size, 1}, {"algorithm", point.algorithm}, {"op", point.op}};
      one.parameters = {{"op", point.op}};
      Metric metric;
      metric.name = "bandwidth";
      metric.direction = "higher";
      metric.headline = true;
      metric.value = point.value;
      metric.interval = Interval{point.value * 0.9, point.value * 1.1};
      if (point.verdict == "reference") {
        one.is_reference = true;
      } else if (!point.verdict.empty()) {
        one.reference = point.op + "unset" + size;
        metric.delta = Delta{one.reference, point.value / 100, {0, -1}};
        from_text(point.verdict, metric.delta->verdict);
      }
      one.metrics = {metric};
      document.cases.push_back(one);
    }
  }
  const std::string text = render_markdown(document, {});
  const std::size_t begin = text.find("\n| 1 |") + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Sweep, HoldsAgainstTheReferenceByTheVerdictInTheCell) {
  EXPECT_EQ(line_of({{"unset", "sum", 100, "reference"},
                     {"ring", "sum", 92, "worse"},
                     {"tree", "sum", 97, "undecided"}}),
            "| 1 | **100** | 92.0 (−8.0 %) | **97.0** (−3.0 %, undecided) |");
  EXPECT_EQ(line_of({{"unset", "sum", 100, "reference"}, {"ring", "sum", 108, "better"}}),
            "| 1 | 100 | **108** (+8.0 %) |");
  EXPECT_EQ(line_of({{"unset", "sum", 100, "reference"}, {"ring", "sum", 101, "same"}}),
            "| 1 | **100** | **101** (same) |");
}

TEST(Sweep, NamesTheAxisAboveColumnsOfNumbers) {
  Document document;
  for (const char* ranks : {"2", "4"}) {
    for (const char* persistent : {"false", "true"}) {
      Case& one = document.cases.emplace_back();
      one.name = "epochs";
      one.id = std::string(ranks) + persistent;
      one.outcome = Outcome::passed;
      one.axes = {{"workers", ranks, 1}, {"persistent", persistent}};
      Metric metric;
      metric.name = "throughput";
      metric.direction = "higher";
      metric.headline = true;
      metric.value = 1;
      one.metrics = {metric};
    }
  }
  EXPECT_NE(render_markdown(document, {}).find("| workers | persistent=false | persistent=true |"),
            std::string::npos)
      << render_markdown(document, {});
}

TEST(Sweep, HoldsByIntervalsWhereNeitherIsTheReference) {
  EXPECT_EQ(line_of({{"unset", "sum", 100, "reference"},
                     {"ring", "sum", 140, "better"},
                     {"tree", "sum", 120, "better"}}),
            "| 1 | 100 | **140** (+40.0 %) | **120** (+20.0 %) |");
}

TEST(Sweep, FindsTheBestAmongColumnsThatCanBeCompared) {
  EXPECT_EQ(line_of({{"unset", "sum", 100, "reference"},
                     {"ring", "sum", 80, "worse"},
                     {"unset", "gather", 10, "reference"},
                     {"ring", "gather", 5, "worse"}}),
            "| 1 | **100** (reference) | 80.0 (−20.0 %) | **10.0** (reference) | 5.00 (−95.0 %) |");
  EXPECT_EQ(
      line_of({{"a", "sum", 100, ""}, {"b", "sum", 50, ""}, {"a", "gather", 10, ""}, {"b", "gather", 5, ""}}),
      "| 1 | **100** | 50.0 | **10.0** | 5.00 |");
}

}  // namespace
}  // namespace assay::reporters
