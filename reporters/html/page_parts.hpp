// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"

#include <cstddef>
#include <string>

namespace assay::reporters {

// Each piece is HTML with everything of the document escaped.
[[nodiscard]] std::string html_findings(const Document& document);
// Curves over every axis of numbers with at least three values; nothing where there is none.
[[nodiscard]] std::string html_curves(const Document& document);
// One case, folded; `pictures` says whether its rounds and samples are drawn.
[[nodiscard]] std::string html_case(const Case& one, std::size_t number, bool pictures);

[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace assay::reporters
