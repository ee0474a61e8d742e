// SPDX-License-Identifier: Apache-2.0
#include "lib/svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

Plot plot_of(std::vector<PlotPoint> points) {
  Plot plot;
  plot.title = "t";
  plot.series.push_back({"s", std::move(points)});
  return plot;
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Svg, LeavesOutWhatIsNoFiniteNumber) {
  Plot plot = plot_of({{1, 2}, {2, kNoNumber}, {kEndless, 3}, {4, 5, std::pair(kNoNumber, 6.0)}});
  plot.asked = kEndless;
  const std::string text = svg_plot(plot);
  EXPECT_EQ(times_in(text, "<circle"), 2u);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_THAT(text, Not(HasSubstr("class=\"bounds\"")));
  EXPECT_THAT(text, Not(HasSubstr("class=\"asked\"")));
}

TEST(Svg, LeavesOutWhatALogarithmicAxisHasNoPlaceFor) {
  Plot plot = plot_of({{0, 1}, {-3, 1}, {10, 1}, {100, 2}});
  plot.log_x = true;
  EXPECT_EQ(times_in(svg_plot(plot), "<circle"), 2u);
}

TEST(Svg, IsNothingWithoutAPointOrWhereNoAxisSpansTheValues) {
  EXPECT_EQ(svg_plot(plot_of({})), "");
  EXPECT_EQ(svg_plot(plot_of({{1, kNoNumber}})), "");
  EXPECT_EQ(svg_plot(plot_of({{1, -1.7e308}, {2, 1.7e308}})), "");
  EXPECT_EQ(svg_plot(plot_of({{1, 0}, {2, 5e-324}})), "");
  EXPECT_EQ(svg_histogram("t", "x", {1, 1, kNoNumber}), "");
  EXPECT_EQ(svg_histogram("t", "x", {-1.7e308, 1.7e308}), "");
}

TEST(Svg, OfOneValueHasAnAxisAroundIt) {
  const std::string text = svg_plot(plot_of({{7, 3}}));
  EXPECT_EQ(times_in(text, "<circle"), 1u);
  EXPECT_THAT(text, HasSubstr("class=\"axis\""));
}

TEST(Svg, ShowsHostileTextAsText) {
  Plot plot = plot_of({{1, 1, std::nullopt, "<script>alert(1)</script>"}});
  plot.title = plot.description = plot.x_name = plot.y_name = "</svg><script>\n";
  const std::string text = svg_plot(plot);
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_EQ(times_in(text, "</svg>"), 1u);
}

TEST(Svg, ShowsWhatWasAskedForAndEachInterval) {
  Plot plot = plot_of({{1, 1, std::pair(0.9, 1.1)}, {2, 2, std::pair(1.9, 2.1)}});
  plot.asked = 1.5;
  const std::string text = svg_plot(plot);
  EXPECT_EQ(times_in(text, "class=\"bounds\""), 2u);
  EXPECT_THAT(text, HasSubstr("asked: 1.5"));
  EXPECT_EQ(text, svg_plot(plot));
}

TEST(Svg, CountsEachValueOfAHistogramOnce) {
  const std::string text = svg_histogram("t", "x", {0, 0, 0, 24, kEndless});
  EXPECT_THAT(text, HasSubstr("0 to 1: 3"));
  EXPECT_THAT(text, HasSubstr("23 to 24: 1"));
  EXPECT_EQ(times_in(text, "<rect"), 2u);
}

}  // namespace
}  // namespace assay::reporters
