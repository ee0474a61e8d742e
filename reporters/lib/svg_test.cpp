// SPDX-License-Identifier: Apache-2.0
#include "lib/svg.hpp"

#include "lib/svg_heat.hpp"
#include "lib/svg_lanes.hpp"
#include "lib/svg_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

// What the page has of it; "" of no picture.
template <typename... Arguments>
std::string drawn(const Arguments&... arguments) {
  std::optional<Picture> picture;
  if constexpr (sizeof...(arguments) == 1)
    picture = svg_plot(arguments...);
  else
    picture = svg_histogram(arguments...);
  return picture ? svg_element(*picture) : std::string();
}

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
  const std::string text = drawn(plot);
  EXPECT_EQ(times_in(text, "<circle"), 2u);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_THAT(text, Not(HasSubstr("class=\"bounds\"")));
  EXPECT_THAT(text, Not(HasSubstr("class=\"asked\"")));
}

TEST(Svg, LeavesOutWhatALogarithmicAxisHasNoPlaceFor) {
  Plot plot = plot_of({{0, 1}, {-3, 1}, {10, 1}, {100, 2}});
  plot.log_x = true;
  EXPECT_EQ(times_in(drawn(plot), "<circle"), 2u);
}

TEST(Svg, IsNothingWithoutAPointOrWhereNoAxisSpansTheValues) {
  EXPECT_EQ(drawn(plot_of({})), "");
  EXPECT_EQ(drawn(plot_of({{1, kNoNumber}})), "");
  EXPECT_EQ(drawn(plot_of({{1, -1.7e308}, {2, 1.7e308}})), "");
  EXPECT_EQ(drawn(plot_of({{1, 0}, {2, 5e-324}})), "");
  EXPECT_EQ(drawn("t", "x", std::vector<double>{1, 1, kNoNumber}), "");
  EXPECT_EQ(drawn("t", "x", std::vector<double>{-1.7e308, 1.7e308}), "");
}

TEST(Svg, OfOneValueHasAnAxisAroundIt) {
  const std::string text = drawn(plot_of({{7, 3}}));
  EXPECT_EQ(times_in(text, "<circle"), 1u);
  EXPECT_THAT(text, HasSubstr("class=\"axis\""));
}

TEST(Svg, ShowsHostileTextAsText) {
  Plot plot = plot_of({{1, 1, std::nullopt, "<script>alert(1)</script>"}});
  plot.title = plot.description = plot.x_name = plot.y_name = "</svg><script>\n";
  const std::string text = drawn(plot);
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_EQ(times_in(text, "</svg>"), 1u);
}

TEST(Svg, ShowsWhatWasAskedForAndEachInterval) {
  Plot plot = plot_of({{1, 1, std::pair(0.9, 1.1)}, {2, 2, std::pair(1.9, 2.1)}});
  plot.asked = 1.5;
  const std::string text = drawn(plot);
  EXPECT_EQ(times_in(text, "class=\"bounds\""), 2u);
  EXPECT_THAT(text, HasSubstr("asked: 1.5"));
  EXPECT_EQ(text, drawn(plot));
}

TEST(Svg, CountsEachValueOfAHistogramOnce) {
  const std::string text = drawn("t", "x", std::vector<double>{0, 0, 0, 24, kEndless});
  EXPECT_THAT(text, HasSubstr("0 to 1: 3"));
  EXPECT_THAT(text, HasSubstr("23 to 24: 1"));
  EXPECT_EQ(times_in(text, "<rect"), 2u);
}

RowPlot two_rows() {
  RowPlot plot;
  plot.title = "t";
  plot.rows.push_back({"first", "10", 10, std::pair(9.0, 11.0), {8.0}, "tip"});
  plot.rows.push_back({"second", "", kNoNumber});
  return plot;
}

TEST(Svg, LeavesRoomForTextsOfAWideFont) {
  EXPECT_GE(text_width("n=4096"), 48.3) << "as DejaVu Sans draws it in 12 pixels";
  EXPECT_GE(text_width("mmmm"), 46.8);
  EXPECT_GE(text_width("0.123, 4567 %"), 95.0);
}

