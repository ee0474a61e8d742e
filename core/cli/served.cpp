// SPDX-License-Identifier: Apache-2.0
#include "cli/served.hpp"

#include "worker/interface.hpp"

#include <algorithm>

namespace assay::cli {

std::string unserved(const catalog::Manifest& manifest) {
  return worker::mismatch(worker::kThisInterface, static_cast<std::uint32_t>(manifest.built_minor),
                          static_cast<std::uint32_t>(manifest.needs_minor));
}

std::vector<catalog::NeededLibrary> libraries_not_here(const catalog::Manifest& manifest,
                                                       const catalog::Catalog& catalog,
                                                       const std::vector<std::string>& library_path) {
  std::vector<catalog::NeededLibrary> absent;
  const auto add_those_of = [&](const catalog::Manifest& one) {
    for (catalog::NeededLibrary& library : catalog::absent_libraries(one, library_path)) {
      const bool is_known = std::any_of(absent.begin(), absent.end(),
                                        [&](const auto& known) { return known.soname == library.soname; });
      if (!is_known) absent.push_back(std::move(library));
    }
  };
  if (const catalog::Manifest* backend = catalog.backend(manifest.backend)) add_those_of(*backend);
  add_those_of(manifest);
  return absent;
}

std::string interface_text(const catalog::Manifest& manifest) {
  const Json& json = manifest.json;
  const auto abi = json.find("abi");
  const bool is_preview = abi != json.end() && abi->is_object() && abi->value("preview", Json()) == true;
  return "v" + std::to_string(manifest.abi_major) + (is_preview ? " (preview)" : "") + ", needs minor " +
         std::to_string(manifest.needs_minor) + ", built with minor " + std::to_string(manifest.built_minor);
}

}  // namespace assay::cli
