// SPDX-License-Identifier: Apache-2.0
//
// Cells that several tables of results share.
#pragma once

#include "lib/numbers.hpp"
#include "lib/pivot.hpp"

#include <optional>
#include <string>

namespace assay::reporters {

// An axis's value.
[[nodiscard]] std::string label_cell(const std::string& label);

// The unit of a block's metric in a column; nothing if each cell has to carry its own.
[[nodiscard]] std::optional<Scale> scale_of(const Block& block, const std::string& metric);
// "busbw, GB/s".
[[nodiscard]] std::string with_unit(const std::string& name, const std::optional<Scale>& scale);
[[nodiscard]] std::string number_cell(double value, const Metric& metric, const std::optional<Scale>& scale);

// "reference", "same", "−22.8 %", "+3 %, undecided", or "".
[[nodiscard]] std::string delta_cell(const Row& row, const Metric& metric);

}  // namespace assay::reporters
