// SPDX-License-Identifier: Apache-2.0
#include "lib/matrix.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::reporters {
namespace {

constexpr double kNone = -1;

Matrix matrix_of(const std::vector<std::vector<double>>& rows) {
  Matrix out;
  out.metric = "bandwidth_matrix";
  out.unit = "B/s";
  for (std::size_t i = 0; i < rows.size(); ++i) out.labels.push_back("cuda:" + std::to_string(i));
  for (const auto& row : rows) {
    for (const double value : row)
      out.cells.push_back(value == kNone ? std::nullopt : std::optional(MatrixCell{value, std::nullopt}));
  }
  return out;
}

// All 400 GB/s, but what leaves the device 2.
Matrix slow_from_two(double slow) {
  std::vector<std::vector<double>> rows(5, std::vector<double>(5, 400e9));
  for (std::size_t i = 0; i < 5; ++i) {
    rows[2][i] = slow;
    rows[i][i] = 3e12;
  }
  return matrix_of(rows);
}

std::vector<std::string> remarks(const Matrix& matrix) {
  return remarks_on(matrix, summary_of(matrix), {1e9, "GB/s"});
}

TEST(Matrix, OwnCellsCountOnlyWhereThereAreNoOthers) {
  const MatrixSummary summary = summary_of(slow_from_two(300e9));
  EXPECT_EQ(summary.count, 20u);
  EXPECT_EQ(summary.low, 300e9);
  EXPECT_EQ(summary.median, 400e9);
  EXPECT_EQ(summary.high, 400e9);
  EXPECT_EQ(summary_of(matrix_of({{3, kNone}, {kNone, 5}})).median, 4);
  EXPECT_EQ(summary_of(matrix_of({{kNone, kNone}, {kNone, kNone}})).count, 0u);
}

TEST(Matrix, ADeviceThatSendsSlowlyStandsOut) {
  const MatrixSummary summary = summary_of(slow_from_two(300e9));
  EXPECT_TRUE(summary.scored);
  ASSERT_EQ(summary.outliers.size(), 1u);
  EXPECT_TRUE(summary.outliers[0].row);
  EXPECT_EQ(summary.outliers[0].index, 2u);
  EXPECT_EQ(summary.outliers[0].median, 300e9);
  // The deviations' median is 0, so that 1 % of 400 GB/s is the unit.
  EXPECT_NEAR(summary.outliers[0].score, -0.6745 * 100 / 4, 1e-9);
  EXPECT_EQ(remarks(slow_from_two(300e9)),
            (std::vector<std::string>{
                "lowest 300, median 400, highest 400 GB/s",
                "one way and back differ by more than 5 % in 4 of 10 pairs, most: 400 GB/s from cuda:0 to "
                "cuda:2 against 300 GB/s from cuda:2 to cuda:0, 29 % apart",
                "stands out: what goes from cuda:2 (median 300 GB/s, robust z −16.9)"}));
}

TEST(Matrix, WhatIsWithinAFewPercentDoesNotStandOut) {
  const MatrixSummary summary = summary_of(slow_from_two(381e9));
  EXPECT_TRUE(summary.scored);
  EXPECT_TRUE(summary.outliers.empty());
  EXPECT_EQ(remarks(slow_from_two(381e9)).back(), "no row or column stands out");
}

TEST(Matrix, OfThreeNobodyIsTheOddOne) {
  const MatrixSummary summary = summary_of(matrix_of({{kNone, 1, 1}, {1, kNone, 1}, {9, 9, kNone}}));
  EXPECT_FALSE(summary.scored);
  EXPECT_EQ(remarks(matrix_of({{kNone, 4e9, 4e9}, {4e9, kNone, 4e9}, {4e9, 4e9, kNone}})).size(), 1u)
      << "the same number both ways says nothing of the ways";
}

TEST(Matrix, OfEqualNumbersIsOneNumber) {
  const Matrix three = matrix_of({{kNone, 4e9, 4e9}, {4e9, kNone, 4e9}, {4e9, 4e9, kNone}});
  EXPECT_EQ(remarks(three).front(), "all 4 GB/s");
}

TEST(Matrix, OfSumsOfBothWaysHasOneSide) {
  std::vector<std::vector<double>> rows(4, std::vector<double>(4, 700e9));
  for (std::size_t i = 0; i < 4; ++i) rows[1][i] = rows[i][1] = 600e9;
  EXPECT_EQ(remarks(matrix_of(rows)),
            (std::vector<std::string>{
                "lowest 600, median 650, highest 700 GB/s",
                "stands out: what goes from and to cuda:1 (median 600 GB/s, robust z −9.6)"}));
  rows[0][3] = 710e9;
  const std::vector<std::string> other = remarks(matrix_of(rows));
  EXPECT_EQ(other.at(1), "one way and back agree within 5 % in all 6 pairs");
}

TEST(Matrix, IsShadedInFiveStepsIfThereIsADifference) {
  const Matrix matrix = matrix_of({{900e9, 100e9}, {200e9, 900e9}});
  const Shading shading(summary_of(matrix), false);
  ASSERT_TRUE(shading.any());
  std::string marks;
  for (const double value : {100e9, 119e9, 121e9, 150e9, 170e9, 199e9, 200e9}) marks += shading.mark(value);
  EXPECT_EQ(marks, "··░▒▓██");
  EXPECT_EQ(shading.legend({1e9, "GB/s"}), "· 100–120, ░ 120–140, ▒ 140–160, ▓ 160–180, █ 180–200 GB/s");
  EXPECT_EQ(Shading(summary_of(matrix), true).mark(200e9), "#");
  const Shading none(summary_of(matrix_of({{kNone, 100}, {104, kNone}})), false);
  EXPECT_FALSE(none.any());
  EXPECT_EQ(none.mark(100), "");
  EXPECT_EQ(none.legend({1, "B/s"}), "");
}

Document document_of(const std::string& cases) {
  return read_document(R"({"schema_version": "1.0", "run": {"backends": [{"name": "cuda", "devices": [
    {"name": "cuda:0", "facts": {"nvlink_peers": "18 to switch"}},
    {"name": "cuda:1", "facts": {"nvlink_peers": "18 to switch"}},
    {"name": "cuda:2", "facts": {"nvlink_peers": "2 to cuda:0"}}]}]}, "cases": [)" +
                       cases + "]}");
}

