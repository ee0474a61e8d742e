// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"

#include <cstddef>
#include <string>

namespace assay::reporters {

// Each piece is HTML with everything of the document escaped.
[[nodiscard]] std::string html_findings(const Document& document);
// Symptoms that rules know and this run shows.
[[nodiscard]] std::string html_diagnoses(const Document& document);
// What can be drawn of the results (lib/charts.hpp); nothing where there is none.
[[nodiscard]] std::string html_charts(const Document& document);
// How the variants of cases differ; nothing where there are none.
[[nodiscard]] std::string html_variants(const Document& document);
struct CaseParts {
  bool pictures = true;             // of its rounds and samples
  bool parsed_when_opened = false;  // what is folded is not parsed before: so a page of many cases opens
};
// One case, folded.
[[nodiscard]] std::string html_case(const Case& one, std::size_t number, CaseParts parts);

}  // namespace assay::reporters