TEST(SvgRows, DrawABarWithItsIntervalAndWhatIsAsked) {
  const std::string text = svg_element(svg_rows(two_rows()).value());
  EXPECT_EQ(times_in(text, "<rect"), 1u);
  EXPECT_EQ(times_in(text, "class=\"bounds over\""), 1u);
  EXPECT_EQ(times_in(text, "class=\"asked\""), 1u);
  EXPECT_THAT(text, HasSubstr(">second</text>"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(SvgRows, AreNothingWithoutAValueOrWhereNoAxisSpansThem) {
  RowPlot plot = two_rows();
  plot.rows.erase(plot.rows.begin());
  EXPECT_FALSE(svg_rows(plot));
  EXPECT_FALSE(svg_rows({}));
  plot = two_rows();
  plot.rows[0].value = 1.7e308;
  plot.rows[1].value = -1.7e308;
  EXPECT_FALSE(svg_rows(plot));
}

TEST(SvgRows, OfEqualPointsHaveAnAxisAroundThem) {
  RowPlot plot;
  plot.bars = false;
  plot.rows = {{"a", "", 1}, {"b", "", 1}};
  EXPECT_EQ(times_in(svg_element(svg_rows(plot).value()), "<circle"), 2u);
  plot.rows = {{"a", "", 0}, {"b", "", 0}};
  EXPECT_TRUE(svg_rows(plot));
}

TEST(SvgHeat, ColoursWhatHasAStep) {
  HeatMap map;
  map.labels = {"a", "b"};
  map.cells = {HeatCell{"0", "", std::nullopt}, HeatCell{"1", "", 0}, HeatCell{"9", "", 4}, std::nullopt};
  map.steps = {"1–2", "2–4", "4–6", "6–8", "8–9"};
  const Picture picture = svg_heat(map).value();
  EXPECT_EQ(times_in(picture.body, "<rect"), 2u);
  EXPECT_THAT(picture.body, HasSubstr("class=\"h4\""));
  EXPECT_EQ(picture.key.size(), 5u);
  map.cells.pop_back();
  EXPECT_FALSE(svg_heat(map));
}

TEST(SvgLanes, KeepsASpanThatIsTooShortToSee) {
  LanePlot plot;
  plot.lanes.push_back({"lane", {{0, 1e-9, 0, "a", ""}, {0.5, 1, 1, "a long name that has room", ""}}});
  const std::string text = svg_element(svg_lanes(plot).value());
  EXPECT_EQ(times_in(text, "<rect"), 2u);
  EXPECT_THAT(text, HasSubstr(">a long name that has room<"));
  EXPECT_FALSE(svg_lanes({}));
}

TEST(Picture, AFileSaysAllThatIsInItAndRefersToNothing) {
  Picture picture = *svg_rows(two_rows());
  picture.title =
      "<a> title of many words that goes on for longer than a line of the picture can be, and then some more";
  picture.key = {{"s0", "one"}, {"s1", "two"}};
  picture.note = "A note";
  const std::string file = svg_file(picture);
  EXPECT_EQ(times_in(file, "class=\"title\""), 2u);
  for (const char* part :
       {"&lt;a&gt;", ">two<", ">A note<", "prefers-color-scheme", "class=\"ground\"", "role=\"img\""})
    EXPECT_THAT(file, HasSubstr(part));
  EXPECT_THAT(file, Not(HasSubstr("href")));
  EXPECT_THAT(file, Not(HasSubstr("<script")));
}

TEST(Picture, AFilesNameIsSafeAndOfItsBytes) {
  Picture picture;
  picture.title = "../Größe: 1/2 <b>";
  const std::string name = svg_file_name(picture, "x");
  EXPECT_THAT(name, testing::MatchesRegex("gr-e-1-2-b-[0-9a-f]{8}[.]svg"));
  EXPECT_EQ(name, svg_file_name(picture, "x"));
  EXPECT_NE(name, svg_file_name(picture, "y"));
  picture.title = "日本";
  EXPECT_THAT(svg_file_name(picture, "x"), testing::MatchesRegex("[0-9a-f]{8}[.]svg"));
}

}  // namespace
}  // namespace assay::reporters
