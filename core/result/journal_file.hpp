// SPDX-License-Identifier: Apache-2.0
//
// The journal as a file: whose it is, and what it holds, before anything is written to it.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace assay::result {

// Opens a plain file of the caller: what a link leads to, what belongs to somebody else and what is not a file
// at all is not written to. Throws Error "journal.malformed" for those, "journal.unwritable" if it cannot be
// opened. Gives the descriptor, which is the caller's.
[[nodiscard]] int open_own_journal(const std::filesystem::path& path, int flags);

// True for a whole header whose sum is right; false if the file is empty or was cut off before its header was
// whole: nothing was measured. Throws Error "journal.malformed" for everything else, which stays as it is.
[[nodiscard]] bool begins_with_header(int descriptor, const std::filesystem::path& path);

// Where the whole lines end: behind the last newline, and before the last line if its sum is wrong.
[[nodiscard]] off_t end_of_whole_lines(int descriptor, const std::filesystem::path& path);

}  // namespace assay::result
