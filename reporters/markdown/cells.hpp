// SPDX-License-Identifier: Apache-2.0
//
// Cells that several tables of results share.
#pragma once

#include "lib/numbers.hpp"
#include "lib/view.hpp"

#include <optional>
#include <string>

namespace assay::reporters {

// An axis's value.
[[nodiscard]] std::string label_cell(const std::string& label);

// "busbw, GB/s".
[[nodiscard]] std::string with_unit(const std::string& name, const std::optional<Scale>& scale);
[[nodiscard]] std::string number_cell(double value, const Metric& metric, const std::optional<Scale>& scale);

// "reference", "same", "−22.8 %", "+3 %, undecided", or "".
[[nodiscard]] std::string change_cell(const ChangeCell& change);

}  // namespace assay::reporters
