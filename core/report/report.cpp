// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "process/orphan_reaper.hpp"
#include "report/place.hpp"
#include "report/renderer.hpp"

#include <algorithm>
#include <exception>
#include <set>
#include <system_error>

namespace assay::report {
namespace {

// Pictures stand in files beside a report. Standard output, a pipe or a device has no place beside it.
ReportRequest with_what_fits(const ReportRequest& request, const catalog::Reporter& reporter) {
  std::error_code ignored;
  const auto type = std::filesystem::status(request.path, ignored).type();
  const bool has_place = request.path.empty()
                             ? reporter.file != "-"
                             : request.path != "-" && (type == std::filesystem::file_type::not_found ||
                                                       type == std::filesystem::file_type::regular ||
                                                       type == std::filesystem::file_type::directory);
  ReportRequest out = request;
  const auto is_charts = [](const auto& option) { return option.name == "charts"; };
  if (!has_place && std::any_of(reporter.options.begin(), reporter.options.end(), is_charts)) {
    std::erase_if(out.options, [](const auto& option) { return option.first == "charts"; });
    out.options.emplace_back("charts", "false");
  }
  return out;
}

WrittenReport render_one(const std::string& document, const ReportRequest& request,
                         const catalog::Catalog& catalog, const std::filesystem::path& folder,
                         const Start& start, const Sources& sources, std::set<std::filesystem::path>& taken) {
  WrittenReport written;
  written.reporter = request.reporter;
  const catalog::Manifest* manifest = nullptr;
  const catalog::Reporter* reporter = catalog.reporter(request.reporter, &manifest);
  if (reporter == nullptr || manifest == nullptr) {
    written.error =
        "there is no reporter '" + request.reporter + "'; 'assay list' names those that were found";
    return written;
  }
  try {
    place(render_in_child(document, with_what_fits(request, *reporter), *reporter, *manifest, start,
                          kRenderLimit),
          request, *reporter, folder, sources, taken, written);
  } catch (const std::exception& error) {
    written.error = error.what();
  }
  return written;
}

}  // namespace

std::vector<WrittenReport> render(const std::string& document, const std::vector<ReportRequest>& requests,
                                  const catalog::Catalog& catalog, const std::filesystem::path& folder,
                                  const Start& start, const Sources& sources) {
  const process::OrphanReaper reaper;  // outlives the children
  std::vector<WrittenReport> all;
  std::set<std::filesystem::path> taken;
  for (const ReportRequest& request : requests)
    all.push_back(render_one(document, request, catalog, folder, start, sources, taken));
  return all;
}

}  // namespace assay::report
