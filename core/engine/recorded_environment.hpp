// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"

#include <map>
#include <string>
#include <vector>

namespace assay::engine {

// The variables that may change a result: those of an allow-list and of the names that manifests declare; never
// one that looks like a secret (secrets.hpp). Values are cleaned of control characters.
[[nodiscard]] Json recorded_environment(const std::map<std::string, std::string>& environment,
                                        const std::vector<std::string>& names = {});

// That allow-list: names, and beginnings of names that end in '*'.
[[nodiscard]] std::vector<std::string> recorded_names();

// What workers and reporters start from, as "NAME=value": all variables but those that look like a secret. A
// suite's `env` may still set one.
[[nodiscard]] std::vector<std::string> worker_environment(
    const std::map<std::string, std::string>& environment);
// What commands of a suite start from: they are the caller's own, and may need what is kept from plugins.
[[nodiscard]] std::vector<std::string> whole_environment(
    const std::map<std::string, std::string>& environment);

}  // namespace assay::engine
