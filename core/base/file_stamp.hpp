// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace assay {

// A text that changes when the file is written, replaced or removed, for the cost of one stat(): device, inode, size
// and time of the last change. "none" if the file does not exist.
[[nodiscard]] std::string file_stamp(const std::filesystem::path& path);

}  // namespace assay
