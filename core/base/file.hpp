// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

// The whole file. Throws Error "file.unreadable" (missing, a folder, over `limit` bytes).
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t limit = std::size_t{1} << 30);

// Writes beside the target, syncs, renames: readers see the old file or the whole new one. Throws
// "file.unwritable".
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace assay
