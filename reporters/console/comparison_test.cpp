// SPDX-License-Identifier: Apache-2.0
#include "console/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string table_of(const std::vector<std::pair<std::string, std::string>>& rows) {
  Comparison comparison;
  for (const auto& [id, metric] : rows) {
    ComparedRow& row = comparison.rows.emplace_back();
    row.id = id;
    row.metric = metric;
    row.unit = "B/s";
    row.before = 41.2e9;
    row.after = 38.1e9;
    row.ratio = 0.925;
    row.low = 0.92;
    row.high = 0.93;
    row.verdict = ComparedVerdict::slower;
  }
  ConsoleOptions options;
  options.style.width = 80;
  return render_console(comparison, options);
}

TEST(ComparisonTable, KeepsTheMetricWhereACaseHasSeveral) {
  const std::string id = "copy[bytes=64MiB,threads=4,kernel=triad]";
  EXPECT_THAT(table_of({{id, "bandwidth"}, {id, "latency"}}),
              AllOf(HasSubstr("bandwidth"), HasSubstr("latency"), HasSubstr("columns: 95 %, new, old")));
  EXPECT_THAT(table_of({{id, "bandwidth"}, {id + "2", "bandwidth"}}),
              AllOf(Not(HasSubstr("bandwidth")), HasSubstr("columns: new, old, metric")))
      << "where it tells no rows apart it gives way first";
}

}  // namespace
}  // namespace assay::reporters
