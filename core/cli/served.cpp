// SPDX-License-Identifier: Apache-2.0
#include "cli/served.hpp"

#include "worker/interface.hpp"

namespace assay::cli {

std::string unserved(const catalog::Manifest& manifest) {
  return worker::mismatch(worker::kThisInterface, static_cast<std::uint32_t>(manifest.built_minor),
                          static_cast<std::uint32_t>(manifest.needs_minor));
}

std::string interface_text(const catalog::Manifest& manifest) {
  const Json& json = manifest.json;
  const auto abi = json.find("abi");
  const bool is_preview = abi != json.end() && abi->is_object() && abi->value("preview", Json()) == true;
  return "v" + std::to_string(manifest.abi_major) + (is_preview ? " (preview)" : "") + ", needs minor " +
         std::to_string(manifest.needs_minor) + ", built with minor " + std::to_string(manifest.built_minor);
}

}  // namespace assay::cli
