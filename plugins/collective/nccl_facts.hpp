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

// All files that NCCL reads by itself in this process.
inline std::vector<std::string> nccl_settings_paths(int version) {
  const char* const chosen = std::getenv("NCCL_CONF_FILE");
  const passwd* const user = getpwuid(getuid());
  return nccl_settings_paths(version, chosen ? chosen : "", user && user->pw_dir ? user->pw_dir : "");
}
inline std::string nccl_settings_files(int version) { return settings_in(nccl_settings_paths(version)); }

// The value of a variable of NCCL's: of the environment, else of the first of the files that sets it; "" if
// nobody does.
inline std::string nccl_setting(const std::string& name, const char* of_environment,
                                const std::vector<std::string>& paths) {
  if (of_environment != nullptr) return of_environment;
  for (const std::string& path : paths) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (line.rfind(name + "=", 0) == 0) return line.substr(name.size() + 1);
  }
  return {};
}

// The same of this process.
inline std::string nccl_setting(const std::string& name, int version) {
  return nccl_setting(name, std::getenv(name.c_str()), nccl_settings_paths(version));
}

// Whether a list such as "Ring,Tree", "^NVLS" or "allreduce:NVLS;broadcast:Ring" leaves NVLS to an operation.
// Lists for single operations are not taken apart: who names it anywhere may mean this one.
inline bool allows_nvls(const std::string& algorithms) {
  if (algorithms.empty()) return true;
  std::string lower;
  for (const char c : algorithms) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  const bool named = lower.find("nvls") != std::string::npos;
  if (lower.find(':') != std::string::npos) return true;
  return lower.front() == '^' ? !named : named;
}

// Whether NCCL may use NVLS, the reduction in NVLink's switches, and why. NCCL itself chooses the algorithm and
// writes its choice only to its log. `enable` is NCCL_NVLS_ENABLE and `algorithms` is NCCL_ALGO; each is "" if it
// is not set. `multicast` says whether all GPUs can multicast.
inline std::string nvls_state(const std::string& enable, const std::string& algorithms, std::size_t gpus,
                              bool multicast) {
  if (gpus < 2) return "off: one GPU";
  char* end = nullptr;
  const long value = std::strtol(enable.c_str(), &end, 0);
  const bool set = !enable.empty() && end != nullptr && *end == '\0';
  if (set && value == 0) return "off: NCCL_NVLS_ENABLE=" + enable;
  if (!allows_nvls(algorithms)) return "off: NCCL_ALGO=" + algorithms;
  if (set && value == 1) return "on, where NCCL can: NCCL_NVLS_ENABLE=1";
  return multicast ? "on, where NCCL chooses it: the GPUs can multicast" : "off: the GPUs cannot multicast";
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
