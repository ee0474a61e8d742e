// SPDX-License-Identifier: Apache-2.0
//
// What a row of a finding comes to, beside what its claim asks: a ratio as "1.70×", a quantity or a difference in its unit.
#pragma once

#include "lib/document.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

struct Compared {
  double value = 0;
  std::optional<Bounds> bounds;  // 95 %
  Unit unit = "×";

  [[nodiscard]] std::optional<double> half_width() const {
    return bounds ? std::optional(bounds->half_width()) : std::nullopt;
  }
};

// None without a value. Of documents of older versions it is the ratio of both sides.
[[nodiscard]] std::optional<Compared> compared(const Finding& finding, const FindingRow& row);
// A table of its rows would say nothing: there is one at most, without a value.
[[nodiscard]] bool has_no_values(const Finding& finding);
// "1.702×", "203 FLOP/B", "90.1 %".
[[nodiscard]] std::string compared_value(const Compared& compared);
// "[1.697, 1.707]", or "".
[[nodiscard]] std::string compared_interval(const Compared& compared);
// Both.
[[nodiscard]] std::string compared_text(const Compared& compared);

// What the claim holds that against, in the same unit: one limit, or two for sameness, the smaller first. None where a
// document of an older version does not tell.
[[nodiscard]] std::vector<double> asked_limits(const Finding& finding);
// "≥ 1.80×", "≥ 412 FLOP/B", "0.980× to 1.02×", or "".
[[nodiscard]] std::string asked_text(const Finding& finding);

// Both sides as the suite names them; "left" and "right" where nothing names them.
[[nodiscard]] std::pair<std::string, std::string> side_names(const Finding& finding);
// Which sides a table has a column for: none for a limit, which stands under what is asked, nor for the other side
// where it is what is compared.
struct ShownSides {
  std::string left, right;  // their names
  bool has_left = true, has_right = true;
};
[[nodiscard]] ShownSides shown_sides(const Finding& finding);
// What is compared with the limits, as "compute / read": "ratio" where nothing names it.
[[nodiscard]] std::string compared_name(const Finding& finding);

}  // namespace assay::reporters
