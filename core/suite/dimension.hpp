// SPDX-License-Identifier: Apache-2.0
//
// Whether an expression compares and adds like with like.
#pragma once

#include "base/diagnostics.hpp"
#include "base/quantity.hpp"
#include "suite/expression.hpp"

#include <functional>
#include <optional>

namespace assay::suite {

// The dimension of a name, of a selector's metric, or of the metric in "5% of METRIC" (never called for peak,
// reference, baseline and peers). No value if it is not known; whoever answers reports that.
using DimensionLookup = std::function<std::optional<Dimension>(const Expression&)>;

// The dimension of a whole expression; a comparison has none (Dimension{}). Sums and comparisons of unlike
// dimensions are reported at their operator, each once: "this compares a time (3us) with a data size
// (64MiB)". No value if something in it is unknown or wrong. "60% of peak" takes the dimension of what it is
// compared with. Pure.
[[nodiscard]] std::optional<Dimension> dimension_of(const Expression& expression,
                                                    const DimensionLookup& lookup, Diagnostics& diagnostics);

}  // namespace assay::suite
