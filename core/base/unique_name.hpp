// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace assay {

// The template for mkstemp() and mkdtemp(): a name that ends in six characters for them to replace.
[[nodiscard]] inline std::string unique_name_template(const std::filesystem::path& prefix) {
  return prefix.string() + std::string(6, 'X');
}

}  // namespace assay
