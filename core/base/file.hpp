// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/descriptor.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

// Opens a regular file, and nothing else: a pipe would be waited for, a device has no end. `flags` as open(2)
// takes them, O_CLOEXEC is added. Throws Error "file.unreadable".
[[nodiscard]] Descriptor open_regular(const std::filesystem::path& path, int flags);

// Of a file that is read whole, unless its reader says less.
inline constexpr std::size_t kLargestFile = std::size_t{1} << 30;

// The whole file. Throws Error "file.unreadable" (missing, not a regular file, over `limit` bytes).
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t limit = kLargestFile);

// Writes beside the target, syncs, renames: readers see the old file or the whole new one. Throws
// "file.unwritable".
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace assay
