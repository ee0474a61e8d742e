// SPDX-License-Identifier: Apache-2.0
//
// The verdict tells of a case one limit that it missed; a reader wants to know all.
#pragma once

#include "lib/document.hpp"

#include <vector>

namespace assay::reporters {

// The reasons of the verdict in their order, with one for each limit of a case that is not passed: of those that failed the one first
// that the case misses by most.
[[nodiscard]] std::vector<VerdictReason> with_every_limit(const Document& document);

}  // namespace assay::reporters
