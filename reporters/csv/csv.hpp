// SPDX-License-Identifier: Apache-2.0
//
// Every metric of every case as a row, for spreadsheets and data frames: RFC 4180 with a header, lines ended by LF, numbers in base units.
#pragma once

#include "lib/document.hpp"

#include <string>
#include <string_view>

namespace assay::reporters {

[[nodiscard]] std::string render_csv(const Document& document);

// A field: quoted where it must be; a text that a spreadsheet would take for a formula begins with an apostrophe.
[[nodiscard]] std::string csv_text(std::string_view text);

}  // namespace assay::reporters
