// SPDX-License-Identifier: Apache-2.0
//
// Starts reporters, each in a child of its own, and puts their files in place.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "catalog/catalog.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace assay::report {

// --report NAME[:key=value,…][=PATH]
struct ReportRequest {
  std::string reporter;
  std::vector<std::pair<std::string, std::string>> options;
  std::string path;  // file or folder, "-" for standard output, "" for the reporter's default name in the
                     // results folder
};
// Checks name, option keys and values against the catalog; problems have the code "usage.report".
[[nodiscard]] ReportRequest parse_request(const std::string& text, const catalog::Catalog& catalog,
                                          Diagnostics& diagnostics);

struct WrittenReport {
  std::string reporter;
  std::vector<std::filesystem::path> files;
  std::string output;  // for "-": what belongs on standard output
  std::string error;   // why it failed, or empty
};

// How a reporter's process is started.
struct Start {
  std::filesystem::path program;         // what it executes, with the argument "worker"
  std::vector<std::string> environment;  // "NAME=value"
};

// What reports are made of, and what the run needs later: no report replaces it.
struct Sources {
  std::vector<std::filesystem::path> files;  // the journal, the suite and what it includes
  std::filesystem::path result;              // only the reporter json writes it
};

// Renders one document. Files land in `folder` (relative paths of requests are taken as given by the user).
// Never throws for a reporter's failure: that is WrittenReport::error, and the others still render.
[[nodiscard]] std::vector<WrittenReport> render(const std::string& document,
                                                const std::vector<ReportRequest>& requests,
                                                const catalog::Catalog& catalog,
                                                const std::filesystem::path& folder, const Start& start,
                                                const Sources& sources = {});

}  // namespace assay::report