std::string pair(const std::string& from, const std::string& to, double value) {
  return R"({"id": "p[device=)" + from + "-" + to +
         R"(]", "case": "p", "backend": "cuda", "outcome": "passed",
    "axes": [{"name": "device", "text": ")" +
         from + "-" + to + R"("}], "placement": {"devices": [")" + from + R"(", ")" + to +
         R"("]}, "metrics": [{"name": "bandwidth", "unit": "B/s", "headline": true, "value": )" +
         std::to_string(value) + R"(, "interval": {"low": 1, "high": 3}}]})";
}

TEST(Matrices, ComeFromCasesThatDifferInTheirPair) {
  const Document document = document_of(pair("cuda:0", "cuda:1", 1) + "," + pair("cuda:1", "cuda:0", 2));
  const Block block = pivot(document).at(0);
  EXPECT_TRUE(is_over_pairs(block));
  const std::vector<Matrix> matrices = matrices_of(block);
  ASSERT_EQ(matrices.size(), 1u);
  EXPECT_EQ(matrices[0].labels, (std::vector<std::string>{"cuda:0", "cuda:1"}));
  EXPECT_EQ(matrices[0].at(0, 1)->value, 1);
  EXPECT_EQ(matrices[0].at(1, 0)->value, 2);
  EXPECT_EQ(matrices[0].at(1, 0)->half_width, 1);
  EXPECT_FALSE(matrices[0].at(0, 0));
  EXPECT_EQ(links_of(matrices[0], document.run.backends),
            std::vector<std::string>{"each of 2: 18 to switch"});
}

std::string indexed(const std::string& devices, const std::string& cells) {
  return R"({"id": "m", "case": "m", "backend": "cuda", "outcome": "passed", "facts": {"links": "PCIe"},
    "placement": {"devices": [)" +
         devices + R"(]}, "metrics": [{"name": "bandwidth", "unit": "B/s", "headline": true, "value": 1})" +
         cells + "]}";
}

std::string cell(const std::string& indices, int value) {
  return R"(, {"name": "x", "unit": "B/s", "indices": [)" + indices + R"(], "value": )" +
         std::to_string(value) + "}";
}

TEST(Matrices, ComeFromMetricsWithTwoIndices) {
  const Document document =
      document_of(indexed(R"("cuda:0", "cuda:2")", cell("0, 1", 5) + cell("1, 0", 7) + cell("0", 3)));
  const Block block = pivot(document).at(0);
  EXPECT_FALSE(is_over_pairs(block));
  const std::vector<Matrix> matrices = matrices_of(block);
  ASSERT_EQ(matrices.size(), 1u);
  EXPECT_EQ(matrices[0].labels, (std::vector<std::string>{"cuda:0", "cuda:2"}));
  EXPECT_EQ(matrices[0].at(0, 1)->value, 5);
  EXPECT_EQ(links_of(matrices[0], document.run.backends),
            (std::vector<std::string>{"PCIe", "cuda:0: 18 to switch", "cuda:2: 2 to cuda:0"}));
  const std::vector<Series> series = series_of(document.cases[0]);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].metric, "x");
  EXPECT_EQ(series[0].values, (std::vector<std::pair<std::uint64_t, std::string>>{{0, "3 B/s"}}));
}

TEST(Matrices, IndicesThatDoNotCountDevicesStayNumbers) {
  const Document document = document_of(indexed(R"("host:0")", cell("4, 9", 5) + cell("9, 4", 7)));
  EXPECT_EQ(matrices_of(pivot(document).at(0)).at(0).labels, (std::vector<std::string>{"4", "9"}));
  std::string many;
  for (int i = 0; i < 501; ++i) many += cell(std::to_string(2 * i) + "," + std::to_string(2 * i + 1), 1);
  EXPECT_TRUE(matrices_of(pivot(document_of(indexed(R"("host:0")", many))).at(0)).empty())
      << "1002 rows and columns are too many";
  const Document one = document_of(indexed(R"("host:0")", cell("0, 0", 5)));
  EXPECT_TRUE(matrices_of(pivot(one).at(0)).empty()) << "one cell is not a table";
}

}  // namespace
}  // namespace assay::reporters
