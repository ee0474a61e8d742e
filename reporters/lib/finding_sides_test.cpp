// SPDX-License-Identifier: Apache-2.0
#include "lib/finding_sides.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

TEST(FindingSides, NameAMetricThatTheCaseDoesNotLeadWith) {
  Document document;
  Case& one = document.cases.emplace_back();
  one.id = "stages[ranks=2]";
  one.metrics.resize(2);
  one.metrics[0].name = "step_time";
  one.metrics[0].headline = true;
  one.metrics[1].name = "predicted_step_time";
  Finding finding;
  finding.claim = "two >= 1.7 * four";
  FindingRow& row = finding.rows.emplace_back();
  row.left = {one.id, "predicted_step_time", 0.072, Unit("s")};
  row.right = {one.id, "step_time", 0.04, Unit("s")};
  const SideCells cells = side_cells(cases_by_id(document), finding);
  EXPECT_EQ(cells.of_left, " (predicted_step_time)");
  EXPECT_EQ(cells.of_right, "") << "the headline";
  finding.claim = "predicted_step_time >= 1.7 * four";
  EXPECT_EQ(side_cells(cases_by_id(document), finding).of_left, "") << "its name says it";
}

}  // namespace
}  // namespace assay::reporters
