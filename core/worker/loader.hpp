// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/abi/v1.h>

#include <filesystem>
#include <string>

namespace assay::worker {

// Loads a plugin's shared object, for good: it is never unloaded, because nothing can promise that none of
// its code is needed again. Looks at the file first, so that what is not a plugin does not get to run. The
// result is valid for the process's life. Throws Error "plugin.load" with what is wrong, where, and what
// helps.
[[nodiscard]] const assay_plugin_v1& load_library(const std::filesystem::path& path);

// Throws Error "plugin.load" if the library is not the one whose stamp and SHA-256 are given; "" is
// not looked at. A library that is not there is load_library's matter.
void require_unchanged(const std::filesystem::path& path, const std::string& stamp,
                       const std::string& sha256);

}  // namespace assay::worker
