// SPDX-License-Identifier: Apache-2.0
//
// What a number that a command wrote is as a double.
#pragma once

#include <string_view>

namespace assay::plugins::external {

// A number of a unit that has this scale, in base units. As a suite's own quantities are converted
// (core/base/quantity.hpp), to the last digit: where a unit is a whole part of the base unit, by dividing, which rounds
// once.
[[nodiscard]] double in_base_units(double number, double scale);

// Whether the text gives every digit of a number beyond 2^53, down to the units or further, and no double equals that
// number: "9007199254740993", "9007199254740993.0" and "9.007199254740993e15". Not "6.02e23", which was rounded by
// whoever wrote it.
[[nodiscard]] bool is_rounded(std::string_view text, double value);

}  // namespace assay::plugins::external
