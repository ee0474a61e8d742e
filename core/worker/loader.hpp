// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <assay/abi/v1.h>

#include <filesystem>

namespace assay::worker {

// Loads a plugin's shared object, for good: it is never unloaded, because nothing can promise that none of
// its code is needed again. Looks at the file first, so that what is no plugin does not get to run. The
// result is valid for the process's life. Throws Error "plugin.load" with what is wrong, where, and what
// helps.
[[nodiscard]] const assay_plugin_v1& load_library(const std::filesystem::path& path);

}  // namespace assay::worker
