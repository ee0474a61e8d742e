// SPDX-License-Identifier: Apache-2.0
#include "lib/suite_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::reporters {
namespace {

using ::testing::ElementsAre;

model::TableCell cell(double value, const char* unit, double ratio = 0) {
  model::TableCell cell;
  cell.value = value;
  cell.unit = unit;
  cell.bounds = {value * 0.99, value * 1.01};
  if (ratio > 0) cell.ratio = model::Measured{ratio, {ratio * 0.99, ratio * 1.01}};
  return cell;
}

model::TableRow row(const char* of, const char* dtype, const char* kernel,
                    std::vector<model::TableCell> cells) {
  model::TableRow row;
  row.case_name = of;
  row.axes = {{"dtype", dtype}, {"kernel", kernel}};
  row.id = std::string(of) + "[dtype=" + dtype + ",kernel=" + kernel + "]";
  row.cells = std::move(cells);
  return row;
}

TEST(SuiteTables, HaveValuesInOneUnitAndRatiosWithTheirIntervals) {
  Document document;
  model::Table& table = document.tables.emplace_back();
  table.id = "formats";
  table.title = "Which format pays?";
  table.columns = {{"rate", "throughput"}, {"share", "throughput / peak"}};
  table.rows = {row("gemm", "fp32", "a", {cell(4.1e13, "FLOP/s"), cell(0.5, "1")}),
                row("gemm", "bf16", "a", {cell(8.2e13, "FLOP/s", 2), cell(0.75, "1", 1.5)})};
  for (model::TableRow& each : table.rows) each.reference = table.rows.front().id;
  const std::vector<SuiteTable> found = suite_tables(document);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].title, "Which format pays?");
  EXPECT_THAT(found[0].head,
              ElementsAre("row", "rate, TFLOP/s", "rate / reference", "share", "share / reference"));
  EXPECT_THAT(found[0].rows[0], ElementsAre("dtype=fp32", "41.00", "reference", "0.5000", "reference"));
  EXPECT_THAT(found[0].rows[1],
              ElementsAre("dtype=bf16", "82.00", "2.00× [1.98, 2.02]", "0.7500", "1.50× [1.48, 1.52]"));
  EXPECT_TRUE(found[0].notes.empty());
}

TEST(SuiteTables, NameCommandsOfTheCommandLineAsTheyWereGiven) {
  Document document;
  model::Table& table = document.tables.emplace_back();
  table.columns = {{"time", "time"}};
  for (const char* seconds : {"0.1", "0.2"}) {
    Case& one = document.cases.emplace_back();
    one.id = one.name = std::string("sleep-") + (seconds + 2);
    one.command = {"sleep", seconds, "a b"};
    model::TableRow& row = table.rows.emplace_back();
    row.id = row.case_name = one.id;
    row.cells = {cell(0.1, "s")};
  }
  document.run.command = {"assay", "bench", "--", "sleep", "0.1"};
  EXPECT_EQ(suite_tables(document)[0].rows[1].front(), "sleep 0.2 'a b'");
  document.run.command = {"assay", "run", "own.yaml"};  // whose author chose the ids
  EXPECT_EQ(suite_tables(document)[0].rows[1].front(), "sleep-2");
}

TEST(SuiteTables, NameCasesWhereThereAreSeveralAndSayWhyACellIsEmpty) {
  Document document;
  model::Table& table = document.tables.emplace_back();
  table.id = "both";
  table.columns = {{"rate", "throughput"}};
  model::TableCell empty;
  empty.why = "no result (skipped)";
  table.rows = {row("gemm", "fp32", "a", {cell(5, "items/s")}), row("fused", "fp32", "a", {empty}),
                row("other", "fp32", "a", {empty})};
  const std::vector<SuiteTable> found = suite_tables(document);
  EXPECT_EQ(found[0].title, "both");
  EXPECT_THAT(found[0].head, ElementsAre("row", "rate, items/s"));
  EXPECT_EQ(found[0].rows[0][0], "gemm");
  EXPECT_THAT(found[0].rows[1], ElementsAre("fused", "–"));
  EXPECT_THAT(found[0].notes, ElementsAre("fused; other: no result (skipped)"));
}

TEST(SuiteTables, WithoutRowsAreNotShown) {
  Document document;
  document.tables.emplace_back().id = "empty";
  EXPECT_TRUE(suite_tables(document).empty());
}

}  // namespace
}  // namespace assay::reporters
