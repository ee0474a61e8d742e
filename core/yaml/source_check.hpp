// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.hpp"
#include "yaml/node.hpp"

namespace assay::yaml {

// Refuses what a YAML reader would misread silently: a file over the limit, bytes that are not UTF-8, control
// characters, tabs in the indentation. True if the text is fit to be parsed.
[[nodiscard]] bool check_source(const Source& source, Diagnostics& diagnostics);

// The place of a byte of the text. Linear in the offset.
[[nodiscard]] Position position_at(const Source& source, std::size_t offset);

}  // namespace assay::yaml
