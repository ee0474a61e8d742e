// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.hpp"
#include "suite/schema.hpp"

#include <vector>

namespace assay::catalog {

// Every benchmark once, by name, for the schema of suites. What several providers offer is put together: a
// parameter that one of them has is known, and what one of them takes is allowed. Planning then checks
// against the one that is used.
[[nodiscard]] std::vector<suite::BenchmarkSchema> benchmark_schemas(const Catalog& catalog);

}  // namespace assay::catalog
