// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace assay::run {

// Of all users of the machine, as /tmp is: everybody may add a lock, nobody may remove another's. Throws Error
// "device.lock-unavailable".
void make_lock_folder(const std::filesystem::path& folder);

// Throws Error "device.lock-unavailable", which says what to do about it.
[[noreturn]] void lock_unavailable(const std::filesystem::path& path, int code);

}  // namespace assay::run
