// SPDX-License-Identifier: Apache-2.0
//
// A claim about which value of an axis is the best one: `argmax(rate over batch) == 8`.
#pragma once

#include "judge/claim.hpp"
#include "judge/findings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::judge {

struct ValueClaim {
  const suite::SuiteFinding* finding = nullptr;
  const suite::Expression* selector = nullptr;  // of the rows
  std::string name;                             // of the rows, in `let`
  std::string axis, value;                      // "batch", "8"
  bool largest = true;                          // argmax
  bool is_it = true;                            // ==, not !=
};

// None for any other claim.
[[nodiscard]] std::optional<ValueClaim> read_value_claim(const suite::SuiteFinding& finding);

// The claim of each comparison of the named value with another: it falls behind by theta at most; for !=, by more.
[[nodiscard]] Claim claim_of(const ValueClaim& claim);
[[nodiscard]] model::Threshold limit_of(const ValueClaim& claim, const Claim& of_each);

// Judges one row: compares the named value's case with each other case, by intervals that hold together with 95 %.
// The named value is the best if it falls behind no other by more than theta, and is not if it falls behind one.
// `cases` is not empty, and each case has a value in each of `rounds`. `row` is undecided before the call.
void judge_found_value(const ValueClaim& claim, const Claim& of_each,
                       const std::vector<const CaseResult*>& cases, const std::vector<int>& rounds,
                       FindingRow& row);

}  // namespace assay::judge
