// SPDX-License-Identifier: Apache-2.0
#include "lib/view.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::reporters {
namespace {

Case measured_on(const std::string& size, const std::string& device, double value) {
  Case one;
  one.id = size + device;
  one.name = "copy";
  one.backend = "cuda";
  one.outcome = Outcome::passed;
  one.axes = {{"bytes", size, size}, {"device", device, device}};
  Metric metric;
  metric.name = "bandwidth";
  metric.unit = "B/s";
  metric.direction = "higher";
  metric.headline = true;
  metric.value = value;
  metric.rounds = {value, value, value};
  metric.interval = Interval{value * 0.98, value * 1.02, 0.95, "between_process"};
  one.metrics = {metric};
  return one;
}

Document document_of(std::vector<Case> cases) {
  Document document;
  document.cases = std::move(cases);
  return document;
}

TEST(View, HasAUnitForTheColumnAndWhatStandsBesideInIt) {
  Document document = document_of({measured_on("1", "a", 40e9), measured_on("2", "a", 400e9)});
  document.cases[1].metrics[0].peak = model::Peak{500e9, 0.8, "peak", "sheet"};
  const BlockView view = view_of(pivot(document).at(0));
  ASSERT_EQ(view.columns.size(), 1U);
  EXPECT_EQ(view.columns[0].scale->unit, "GB/s");
  EXPECT_EQ(view.columns[0].beside, "95 % over 3 rounds");
  EXPECT_EQ(view.columns[0].of_members, "");
  EXPECT_EQ(view.rows[0][0].beside, "[39.20, 40.80]");
  EXPECT_EQ(view.rows[0][0].share, "");
  EXPECT_EQ(view.rows[1][0].share, "80 %");
}

TEST(View, ShowsTheWorstOfSeveralMembersAndTheirRange) {
  Document document = document_of({measured_on("1", "a", 40e9), measured_on("1", "b", 44e9),
                                   measured_on("2", "a", 50e9), measured_on("2", "b", 1)});
  document.cases[3].metrics.clear();
  const BlockView view = view_of(pivot(document).at(0));
  EXPECT_EQ(view.columns[0].of_members, "worst of 2");
  EXPECT_EQ(view.columns[0].beside, "range");
  EXPECT_EQ(view.rows[0][0].metric->value, 40e9);
  EXPECT_EQ(view.rows[0][0].beside, "40.00–44.00");
  EXPECT_EQ(view.rows[1][0].beside, "1 of 2 measured");
}

TEST(View, SaysWhyThereIsNoInterval) {
  Document document = document_of({measured_on("1", "a", 40e9), measured_on("2", "a", 50e9)});
  for (Case& one : document.cases) {
    one.metrics[0].interval.reset();
    one.metrics[0].no_interval = model::NoInterval{"interval.few-samples", "there were two"};
  }
  const BlockView view = view_of(pivot(document).at(0));
  EXPECT_EQ(view.columns[0].beside, "interval");
  EXPECT_EQ(view.rows[0][0].beside, "");
  EXPECT_EQ(view.rows[0][0].no_interval, "few samples");
}

TEST(View, KeepsTheLimitOfARowWithoutAValue) {
  Document document = document_of({measured_on("1", "a", 40e9), measured_on("2", "a", 50e9)});
  Expectation expectation;
  expectation.text = "bandwidth >= 45 GB/s";
  expectation.op = ">=";
  expectation.limit = 45e9;
  expectation.unit = "B/s";
  document.cases[1].expectations = {expectation};
  document.cases[1].metrics.clear();
  const BlockView view = view_of(pivot(document).at(0));
  EXPECT_EQ(view.rows[1][0].metric, nullptr);
  EXPECT_EQ(view.rows[1][0].limit, "≥ 45 GB/s");
}

TEST(View, TellsAChangeFromItsVerdict) {
  Metric metric;
  metric.delta = Delta{"a", 0.9, {0.89, 0.91}, DeltaVerdict::worse};
  const auto change = [&](DeltaVerdict verdict) {
    metric.delta->verdict = verdict;
    return change_of(Row{}, metric).text;
  };
  EXPECT_EQ(change(DeltaVerdict::worse), "−10 %");
  EXPECT_EQ(change(DeltaVerdict::undecided), "−10 %");
  EXPECT_EQ(change(DeltaVerdict::same), "same");
  EXPECT_EQ(change_of(Row{{}, {}, nullptr, true}, metric).text, "reference");
  metric.delta.reset();
  EXPECT_EQ(change_of(Row{}, metric).text, "");
}

TEST(View, SaysOfASmallChangeWhatIsNotKnown) {
  Metric metric;
  metric.delta = Delta{"a", 1.21, {1.004, 1.45}, DeltaVerdict::small};
  EXPECT_EQ(change_of(Row{}, metric).open, "perhaps below 2 %");
  metric.delta->verdict = DeltaVerdict::undecided;
  EXPECT_EQ(change_of(Row{}, metric).open, "undecided");
  metric.delta->verdict = DeltaVerdict::better;
  EXPECT_EQ(change_of(Row{}, metric).open, "");
}

}  // namespace
}  // namespace assay::reporters
