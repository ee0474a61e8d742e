// SPDX-License-Identifier: Apache-2.0
#include "comparison/comparison_verdict.hpp"

#include "comparison/sentence.hpp"

#include <map>

namespace assay::comparison {

void fill_verdict(model::Comparison& comparison) {
  model::ChangeCounts& counts = comparison.verdict.counts;
  counts = {};
  using model::ComparedVerdict;
  const std::map<ComparedVerdict, std::uint64_t*> of{
      {ComparedVerdict::slower, &counts.slower},
      {ComparedVerdict::faster, &counts.faster},
      {ComparedVerdict::same, &counts.same},
      {ComparedVerdict::small, &counts.small},
      {ComparedVerdict::undecided, &counts.undecided},
      {ComparedVerdict::not_comparable, &counts.not_comparable},
      {ComparedVerdict::different, &counts.different},
      {ComparedVerdict::failed, &counts.failed}};
  for (const model::ComparedRow& row : comparison.rows) {
    ++*of.at(row.verdict);
    if (row.verdict == ComparedVerdict::failed) continue;
    // What the old side has, and the new one does not show to be as good, fails: that it is gone, too.
    const bool is_asked = comparison.no_worse_than && row.before && row.direction != "none";
    if (is_asked && !row.no_worse.value_or(false)) ++counts.not_shown_no_worse;
  }
  const bool has_failed = counts.slower > 0 || counts.failed > 0 || counts.not_shown_no_worse > 0;
  const bool has_compared = counts.not_comparable < comparison.rows.size();
  model::ComparisonVerdict& verdict = comparison.verdict;
  verdict.outcome = has_failed     ? model::ComparisonOutcome::failed
                    : has_compared ? model::ComparisonOutcome::passed
                                   : model::ComparisonOutcome::nothing_compared;
  verdict.exit_code = has_failed ? 1 : has_compared ? 0 : 6;
  verdict.attribution = comparison.differences.empty()       ? model::Attribution::nothing_else
                        : comparison.differences.size() == 1 ? model::Attribution::one_difference
                                                             : model::Attribution::confounded;
  verdict.text = sentence_of(comparison);
}

}  // namespace assay::comparison
