// SPDX-License-Identifier: Apache-2.0
//
// An empty folder of a test's own. Tests only.
#pragma once

#include "base/unique_name.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace assay {

// Makes it; the caller removes it. `name` tells whose it is if it is left behind.
[[nodiscard]] inline std::filesystem::path make_temporary_folder(const std::string& name) {
  std::string path = unique_name_template(std::filesystem::temp_directory_path() / ("assay-" + name + "-"));
  if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder '" + path + "' can be made");
  return path;
}

}  // namespace assay
