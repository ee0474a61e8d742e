// SPDX-License-Identifier: Apache-2.0
#include "run/lock_folder.hpp"

#include "base/error.hpp"

#include <system_error>

namespace assay::run {

void lock_unavailable(const std::filesystem::path& path, int code) {
  throw Error("device.lock-unavailable",
              "the lock '" + path.string() + "' cannot be taken: " + std::generic_category().message(code) +
                  "; make its folder writable for everybody who runs on this machine");
}

void make_lock_folder(const std::filesystem::path& folder) {
  std::error_code problem;
  const bool made = std::filesystem::create_directories(folder, problem);
  if (problem) lock_unavailable(folder, problem.value());
  if (!made) return;
  std::filesystem::permissions(folder, std::filesystem::perms::all | std::filesystem::perms::sticky_bit,
                               problem);
}

}  // namespace assay::run
