// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"
#include "judge/evaluate.hpp"

#include <string>

namespace assay::judge {

// The quantile (0 < p < 1) of a metric over single iterations. Refused when a sample holds several
// iterations: the tail of batch means is not the tail of iterations. The interval is made of order
// statistics, n·p ± 1.96·√(n·p·(1−p)·τ), with τ from the sign series; where the series is too short for one,
// that end is unbounded. A quantile of a rate is that of the single iterations' rates.
[[nodiscard]] Evaluated percentile(const CaseResult& result, const std::string& metric, double p);

}  // namespace assay::judge
