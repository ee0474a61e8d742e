// SPDX-License-Identifier: Apache-2.0
#include "run/launch.hpp"

#include "run/environment.hpp"

#include <filesystem>

namespace assay::run {

process::Launch launch_of(const Settings& settings, const char* command,
                          const std::map<std::string, std::string>& visibility) {
  process::Launch launch;
  launch.arguments = {settings.program.string(), command};
  launch.environment = worker_environment(settings.base_environment, settings.library_path, {}, visibility);
  return launch;
}

wire::Load load_of(const catalog::Manifest& manifest) {
  wire::Load load;
  load.library = manifest.library;
  load.plugin_id = manifest.id;
  load.stamp = manifest.library_stamp;
  load.sha256 = manifest.library_sha256;
  load.version = manifest.version;
  if (!manifest.path.empty()) load.manifest = std::filesystem::absolute(manifest.path).string();
  return load;
}

}  // namespace assay::run
