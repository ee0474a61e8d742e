// SPDX-License-Identifier: Apache-2.0
//
// What is read from the surroundings that the caller gave.
#pragma once

#include <assay/engine.hpp>

namespace assay::engine {

void tell(const Surroundings& surroundings, std::string_view text);

// bin/.. of the program: the installed tree or the build tree.
[[nodiscard]] std::filesystem::path prefix_of(const Surroundings& surroundings);
// The variable's value, or "" if it is unset.
[[nodiscard]] std::string variable(const Surroundings& surroundings, const std::string& name);
// The folders that a variable lists, and $XDG_DATA_HOME or its default, where relative values do not count
// (XDG base directory specification). Nothing if the caller is privileged.
[[nodiscard]] std::vector<std::filesystem::path> folders_in(const Surroundings& surroundings,
                                                            const std::string& name);
[[nodiscard]] std::filesystem::path data_home(const Surroundings& surroundings);

// The text of a file that the user named. Throws Error "usage.file" if it cannot be read or has more bytes.
[[nodiscard]] std::string read_named_file(const std::string& path, std::size_t limit);

}  // namespace assay::engine
