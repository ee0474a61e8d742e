// SPDX-License-Identifier: Apache-2.0
#include "comparison/comparison_contradiction.hpp"

#include "comparison/comparison_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace assay::comparison {
namespace {

using model::ComparedVerdict;
using testing::HasSubstr;

// One row that is slower, two that are the same, as `assay compare` tells them; then edited.
std::string edited(const std::function<void(model::Comparison&)>& edit) {
  model::Comparison comparison;
  for (const auto& [id, ratio] : {std::pair("copy", 0.909), {"scale", 1.0}, {"triad", 1.001}}) {
    model::ComparedRow& row = comparison.rows.emplace_back();
    row.id = id;
    row.metric = "bandwidth";
    row.direction = "higher";
    row.ratio = ratio;
    row.verdict = ratio < 0.95 ? ComparedVerdict::slower : ComparedVerdict::same;
  }
  comparison.differences.resize(1);
  fill_verdict(comparison);
  edit(comparison);
  return contradiction_in(comparison);
}

TEST(ComparisonContradiction, IsNoneOfWhatWasWritten) {
  EXPECT_EQ(edited([](model::Comparison& /*as it was*/) {}), "");
  EXPECT_EQ(edited([](model::Comparison& c) {
              c.rows.clear();
              fill_verdict(c);
            }),
            "");
  EXPECT_EQ(edited([](model::Comparison& c) { c.verdict.text.back() = ';'; }), "")
      << "what it says of causes is not held against the rows";
}

TEST(ComparisonContradiction, OfAVerdictThatTheRowsDoNotCarry) {
  EXPECT_EQ(edited([](model::Comparison& c) {
              c.verdict.outcome = model::ComparisonOutcome::passed;
              c.verdict.exit_code = 0;
            }),
            "its verdict is passed (exit code 0), and its rows come to failed (exit code 1)");
  EXPECT_THAT(edited([](model::Comparison& c) { c.rows[0].verdict = ComparedVerdict::same; }),
              HasSubstr("come to passed (exit code 0)"));
  EXPECT_EQ(edited([](model::Comparison& c) { c.verdict.counts.same = 3; }),
            "its verdict counts 3 same, and 2 of its rows are");
  EXPECT_THAT(edited([](model::Comparison& c) { c.verdict.attribution = model::Attribution::nothing_else; }),
              HasSubstr("nothing_else, and its differences to one_difference"));
}

TEST(ComparisonContradiction, OfASentenceThatTheRowsDoNotCarry) {
  EXPECT_EQ(
      edited([](model::Comparison& c) { c.verdict.text = "Of 3 rows: 3 the same."; }),
      "its sentence says 'Of 3 rows: 3 the same', and its rows 'Of 3 rows: 1 slower, 2 the same; the worst is "
      "copy, bandwidth 9.1 % lower'");
  EXPECT_NE(edited([](model::Comparison& c) { c.rows[0].ratio = 0.5; }), "") << "another share";
  EXPECT_NE(edited([](model::Comparison& c) { c.rows[0].id = "other"; }), "") << "another row";
  EXPECT_NE(edited([](model::Comparison& c) { c.rows[0].ratio.reset(); }), "") << "no ratio";
}

TEST(ComparisonContradiction, IsNoneOfWordsOfALaterVersion) {
  EXPECT_EQ(edited([](model::Comparison& c) { c.rows[0].verdict = ComparedVerdict::other; }), "");
  EXPECT_EQ(edited([](model::Comparison& c) { c.verdict.outcome = model::ComparisonOutcome::other; }), "");
}

}  // namespace
}  // namespace assay::comparison
