// SPDX-License-Identifier: Apache-2.0
//
// Where plugins, and the libraries that they need, are sought.
#pragma once

#include "catalog/catalog.hpp"
#include "cli/context.hpp"

#include <string>
#include <vector>

namespace assay::cli {

// Options that every command which needs plugins takes.
struct PluginOptions {
  std::vector<std::string> plugins;         // --plugin
  std::vector<std::string> plugin_folders;  // --plugin-dir
  std::vector<std::string> library_path;    // --library-path
  std::vector<std::string> allowed;         // --plugin-allow: SHA-256, or files as sha256sum writes them
};

// Finds and reads the manifests; throws Error "plugin.named" (exit 4) if a plugin that the user named is
// none. Warnings about others go to standard error, each once.
[[nodiscard]] catalog::Catalog load_catalog(const Context& context, const PluginOptions& options);
// Throws Error "usage.plugin-allow" for what is neither a SHA-256 nor a list of them.
[[nodiscard]] catalog::SearchPath search_path(const Context& context, const PluginOptions& options);

// Where libraries that plugins need are sought before the system's own places: --library-path,
// LD_LIBRARY_PATH, toolkits, Python's packages.
[[nodiscard]] std::vector<std::string> library_path(const Context& context, const PluginOptions& options);

}  // namespace assay::cli
