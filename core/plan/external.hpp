// SPDX-License-Identifier: Apache-2.0
//
// For the planner, of cases that run a command: the benchmark that such a case describes, and what the plugin is told.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "catalog/catalog.hpp"
#include "plan/placement.hpp"
#include "suite/suite.hpp"
#include "system/inventory.hpp"

#include <string>
#include <vector>

namespace assay::plan {

// The backend whose devices the command gets: the one that `uses` pins, else the first of `wanted`, else
// host. Reports one that no plugin provides, and gives "".
[[nodiscard]] std::string external_backend(const catalog::Reference& reference,
                                           const std::vector<std::string>& wanted,
                                           const catalog::Catalog& catalog,
                                           const system::Inventory* inventory, const Position& position,
                                           Diagnostics& diagnostics);

// `base`, as the plugin's manifest has it, with the parameters and metrics of the case.
[[nodiscard]] catalog::Benchmark external_benchmark(const suite::SuiteCase& one,
                                                    const catalog::Benchmark& base);

// {arguments, directory, passed, skipped, verify_pattern, verify_exit, metrics: [{name, scale, json | pattern
// | exit, take}]}, as plugins/external reads it; placeholders are filled in. `passed` is null if any status
// is right.
[[nodiscard]] Json external_definition(const suite::SuiteCase& one, const Json& parameters,
                                       const Layout& layout);

}  // namespace assay::plan
