// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "result/journal.hpp"

#include <string>

namespace assay::judge {

// A regular expression (RE2) that matches exactly this text; with another one, either.
[[nodiscard]] std::string exactly(const std::string& text, const std::string& or_else = "");

// The command that runs one case again, and with it the row that it is compared with, if there is one: the run's own command without its
// filters, reports and folders.
[[nodiscard]] std::string reproduce_command(const result::JournalHeader& header, const std::string& case_id,
                                            std::uint64_t seed, const std::string& reference = "");

}  // namespace assay::judge
