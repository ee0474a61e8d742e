// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/manifest.hpp"
#include "process/process.hpp"
#include "run/run.hpp"
#include "wire/messages.hpp"

#include <map>
#include <string>

namespace assay::run {

// How this program is started as a process that measures nothing, with the argument `command`; `visibility` is
// what makes its devices visible.
[[nodiscard]] process::Launch launch_of(const Settings& settings, const char* command = "worker",
                                        const std::map<std::string, std::string>& visibility = {});

// What a worker is told of the plugin that it is to load, and what that must still be. Of one rank, until the
// caller says otherwise.
[[nodiscard]] wire::Load load_of(const catalog::Manifest& manifest);

}  // namespace assay::run
