// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/manifest.hpp"

#include <string>

namespace assay::cli {

// Why this program does not serve the plugin, by the interface that its manifest says it was built for; "" if it
// does. What a worker that loads it would say.
[[nodiscard]] std::string unserved(const catalog::Manifest& manifest);

// "v1 (preview), needs minor 2, built with minor 2".
[[nodiscard]] std::string interface_text(const catalog::Manifest& manifest);

}  // namespace assay::cli
