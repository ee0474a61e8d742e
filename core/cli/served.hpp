// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.hpp"

#include <string>
#include <vector>

namespace assay::cli {

// Why this program does not serve the plugin, by the interface that its manifest says it was built for; "" if it
// does. What a worker that loads it would say.
[[nodiscard]] std::string unserved(const catalog::Manifest& manifest);

// The libraries that are not on this machine, of those that the plugin needs and of those that the plugin of its backend
// needs. They are looked for, and none is opened.
[[nodiscard]] std::vector<catalog::NeededLibrary> libraries_not_here(
    const catalog::Manifest& manifest, const catalog::Catalog& catalog,
    const std::vector<std::string>& library_path);

// "v1 (preview), needs minor 2, built with minor 2".
[[nodiscard]] std::string interface_text(const catalog::Manifest& manifest);

}  // namespace assay::cli
