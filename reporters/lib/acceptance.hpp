// SPDX-License-Identifier: Apache-2.0
//
// What a run found, in the sentence with which a report begins.
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

// The answers to the suite's questions. Without questions, how the limits of its expectations were kept: "4 GPUs: all 59
// checks are within their limits; closest: gemm fp8_e4m3 on cuda:2, 59 % of peak, limit 58 %." A check is a case with
// expectations, or a check over several cases, as the counts of the verdict have it. "" where nothing was judged.
[[nodiscard]] std::string what_was_found(const Document& document);

}  // namespace assay::reporters
