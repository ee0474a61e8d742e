// SPDX-License-Identifier: Apache-2.0
//
// NCCL reads settings from files (NCCL_CONF_FILE, ~/.nccl.conf, /etc/nccl.conf) into the environment of the process, once,
// and looks there whenever it needs one. A visit leaves the environment as it found it, so what NCCL put there is taken
// out at its end and put back at the next one's beginning. Pure: needs neither NCCL nor CUDA.
#pragma once

#include <assay/case.hpp>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

extern char** environ;  // POSIX

namespace assay::nccl {

class FileSettings {
 public:
  // Made before NCCL is called for the first time in a visit, and destroyed when it is not called any more. Not beside
  // threads that change the environment.
  explicit FileSettings(const Case& run)
      : FileSettings(
            run.keep<Variables>("assay.nccl.settings", [] { return std::make_unique<Variables>(); })) {}
  FileSettings(const FileSettings&) = delete;  // a scope's guard
  FileSettings& operator=(const FileSettings&) = delete;
  ~FileSettings() {
    for (const auto& [name, value] : variables()) {
      if (before_.count(name) != 0) continue;
      found_[name] = value;
      unsetenv(name.c_str());
    }
  }

  using Variables = std::map<std::string, std::string>;
  // `found` is what earlier ones of the process found, and outlives it.
  explicit FileSettings(Variables& found) : found_(found), before_(variables()) {
    for (const auto& [name, value] : found_) setenv(name.c_str(), value.c_str(), 0);
  }

 private:
  // NCCL's.
  static Variables variables() {
    Variables all;
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
      const std::string variable = *each;
      const std::size_t end = variable.find('=');
      if (end == std::string::npos || variable.compare(0, 5, "NCCL_") != 0) continue;
      all.emplace(variable.substr(0, end), variable.substr(end + 1));
    }
    return all;
  }

  Variables& found_;
  const Variables before_;
};

}  // namespace assay::nccl
