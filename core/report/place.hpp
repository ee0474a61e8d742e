// SPDX-License-Identifier: Apache-2.0
//
// Where a reporter's files go.
#pragma once

#include "report/report.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::report {

struct ReportFile {
  std::optional<std::string> name;  // none: the main output
  std::string data;
};

// Puts one rendering's files in place. `taken` are files of earlier requests, and gets these. Throws Error
// "reporter.failed" for a name that is not a plain relative one, for a file that another report has written and
// for one of the sources, "file.unwritable" from the file system.
void place(const std::vector<ReportFile>& files, const ReportRequest& request,
           const catalog::Reporter& reporter, const std::filesystem::path& folder, const Sources& sources,
           std::set<std::filesystem::path>& taken, WrittenReport& written);

}  // namespace assay::report
