// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/document.hpp"
#include "markdown/page.hpp"

namespace assay::reporters {

// The table of all findings, then one section each with its evidence.
void write_findings(const Document& document, Page& page);

// Symptoms that rules know and this run shows, each with its evidence, cause and remedy.
void write_diagnoses(const Document& document, Page& page);

}  // namespace assay::reporters
