// SPDX-License-Identifier: Apache-2.0
//
// What decides how NCCL works besides its variables, which the host records: files of settings, and libraries
// that it loaded by itself (network, tuner, profiler).
#pragma once

#include <link.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <pwd.h>
#include <string>

namespace assay::plugins::collective {

// "name=value; name=value (file)" of every file of settings that NCCL reads by itself; "none".
inline std::string nccl_settings_files() {
  std::string files[] = {"/etc/nccl.conf", ""};
  if (const passwd* user = getpwuid(geteuid()); user && user->pw_dir)
    files[1] = std::string(user->pw_dir) + "/.nccl.conf";
  std::string text;
  for (const std::string& name : files) {
    std::ifstream file(name);
    std::string settings;
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      settings += (settings.empty() ? "" : "; ") + line;
    }
    if (!settings.empty()) text += (text.empty() ? "" : ", ") + settings + " (" + name + ")";
  }
  return text.empty() ? "none" : text;
}

// File names of the libraries of this process that are named like plugins of NCCL; "none".
inline std::string nccl_plugin_libraries() {
  std::string names;
  const auto look = [](dl_phdr_info* library, std::size_t, void* into) {
    auto& found = *static_cast<std::string*>(into);
    const std::string path = library->dlpi_name ? library->dlpi_name : "";
    const std::string name = path.substr(path.rfind('/') + 1);
    for (const char* kind :
         {"libnccl-net", "libnccl-tuner", "libnccl-profiler", "libnccl-gin", "libnccl-env"}) {
      if (name.rfind(kind, 0) == 0) found += (found.empty() ? "" : ", ") + name;
    }
    return 0;
  };
  dl_iterate_phdr(look, &names);
  return names.empty() ? "none" : names;
}

}  // namespace assay::plugins::collective
