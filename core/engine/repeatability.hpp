// SPDX-License-Identifier: Apache-2.0
//
// How far one run may be from the mean of many, as `assay doctor` measured it on this machine.
#pragma once

#include "base/json.hpp"
#include "system/inventory.hpp"

#include <string>

namespace assay::engine {

// {"run": its id, "shares": {"cuda": 0.004, "cuda/memory": 0.002, …}} of a result of `assay doctor`: for each kind of work on each backend
// the 95 % half-width of a single run, and for each backend that of the kind that repeated itself worst, for work of no such kind. Throws Error "usage.doctor" if it is
// the result of something else, of another machine than this (`inventory`, `host`), or if nothing in it was
// done in three processes.
[[nodiscard]] Json measured_repeatability(const std::string& result, const system::Inventory& inventory,
                                          const Json& host);

}  // namespace assay::engine
