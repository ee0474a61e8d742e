// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/descriptor.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

// Opens a regular file and refuses anything else: opening a pipe would block, and a device has no end. `flags` are
// those of open(2); O_CLOEXEC is added. Throws Error "file.unreadable".
[[nodiscard]] Descriptor open_regular(const std::filesystem::path& path, int flags);

// The largest file that is read as a whole, unless its reader states less.
inline constexpr std::size_t kLargestFile = std::size_t{1} << 30;

// The whole file. Throws Error "file.unreadable" (missing, not a regular file, over `limit` bytes).
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t limit = kLargestFile);

// Writes beside the target, syncs, renames: readers see the old file or the whole new one. Throws
// "file.unwritable".
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace assay
