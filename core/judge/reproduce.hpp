// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "result/journal.hpp"

#include <string>

namespace assay::judge {

// A regular expression (ECMAScript) that matches exactly this text.
[[nodiscard]] std::string exactly(const std::string& text);

// The command that runs one case again: the run's own command without its filters, reports and folders.
[[nodiscard]] std::string reproduce_command(const result::JournalHeader& header, const std::string& case_id,
                                            std::uint64_t seed);

}  // namespace assay::judge
