// SPDX-License-Identifier: Apache-2.0
#include "wire/load_of.hpp"

#include <filesystem>

namespace assay::wire {

Load load_of(const catalog::Manifest& manifest) {
  Load load;
  load.library = manifest.library;
  load.plugin_id = manifest.id;
  load.stamp = manifest.library_stamp;
  load.sha256 = manifest.library_sha256;
  load.version = manifest.version;
  if (!manifest.path.empty()) load.manifest = std::filesystem::absolute(manifest.path).string();
  return load;
}

}  // namespace assay::wire
