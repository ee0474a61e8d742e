// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::cli {

// Every provider that a name as in `uses` may mean. Throws Error "usage.benchmark" with a suggestion if there
// is none.
[[nodiscard]] std::vector<catalog::Provider> providers_of(const catalog::Catalog& catalog,
                                                          const std::string& name);

// A suite of one case as YAML: key → value for parameters, "a,b,c", "from..to*factor" and "from..to+step" for
// axes; "samples", "devices", "env.X" and other keys of a case go where they belong. Without settings: every
// parameter with its default.
using Setting = std::pair<std::string, std::string>;
[[nodiscard]] std::string bench_suite(const catalog::Provider& provider,
                                      const std::vector<Setting>& settings);

}  // namespace assay::cli
