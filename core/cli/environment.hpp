// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"

#include <map>
#include <string>
#include <vector>

namespace assay::cli {

// The variables that may change a result, by allow-list; never one whose name says that it is a secret.
// Values are cleaned of control characters.
[[nodiscard]] Json recorded_environment(const std::map<std::string, std::string>& environment);

// That allow-list: names, and beginnings of names that end in '*'.
[[nodiscard]] std::vector<std::string> recorded_names();

// What workers and reporters start from, as "NAME=value": all variables but those whose name says that they
// are a secret. A suite's `env` may still set one.
[[nodiscard]] std::vector<std::string> worker_environment(
    const std::map<std::string, std::string>& environment);

}  // namespace assay::cli
