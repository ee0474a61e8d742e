// SPDX-License-Identifier: Apache-2.0
//
// Amounts that options take, written as suites write them.
#pragma once

#include <string>

namespace assay::cli {

// A share from 0 to below 1: "2%", "0.02". Throws Error "usage.share", which names the option.
[[nodiscard]] double share_of(const std::string& option, const std::string& text);
// Seconds above 0: "10min", "90s". Throws Error "usage.time".
[[nodiscard]] double seconds_of(const std::string& option, const std::string& text);

}  // namespace assay::cli
