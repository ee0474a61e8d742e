// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "base/error.hpp"
#include "process/strays.hpp"
#include "report/place.hpp"
#include "report/renderer.hpp"

#include <exception>
#include <set>

namespace assay::report {
namespace {

Written render_one(const std::string& document, const Request& request, const catalog::Catalog& catalog,
                   const std::filesystem::path& folder, const Start& start, const Sources& sources,
                   std::set<std::filesystem::path>& taken) {
  Written written;
  written.reporter = request.reporter;
  const catalog::Manifest* manifest = nullptr;
  const catalog::Reporter* reporter = catalog.reporter(request.reporter, &manifest);
  if (reporter == nullptr || manifest == nullptr) {
    written.error =
        "there is no reporter '" + request.reporter + "'; 'assay list' names those that were found";
    return written;
  }
  try {
    place(render_in_child(document, request, *reporter, *manifest, start, kRenderLimit), request, *reporter,
          folder, sources, taken, written);
  } catch (const std::exception& error) {
    written.error = error.what();
  }
  return written;
}

}  // namespace

std::vector<Written> render(const std::string& document, const std::vector<Request>& requests,
                            const catalog::Catalog& catalog, const std::filesystem::path& folder,
                            const Start& start, const Sources& sources) {
  const process::Strays strays;  // outlives the children
  std::vector<Written> all;
  std::set<std::filesystem::path> taken;
  for (const Request& request : requests)
    all.push_back(render_one(document, request, catalog, folder, start, sources, taken));
  return all;
}

}  // namespace assay::report
