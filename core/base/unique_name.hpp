// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace assay {

// The template that mkstemp() and mkdtemp() want: a name that ends in six places which they fill.
[[nodiscard]] inline std::string unique_name_template(const std::filesystem::path& prefix) {
  return prefix.string() + std::string(6, 'X');
}

}  // namespace assay
