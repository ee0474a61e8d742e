// SPDX-License-Identifier: Apache-2.0
#include "plan/reference.hpp"

#include "suite/scalar.hpp"

#include <algorithm>
#include <unordered_map>

namespace assay::plan {

bool row_has(const Point& point, const std::string& device, const std::string& name,
             const suite::Scalar& value) {
  if (name == "device") return value.text == device;
  const std::string* key = key_of(point, name);
  return key != nullptr && *key == suite::value_key(value);
}

void resolve_references(const suite::SuiteCase& one, std::vector<PlannedCase>& cases,
                        const std::vector<MatrixRow>& rows) {
  if (one.reference.empty()) return;
  const auto named = [&](const std::string& axis) {
    return std::any_of(one.reference.begin(), one.reference.end(),
                       [&](const auto& term) { return term.first.value == axis; });
  };
  // What a row has in the axes that the reference leaves open.
  const auto others = [&](const MatrixRow& row) {
    std::string text;
    for (const Choice* choice : row.point) {
      const bool fixed = std::any_of(choice->keys.begin(), choice->keys.end(),
                                     [&](const auto& key) { return named(key.first); });
      text += (fixed ? std::string() : choice->text) + ",";
    }
    return named("device") ? text : text + row.device;
  };
  std::unordered_map<std::string, const std::string*> reference_ids;
  for (const MatrixRow& row : rows) {
    const bool is_reference = std::all_of(one.reference.begin(), one.reference.end(), [&](const auto& term) {
      return row_has(row.point, row.device, term.first.value, term.second);
    });
    if (is_reference) reference_ids.emplace(others(row), &cases[row.case_index].id);
  }
  for (const MatrixRow& row : rows) {
    const auto found = reference_ids.find(others(row));
    if (found != reference_ids.end()) cases[row.case_index].reference = *found->second;
  }
}

}  // namespace assay::plan
