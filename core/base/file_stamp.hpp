// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace assay {

// What changes when a file is written, replaced or removed, at the cost of one stat(): device, inode, size
// and time of the last change. "none" if there is no such file.
[[nodiscard]] std::string file_stamp(const std::filesystem::path& path);

}  // namespace assay
