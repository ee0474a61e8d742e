// SPDX-License-Identifier: Apache-2.0
//
// Questions and their answers: claims judged over rounds of fresh processes.
#pragma once

#include "judge/case_result.hpp"
#include "judge/claim.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::judge {

// `value` is the geometric mean over the rounds used; the id is "" if it is open which case it is of.
using FindingOperand = model::Operand;

// One row: one point of the axes on which the operands are joined.
struct FindingRow {
  std::string label;                                      // "bytes=1GiB"; "" if nothing is joined
  std::vector<std::pair<std::string, std::string>> axes;  // of the join
  FindingVerdict verdict = FindingVerdict::undecided;
  std::optional<double> effect;        // left / right - 1; of a difference none
  std::optional<double> measured;      // what is compared with the limits
  std::optional<ValueRange> interval;  // 95 %, of what is measured; of what is observed all that was seen
  bool observed = false;               // all of its operands are: every value counts, and chance has no part
  std::size_t rounds = 0;
  std::size_t more_rounds =
      0;  // that should decide it, if it is open; 0 if more than 1000, or rounds do not help
  FindingOperand left, right;
  std::vector<const CaseResult*> too_wide;  // the cases whose intervals leave it open
  std::string why;
  std::vector<std::string> differ;  // what its two rows of one case differ in
  double level = 0.95;              // of the interval
  std::string best;                 // under argmax() or argmin(): the value of the axis that was found
  std::vector<std::string> tied;    // those that cannot be distinguished from it
  bool has_no_ratio = false;        // a side is not above zero in some round
  bool decides = false;             // the verdict of the whole is its alone, or that of those marked so
};

struct FindingResult {
  const suite::SuiteFinding* finding = nullptr;
  std::optional<model::Threshold> limit;  // none if the claim could not be read
  // That of its rows if they agree, else mixed if each is confirmed or refuted, else undecided. Under `for` that of
  // the rows that decide: deciding_rows.hpp.
  FindingVerdict verdict = FindingVerdict::undecided;
  std::string why;
  std::vector<FindingRow> rows;
  std::size_t left_out = 0;                   // rows that it is about and that are not part of the run
  const suite::VerdictWords* text = nullptr;  // the suite's say and do for this verdict
};

// Every finding of the suite, in its order. One that is about rows that were left out is not answered in full:
// left_out_rows.hpp. With `quick` they are listed as undecided and say why. With
// `partial` (--failed: rows of findings are planned whole or not at all) those without a case are left out.
[[nodiscard]] std::vector<FindingResult> judge_findings(const suite::Suite& suite,
                                                        const std::vector<CaseResult>& cases,
                                                        const std::vector<plan::LeftOut>& left_out,
                                                        bool quick, bool partial);

}  // namespace assay::judge
