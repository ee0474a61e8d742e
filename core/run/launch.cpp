// SPDX-License-Identifier: Apache-2.0
#include "run/launch.hpp"

#include "run/worker_environment.hpp"

namespace assay::run {

process::Launch launch_of(const RunSettings& settings, const char* command,
                          const std::map<std::string, std::string>& visibility) {
  process::Launch launch;
  launch.arguments = {settings.program.string(), command};
  launch.environment = worker_environment(settings.base_environment, settings.library_path, {}, visibility);
  return launch;
}

}  // namespace assay::run
