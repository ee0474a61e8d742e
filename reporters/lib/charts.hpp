// SPDX-License-Identifier: Apache-2.0
//
// Which pictures a document has, and what is in them. HTML and Markdown show the same ones.
#pragma once

#include "lib/comparison.hpp"
#include "lib/document.hpp"
#include "lib/matrix.hpp"
#include "lib/picture.hpp"
#include "lib/pivot.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::reporters {

// Of a block: its rows under the roofs, else curves over every axis of numbers with three values or more, else bars of its rows; then a field
// of colours of each matrix. None where the table says it as well.
[[nodiscard]] std::vector<Picture> block_charts(const Block& block);

// The headline metric of each row under what computing and memory allow, of cases that recorded compute_roof, memory_roof and
// operational_intensity.
[[nodiscard]] std::optional<Picture> roofline_chart(const Block& block);

// Between every two of three or more; nothing beyond 64.
[[nodiscard]] std::optional<Picture> matrix_chart(const Matrix& matrix);

// Each row's ratio with its interval, and what the claim asks for; nothing of a single row.
[[nodiscard]] std::optional<Picture> finding_chart(const Finding& finding);

// What went on when in the extra iteration that was recorded for it.
[[nodiscard]] std::optional<Picture> timeline_chart(const Case& one);

// Of a case: each round, each sample that was kept, and how often samples took how long.
[[nodiscard]] std::vector<Picture> sample_charts(const Case& one);

// Ratios of the rows that changed most, in the order of by_importance(), with their intervals.
[[nodiscard]] std::optional<Picture> comparison_chart(const Comparison& comparison);

}  // namespace assay::reporters
