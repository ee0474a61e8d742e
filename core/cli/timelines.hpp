// SPDX-License-Identifier: Apache-2.0
//
// Timelines cost an extra iteration of every case, so they are recorded only for a report that shows them: where the
// reporter `trace` is among a run's reports.
#pragma once

#include "model/document.hpp"
#include "report/report.hpp"

#include <string>
#include <vector>

namespace assay::cli {

[[nodiscard]] bool show_timelines(const std::vector<report::ReportRequest>& requests);

// Whether any case of a result has one.
[[nodiscard]] bool has_timeline(const model::Document& document);

}  // namespace assay::cli
