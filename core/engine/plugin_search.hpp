// SPDX-License-Identifier: Apache-2.0
//
// Where plugins, and the libraries that they need, are sought.
#pragma once

#include "catalog/catalog.hpp"
#include "engine/surroundings.hpp"
#include "suite/suite.hpp"

#include <string>
#include <vector>

namespace assay::engine {

// Of two plugins with one identifier that were named, the second is of use only where a variant of a suite names its file: before the suite is
// known it is kept.
enum class SameIds { refused, kept };

// Finds and reads the manifests; throws Error "plugin.named" (exit 4) if a plugin that the user named is
// none, "usage.plugin-twice" if it would not be used. Warnings about others are told, each once.
[[nodiscard]] catalog::Catalog load_catalog(const Surroundings& surroundings, const PluginOptions& options,
                                            SameIds same_ids = SameIds::refused);
// Throws Error "usage.plugin-twice" for a plugin that was named, and that neither its identifier nor a variant of this suite means.
void refuse_unused_plugins(const catalog::Catalog& catalog, const suite::Suite& suite);
// Throws Error "usage.plugin-allow" for what is neither a SHA-256 nor a list of them.
[[nodiscard]] catalog::SearchPath search_path(const Surroundings& surroundings, const PluginOptions& options);

// Where libraries that plugins need are sought before the system's own places: --library-path,
// LD_LIBRARY_PATH, toolkits, Python's packages.
[[nodiscard]] std::vector<std::string> library_path(const Surroundings& surroundings,
                                                    const PluginOptions& options);

}  // namespace assay::engine
