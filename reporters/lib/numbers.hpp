// SPDX-License-Identifier: Apache-2.0
//
// Numbers for people: a fitting unit, and no digit that the interval does not support. Independent of the
// locale.
#pragma once

#include "text/quantity_text.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace assay::reporters {

using Unit = UnitText;

// Decimals of value/factor so that the interval's half-width has two digits, within 2 to 4 significant
// digits. Without a half-width: 3 significant digits, or none behind the point if the number is whole and has
// at most six digits.
[[nodiscard]] int decimals(double value, std::optional<double> half_width, double factor);

// Fixed notation with "−" for minus (an exponent only for what twelve decimals do not show); "inf" and NaN do
// not occur in documents and give "–".
[[nodiscard]] std::string fixed(double value, int decimals);

// "41.2 GB/s"; with a half-width only the digits that it supports.
[[nodiscard]] std::string quantity(double value, const Unit& unit,
                                   std::optional<double> half_width = std::nullopt);
[[nodiscard]] std::string quantity(double value, const Scale& scale,
                                   std::optional<double> half_width = std::nullopt);

// "[41.13, 41.31]", in the scale and digits of its value.
[[nodiscard]] std::string interval(double value, double low, double high, const Scale& scale);
// "41.20 ± 0.11 GB/s", for places without a column for intervals; "446 ns [421, 946]" where one side of it is
// more than twice as far from the value as the other.
[[nodiscard]] std::string quantity_with_interval(double value, const Unit& unit, double low, double high);
// "41.1–41.3" to the digits that the half-width of one of them supports, without one to three of the lower
// and at most four of each; or one number if both read alike.
[[nodiscard]] std::string range(double low, double high, const Scale& scale,
                                std::optional<double> half_width = std::nullopt);

// A share as "67 %"; a tenth below 10 %.
[[nodiscard]] std::string percent(double share);
// A change with sign, "−29.4 %", to the digits that its interval supports.
[[nodiscard]] std::string change(double relative, std::optional<double> half_width = std::nullopt);
// "[−29.7, −29.1]" percent.
[[nodiscard]] std::string change_interval(double low, double high);

// "0.31 s", "12.4 s", "1 min 52 s", "2 h 5 min".
[[nodiscard]] std::string duration(double seconds);

// A parameter's value that nobody wrote, or of which no document has how: whole bytes as size_text(); else as quantity().
[[nodiscard]] std::string parameter(double value, const Unit& unit);

}  // namespace assay::reporters
