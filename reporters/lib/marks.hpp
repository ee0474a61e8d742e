// SPDX-License-Identifier: Apache-2.0
//
// What a row's reader should act on or doubt: one mark a row at most, and none that most rows carry.
#pragma once

#include "lib/document.hpp"
#include "model/vocabulary.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace assay::reporters {

// A mark of more than half of the cases that were measured, three at least: said once for the run, and on no row.
struct CommonMark {
  const model::Mark* mark = nullptr;
  std::size_t cases = 0, of = 0;
  std::string text;  // of the first of them
  bool same = true;  // of all of them
};
[[nodiscard]] std::vector<CommonMark> common_marks(const Document& document);

// The worst mark of the case that is not said for the run; null if it has none.
[[nodiscard]] const model::Mark* mark_of(const Case& one, const std::vector<CommonMark>& common);

// "! unsteady"; "" for null.
[[nodiscard]] std::string mark_text(const model::Mark* mark);

}  // namespace assay::reporters
