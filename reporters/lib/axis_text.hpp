// SPDX-License-Identifier: Apache-2.0
//
// A value of an axis as people read it: documents have it as ids write it.
#pragma once

#include <string>
#include <string_view>

namespace assay::reporters {

// "-O2 -g" of "-O2%20-g", in one line.
[[nodiscard]] std::string as_written(std::string_view text);

// The same, and "4096³" of "m:4096/n:4096/k:4096": three numbers that are alike are a cube, two a square.
[[nodiscard]] std::string axis_text(std::string_view text);

// A row's or a column's name where no heading names the axis: "workers=4", "persistent=true", but "Ring".
[[nodiscard]] std::string with_axis(const std::string& axis, const std::string& text);

}  // namespace assay::reporters
