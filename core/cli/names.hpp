// SPDX-License-Identifier: Apache-2.0
//
// What a name on the command line means on this machine.
#pragma once

#include "cli/bench_suite.hpp"
#include "cli/context.hpp"

#include <string>

namespace assay::cli {

// Whether the name is a benchmark's, with or without its backend.
[[nodiscard]] bool is_benchmark(const catalog::Catalog& catalog, const std::string& name);

// Whether the name, or the file, is a suite's, and no benchmark is called so.
[[nodiscard]] bool is_suite(const Context& context, const catalog::Catalog& catalog, const std::string& name);

// Throws Error "usage.benchmark" where the name of a suite stands in place of a benchmark's, and says what to type.
void refuse_suite(const Context& context, const catalog::Catalog& catalog, const std::string& name);

// Whether a backend has devices here. Plugins are asked once, and only if somebody wants to know.
[[nodiscard]] HasDevices devices_here(const Context& context, const PluginOptions& plugins,
                                      const catalog::Catalog& catalog);

}  // namespace assay::cli
