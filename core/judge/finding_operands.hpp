// SPDX-License-Identifier: Apache-2.0
//
// What the selectors of a finding stand for, and which cases are compared with each other.
#pragma once

#include "judge/case_result.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::judge {

// A selector in a finding, or best() of one, or a function over an axis of one.
struct ClaimOperand {
  const suite::Expression* selector = nullptr;
  bool best = false;
  const suite::Expression* over = nullptr;     // the call that makes one value of its rows along an axis
  std::vector<const CaseResult*> cases;        // all that match
  std::vector<const plan::LeftOut*> left_out;  // and those that match, and that the run leaves out
};

using AxisTexts = std::vector<std::pair<std::string, std::string>>;

// One row: for each operand the cases that belong there; one, or for best() all to choose from, or all that a function
// goes over.
struct JoinedRow {
  AxisTexts axes;
  // By selector, in the order of the operands.
  std::vector<std::pair<const suite::Expression*, std::vector<const CaseResult*>>> chosen;
};

// All selectors of an expression, through the names that `let` defines; in the order in which they are met.
// `problem` is set if it uses something that a claim cannot hold.
[[nodiscard]] std::vector<ClaimOperand> find_operands(const suite::SuiteFinding& finding,
                                                      const suite::Suite& suite,
                                                      const std::vector<CaseResult>& cases,
                                                      const std::vector<plan::LeftOut>& left_out,
                                                      std::string* problem);

// Operands join on the axes that no selector names and all of them have; other axes that an operand leaves
// open give rows of their own, unless best() chooses over them. An operand without a case in a row leaves its
// entry empty.
// Operands without an axis in common are joined each with each: of more than kMostFindingRows there are kMostFindingRows + 1.
inline constexpr std::size_t kMostFindingRows = 20'000;
[[nodiscard]] std::vector<JoinedRow> join_rows(const std::vector<ClaimOperand>& operands);

// What two cases differ in, beyond the axes that selectors name: names of parameters, variables, conditions,
// placement.
[[nodiscard]] std::vector<std::string> differences(const CaseResult& a, const CaseResult& b,
                                                   const std::set<std::string>& written_axes);

// "batch, dtype", or five of them and how many more.
[[nodiscard]] std::string few_names(std::vector<std::string> names);

// The axes that the operands' selectors name, and those that functions go over.
[[nodiscard]] std::set<std::string> written_axes(const std::vector<ClaimOperand>& operands);

}  // namespace assay::judge
