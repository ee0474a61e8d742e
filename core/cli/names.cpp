// SPDX-License-Identifier: Apache-2.0
#include "cli/names.hpp"

#include "base/error.hpp"
#include "engine/preparation.hpp"
#include "engine/suite_search.hpp"
#include "text/lookup.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

namespace assay::cli {

bool is_benchmark(const catalog::Catalog& catalog, const std::string& name) {
  return contains(catalog.benchmark_names(), catalog::parse_reference(name).benchmark);
}

bool is_suite(const Context& context, const catalog::Catalog& catalog, const std::string& name) {
  if (is_benchmark(catalog, name)) return false;
  std::error_code unknown;
  return (name.ends_with(".yaml") && std::filesystem::is_regular_file(name, unknown)) ||
         contains(engine::suite_names(context), name);
}

void refuse_suite(const Context& context, const catalog::Catalog& catalog, const std::string& name) {
  if (!is_suite(context, catalog, name)) return;
  throw Error("usage.benchmark", "'" + printable(name) + "' is a suite and no benchmark; 'assay run " +
                                     shell_word(printable(name)) + " --dry-run' shows what it measures");
}

HasDevices devices_here(const Context& context, const PluginOptions& plugins,
                        const catalog::Catalog& catalog) {
  auto inventory = std::make_shared<std::optional<system::Inventory>>();
  return [&context, &plugins, &catalog, inventory](const std::string& backend) {
    if (!*inventory) *inventory = engine::inventory_of_all(context, plugins, catalog);
    const system::Backend* found = (*inventory)->find(backend);
    return found != nullptr && !found->devices.empty();
  };
}

}  // namespace assay::cli
