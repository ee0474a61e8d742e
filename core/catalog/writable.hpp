// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace assay::catalog {

// Whoever can write to a plugin, to a folder in which it lies, or exchange one of these or a link on the way
// can run code as this user. The path is walked as it is given, name by name: each folder in which a name is
// looked up counts, those of links, too. The sticky bit keeps what is there from being exchanged, but lets
// everybody add to it: good for a folder on the way, not for the one in which a plugin lies. Gives the place
// that everybody may write to, or nothing.
[[nodiscard]] std::filesystem::path world_writable(const std::filesystem::path& path, bool is_folder);

}  // namespace assay::catalog
