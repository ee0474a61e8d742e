// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/checker.hpp"

#include <string>

namespace assay::check {

// One line of the text form; `color` for terminals.
[[nodiscard]] std::string finding_text(const CompletedCheck& finding, bool color);
// What the text form ends with.
[[nodiscard]] std::string summary_text(const Report& report);
[[nodiscard]] std::string report_json(const Report& report);
[[nodiscard]] std::string report_junit(const Report& report);

}  // namespace assay::check
