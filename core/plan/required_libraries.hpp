// SPDX-License-Identifier: Apache-2.0
//
// `libraries` of `requires` and `when`. Internal to this component.
#pragma once

#include "base/diagnostics.hpp"
#include "catalog/catalog.hpp"
#include "suite/suite.hpp"

#include <functional>
#include <string>
#include <vector>

namespace assay::plan {

// What a plugin's libraries lack on this machine, as catalog::missing_libraries says it.
using MissingLibraries = std::function<std::vector<std::string>(const catalog::Manifest& manifest)>;

// Why the library is not there, or "". The plugins that need one know its version and where it comes from; a name
// that none of them needs is an error at its place.
[[nodiscard]] std::string lacking_library(const suite::Located<std::string>& library,
                                          const catalog::Catalog& catalog, const MissingLibraries& missing_of,
                                          Diagnostics& diagnostics);

}  // namespace assay::plan
