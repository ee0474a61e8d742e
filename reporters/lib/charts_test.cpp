// SPDX-License-Identifier: Apache-2.0
//
// Which pictures documents have.
#include "lib/charts.hpp"

#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Document golden(const std::string& name) {
  std::ifstream file(source_folder() / ("tests/golden/documents/" + name + ".json"));
  std::stringstream text;
  text << file.rdbuf();
  return read_document(text.str());
}

std::size_t count_in(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::vector<Picture> charts_of(const Document& document, const std::string& name) {
  for (const Block& block : pivot(document))
    if (block.name == name) return block_charts(block);
  return {};
}

std::vector<std::string> key_of(const Picture& picture) {
  std::vector<std::string> out;
  for (const KeyEntry& entry : picture.key) out.push_back(entry.text);
  return out;
}

TEST(Charts, OfAnAxisOfNumbersAreCurvesWithItsLabels) {
  const std::vector<Picture> all = charts_of(golden("algorithms"), "all-reduce");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "all-reduce: bus_bandwidth over bytes");
  EXPECT_THAT(key_of(all[0]), ElementsAre("direct", "ring", "recursive_doubling"));
  EXPECT_EQ(count_in(all[0].body, "<circle"), 12u);
  EXPECT_THAT(all[0].body, HasSubstr(">32KiB</text>"));
}

TEST(Charts, OfOtherRowsAreBarsWithWhatIsAsked) {
  const std::vector<Picture> all = charts_of(golden("pictures"), "copies");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(count_in(all[0].body, "<rect"), 4u);
  EXPECT_EQ(count_in(all[0].body, "class=\"asked\""), 4u);
  EXPECT_THAT(all[0].description, HasSubstr("copy 123 GB/s"));
}

TEST(Charts, OfARowThatDidNotPassHaveAnotherColour) {
  const std::vector<Picture> all = charts_of(golden("node-acceptance"), "gemm");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(count_in(all[0].body, "<g class=\"s1\">"), 1u);
}

TEST(Charts, OfARowThatMissedAnotherLimitHaveTheUsualColour) {
  Document document = golden("node-acceptance");
  for (Case& one : document.cases)
    for (Expectation& each : one.expectations)
      if (each.text.starts_with("throughput")) each.text = "nvlink_crc <= 10";
  const std::vector<Picture> all = charts_of(document, "gemm");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(count_in(all[0].body, "<g class=\"s1\">"), 0u);
}

TEST(Charts, PutALightLineUnderWhatIsAskedOfABar) {
  const std::vector<Picture> all = charts_of(golden("pictures"), "copies");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(count_in(all[0].body, "class=\"halo\""), count_in(all[0].body, "class=\"asked\""));
}

TEST(Charts, OfSeveralIterationsShowTheTimeOfOne) {
  Case one;
  one.samples = model::Samples{1000, {0.015, 0.016, 0.023}, false};
  const std::vector<Picture> all = sample_charts(one);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_THAT(all[0].body, HasSubstr(">time of an iteration, µs</text>"));
  EXPECT_EQ(all[0].note, "Each of 1000 iterations");
  one.samples->iterations = 1;
  EXPECT_THAT(sample_charts(one)[0].body, HasSubstr(">time, ms</text>"));
}

TEST(Charts, OfTwoRowsAreNone) { EXPECT_TRUE(charts_of(golden("pictures"), "order").empty()); }

TEST(Charts, PutWorkUnderItsRoofs) {
  const std::vector<Picture> all = charts_of(golden("pictures"), "roof");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "roof: throughput under its roofs");
  EXPECT_EQ(count_in(all[0].body, "class=\"roof\""), 1u);
  EXPECT_EQ(count_in(all[0].body, "<circle"), 5u);
  EXPECT_THAT(all[0].description, HasSubstr("roofs of 121 GFLOP/s"));
}

TEST(Charts, WithoutARoofHaveNoRoofs) {
  Document document = golden("pictures");
  for (Case& one : document.cases)
    std::erase_if(one.metrics, [](const Metric& metric) { return metric.name == "compute_roof"; });
  const std::vector<Picture> all = charts_of(document, "roof");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "roof: throughput over intensity");
}

