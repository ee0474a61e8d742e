// SPDX-License-Identifier: Apache-2.0
//
// Text fitted to columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

enum class Align { left, right };
// Filled with spaces to `width` columns; longer text is left as it is.
[[nodiscard]] std::string pad(std::string_view text, std::size_t width, Align align = Align::left);

// At most `width` columns; what is cut off is shown by the mark.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width, std::string_view mark = "…");

// In ASCII: known signs get a spelling (× x, ≥ >=, µ u, – -), others "?".
[[nodiscard]] std::string to_ascii(std::string_view text);

// As lines for people, with a line break at the end; a width of 0 or less leaves the text as it is.
[[nodiscard]] std::string paragraph(std::string_view text, int width);

}  // namespace assay
