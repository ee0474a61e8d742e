// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.hpp"
#include "report/place.hpp"
#include "report/report.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace assay::report {

// How long a reporter may take, from its process's start to its last file.
inline constexpr std::chrono::seconds kRenderLimit{60};

// Has one reporter render in a child and gives its files back, none of them in place. Throws Error
// "reporter.failed" (it said so, died, took too long, or sent too much), "worker.start".
[[nodiscard]] std::vector<ReportFile> render_in_child(const std::string& document,
                                                      const ReportRequest& request,
                                                      const catalog::Reporter& reporter,
                                                      const catalog::Manifest& manifest, const Start& start,
                                                      std::chrono::milliseconds limit);

}  // namespace assay::report
