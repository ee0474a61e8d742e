// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/checker.hpp"

#include <string>

namespace assay::check {

// One line of the text form; `color` for terminals.
[[nodiscard]] std::string finding_text(const CompletedCheck& finding, bool color);
// What the text form ends with.
[[nodiscard]] std::string summary_text(const CheckReport& report);
[[nodiscard]] std::string report_json(const CheckReport& report);
[[nodiscard]] std::string report_junit(const CheckReport& report);

}  // namespace assay::check