TEST(Charts, ColourAMatrixByTheStepsOfItsTable) {
  const std::vector<Picture> all = charts_of(golden("links"), "whole");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].key.size(), 5u);
  EXPECT_EQ(count_in(all[0].body, "<rect"), 12u);  // of four devices, without those with themselves
  EXPECT_THAT(all[0].description, HasSubstr("median"));
}

TEST(Charts, OfAFindingHaveARowForEachRatio) {
  const Document document = golden("nccl-tuning");
  ASSERT_FALSE(document.findings.empty());
  const auto picture = finding_chart(document.findings.front());
  ASSERT_TRUE(picture);
  EXPECT_EQ(count_in(picture->body, "<circle"), 3u);
  EXPECT_EQ(count_in(picture->body, "class=\"asked\""), 3u);
  EXPECT_THAT(picture->body, HasSubstr(">0.881×</text>"));
  EXPECT_THAT(picture->note, HasSubstr("line at 1: both are equal"));
  Finding same = document.findings.front();
  same.asks = Threshold();
  same.asks->op = "==";
  same.asks->tolerance = 0.02;
  EXPECT_EQ(count_in(finding_chart(same)->body, "class=\"asked\""), 6u);  // both ends of sameness
  Finding alone = document.findings.front();
  alone.rows.resize(1);
  EXPECT_FALSE(finding_chart(alone));
}

TEST(Charts, OfATimelineHaveALaneForEachTrackAndAColourForEachKind) {
  const Document document = golden("pictures");
  const Case* const one = document.find("order[schedule=1f1b]");
  ASSERT_NE(one, nullptr);
  const auto picture = timeline_chart(*one);
  ASSERT_TRUE(picture);
  EXPECT_THAT(key_of(*picture), ElementsAre("forward", "send", "receive", "backward"));
  EXPECT_EQ(count_in(picture->body, "<rect"), 32u);
  EXPECT_THAT(picture->body, HasSubstr(">rank 1 stage 1</text>"));
  EXPECT_FALSE(timeline_chart(document.cases.front()));
}

TEST(Charts, OfAComparisonDrawWhatMattersFirst) {
  Comparison comparison;
  for (int i = 0; i < 30; ++i) {
    ComparedRow& row = comparison.rows.emplace_back();
    row.id = "row " + std::to_string(i);
    row.ratio = i == 29 ? 0.5 : 1.0;
    row.low = *row.ratio - 0.01;
    row.high = *row.ratio + 0.01;
    row.verdict = i == 29 ? model::ComparedVerdict::slower : model::ComparedVerdict::same;
  }
  const auto picture = comparison_chart(comparison);
  ASSERT_TRUE(picture);
  EXPECT_EQ(count_in(picture->body, "<circle"), 24u);
  EXPECT_LT(picture->body.find(">row 29<"), picture->body.find(">row 0<"));
  EXPECT_THAT(picture->note, HasSubstr("24 most important of 30"));
  comparison.rows.clear();
  EXPECT_FALSE(comparison_chart(comparison));
}

TEST(Charts, OfAComparisonNameTheMetricWhereACaseHasSeveral) {
  Comparison comparison;
  const std::string longest = "case" + std::string(80, 'x');
  for (const std::string& id : {std::string("copy"), longest}) {
    for (const char* metric : {"bandwidth", "latency"}) {
      ComparedRow& row = comparison.rows.emplace_back();
      row.id = id;
      row.metric = metric;
      row.ratio = 1;
      row.low = 0.99;
      row.high = 1.01;
    }
  }
  const std::string body = comparison_chart(comparison)->body;
  EXPECT_THAT(body, AllOf(HasSubstr(">copy bandwidth</text>"), HasSubstr(">copy latency</text>"),
                          HasSubstr("xx… bandwidth</text>"), HasSubstr("xx… latency</text>")));
  comparison.rows.resize(1);
  EXPECT_THAT(comparison_chart(comparison)->body, HasSubstr(">copy</text>"));
}

}  // namespace
}  // namespace assay::reporters
