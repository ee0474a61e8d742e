// SPDX-License-Identifier: Apache-2.0
//
// The result as one page that needs nothing beside it: bottom line, findings, a table that sorts and filters, each case down to its samples.
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

[[nodiscard]] std::string render_html(const Document& document);

// The page's own style and script, and what its Content-Security-Policy calls them; html_test.py holds one to the other.
extern const char* const kPageStyle;
extern const char* const kPageScript;
extern const char* const kPageStyleHash;
extern const char* const kPageScriptHash;

}  // namespace assay::reporters
