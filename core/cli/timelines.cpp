// SPDX-License-Identifier: Apache-2.0
#include "cli/timelines.hpp"

#include <algorithm>

namespace assay::cli {

bool show_timelines(const std::vector<report::ReportRequest>& requests) {
  return std::any_of(requests.begin(), requests.end(),
                     [](const report::ReportRequest& request) { return request.reporter == "trace"; });
}

bool has_timeline(const model::Document& document) {
  return std::any_of(document.cases.begin(), document.cases.end(),
                     [](const model::Case& one) { return one.timeline.has_value(); });
}

}  // namespace assay::cli
