// SPDX-License-Identifier: Apache-2.0
#include "run/worker_environment.hpp"

#include "text/text.hpp"

#include <algorithm>

namespace assay::run {
namespace {

bool names(const std::string& variable, const std::string& name) {
  return variable.size() > name.size() && variable[name.size()] == '=' && variable.starts_with(name);
}

void set(std::vector<std::string>& environment, const std::string& name,
         const std::optional<std::string>& value) {
  std::erase_if(environment, [&](const std::string& variable) { return names(variable, name); });
  if (value) environment.push_back(name + "=" + *value);
}

}  // namespace

std::vector<std::string> worker_environment(const std::vector<std::string>& base,
                                            const std::vector<std::string>& library_path,
                                            const EnvironmentChanges& changes,
                                            const std::map<std::string, std::string>& visibility) {
  static const std::string kLibraryPath = "LD_LIBRARY_PATH";
  std::vector<std::string> environment = base;
  if (!library_path.empty()) {
    std::string folders = join(library_path, ":");
    const auto before = std::find_if(environment.begin(), environment.end(), [](const std::string& variable) {
      return names(variable, kLibraryPath);
    });
    if (before != environment.end() && before->size() > kLibraryPath.size() + 1) {
      folders += ":" + before->substr(kLibraryPath.size() + 1);
    }
    set(environment, kLibraryPath, folders);
  }
  for (const auto& [name, value] : changes) set(environment, name, value);
  for (const auto& [name, value] : visibility) set(environment, name, value);
  return environment;
}

}  // namespace assay::run
