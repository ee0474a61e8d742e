// SPDX-License-Identifier: Apache-2.0
//
// A journal's first line. Internal to this component.
#pragma once

#include "base/json.hpp"
#include "result/journal.hpp"

namespace assay::result {

[[nodiscard]] Json to_json(const JournalHeader& header);
// Throws Error "journal.malformed", or Json::exception, which in_words() understands.
[[nodiscard]] JournalHeader header_from_json(const Json& json);

}  // namespace assay::result
