// SPDX-License-Identifier: Apache-2.0
//
// `requires` of a suite or case against what is there. Internal to this component.
#pragma once

#include "suite/suite.hpp"
#include "system/inventory.hpp"

#include <string>
#include <vector>

namespace assay::plan {

// 580.65.06 is 580 and 580.65, at least 580.9 and at most 581 (">=580.9", "<=581"): parts are numbers.
[[nodiscard]] bool is_that_version(const std::string& here, const std::string& wanted);

// True if the backend is there and has devices.
[[nodiscard]] bool is_available(const system::Inventory& inventory, const std::string& backend);

// "no cuda device is there: no NVIDIA driver", for a backend that is not available.
[[nodiscard]] std::string why_unavailable(const system::Inventory& inventory, const std::string& backend);

// What is missing, one text each; empty if one of the backends has all. `backends` are those of the
// requirement, or, if it names none, `otherwise`; without either, any backend will do.
[[nodiscard]] std::vector<std::string> unmet(const suite::Requires& requirement,
                                             const std::vector<std::string>& otherwise,
                                             const system::Inventory& inventory);

}  // namespace assay::plan
