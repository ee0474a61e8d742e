// SPDX-License-Identifier: Apache-2.0
//
// What decides how NCCL works besides its variables, which the host records: files of settings, and libraries
// that it loaded by itself (network, tuner, profiler).
#pragma once

#include <link.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <pwd.h>
#include <string>
#include <vector>

namespace assay::plugins::collective {

// The files that NCCL of this version reads settings from, those that count first: what is set stays.
// `chosen` is what NCCL_CONF_FILE says, `home` the user's folder; either may be empty.
inline std::vector<std::string> nccl_settings_paths(int version, const std::string& chosen,
                                                    const std::string& home) {
  constexpr int kWithChosen = 22300;
  std::vector<std::string> paths;
  if (version >= kWithChosen && !chosen.empty()) {
    paths.push_back(chosen);
  } else if (!home.empty()) {
    paths.push_back(home + "/.nccl.conf");
  }
  paths.emplace_back("/etc/nccl.conf");
  return paths;
}

// "name=value; name=value (file)" of each of these files that says something; "none".
inline std::string settings_in(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& name : paths) {
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

// Of all files that NCCL reads by itself in this process.
inline std::string nccl_settings_files(int version) {
  const char* const chosen = std::getenv("NCCL_CONF_FILE");
  const passwd* const user = getpwuid(getuid());
  return settings_in(
      nccl_settings_paths(version, chosen ? chosen : "", user && user->pw_dir ? user->pw_dir : ""));
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
