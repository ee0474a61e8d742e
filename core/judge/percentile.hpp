// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/case_result.hpp"
#include "judge/evaluate.hpp"

#include <string>

namespace assay::judge {

// The quantile (0 < p < 1) of a metric over single iterations, with the interval of quantile_over_rounds. Refused
// when a sample holds several iterations: the tail of batch means is not the tail of iterations. A quantile of a
// rate is that of the single iterations' rates.
[[nodiscard]] Evaluated percentile(const CaseResult& result, const std::string& metric, double p);

}  // namespace assay::judge
