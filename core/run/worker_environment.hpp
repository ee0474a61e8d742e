// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::run {

using EnvironmentChanges = std::vector<std::pair<std::string, std::optional<std::string>>>;

// The environment of a worker: `base` ("NAME=value"), then the library path in front of LD_LIBRARY_PATH, then
// the case's changes (no value: removed), then what the backend needs so that only the worker's devices are
// visible. The last one wins: device numbers rest on it.
[[nodiscard]] std::vector<std::string> worker_environment(
    const std::vector<std::string>& base, const std::vector<std::string>& library_path,
    const EnvironmentChanges& changes, const std::map<std::string, std::string>& visibility);

}  // namespace assay::run
