// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

// SHA-256 in lower-case hexadecimal.
[[nodiscard]] std::string sha256(std::string_view data);
// Of a file of any size. Throws Error "file.unreadable".
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace assay
