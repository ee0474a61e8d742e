// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "process/process.hpp"
#include "run/run.hpp"

#include <map>
#include <string>

namespace assay::run {

// How this program is started as a process that measures nothing, with the argument `command`; `visibility` is
// what makes its devices visible.
[[nodiscard]] process::Launch launch_of(const RunSettings& settings, const char* command = "worker",
                                        const std::map<std::string, std::string>& visibility = {});

}  // namespace assay::run
