// SPDX-License-Identifier: Apache-2.0
//
// Where plugins, and the libraries that they need, are sought.
#pragma once

#include "catalog/catalog.hpp"
#include "engine/surroundings.hpp"

#include <string>
#include <vector>

namespace assay::engine {

// Finds and reads the manifests; throws Error "plugin.named" (exit 4) if a plugin that the user named is
// none. Warnings about others are told, each once.
[[nodiscard]] catalog::Catalog load_catalog(const Surroundings& surroundings, const PluginOptions& options);
// Throws Error "usage.plugin-allow" for what is neither a SHA-256 nor a list of them.
[[nodiscard]] catalog::SearchPath search_path(const Surroundings& surroundings, const PluginOptions& options);

// Where libraries that plugins need are sought before the system's own places: --library-path,
// LD_LIBRARY_PATH, toolkits, Python's packages.
[[nodiscard]] std::vector<std::string> library_path(const Surroundings& surroundings,
                                                    const PluginOptions& options);

}  // namespace assay::engine
