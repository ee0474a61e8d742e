// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "catalog/catalog.hpp"
#include "engine/surroundings.hpp"

namespace assay::engine {

// Reads the bottleneck rules in the folders `rules` beside suites: the user's, then those that come with Assay; of
// two rules with the same id the first counts. Returns an array, as the journal holds it. Problems go to
// diagnostics, such as a warning if a user's rule names a metric that its benchmark does not have.
[[nodiscard]] Json load_rules(const Surroundings& surroundings, const catalog::Catalog& catalog,
                              Diagnostics& diagnostics);

}  // namespace assay::engine
