// SPDX-License-Identifier: Apache-2.0
#include "catalog/writable.hpp"

#include <sys/stat.h>

#include <system_error>
#include <vector>

namespace assay::catalog {
namespace {

namespace fs = std::filesystem;

constexpr int kLinksFollowed = 40;  // the kernel's own limit

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode : mode_t{0};
}

bool is_writable(const fs::path& path) { return (mode_of(path) & S_IWOTH) != 0; }

bool lets_exchange(const fs::path& folder) {
  const mode_t mode = mode_of(folder);
  return (mode & S_IWOTH) != 0 && (mode & S_ISVTX) == 0;
}

// The names of a path, to be taken from the end.
void add_names(const fs::path& path, std::vector<fs::path>& names) {
  const std::vector<fs::path> more(path.begin(), path.end());
  names.insert(names.end(), more.rbegin(), more.rend());
}

}  // namespace

fs::path world_writable(const fs::path& path, bool is_folder) {
  std::error_code error;
  std::vector<fs::path> names;
  add_names(fs::absolute(path, error), names);
  fs::path at = "/";
  for (int links = 0; !names.empty();) {
    const fs::path name = std::move(names.back());
    names.pop_back();
    if (name.empty() || name == ".") continue;
    if (name.is_absolute()) {
      at = "/";
      continue;
    }
    if (lets_exchange(at)) return at;
    if (name == "..") {
      at = at.parent_path();  // links are resolved, so it is the folder above
      continue;
    }
    const fs::path next = at / name;
    const fs::file_status status = fs::symlink_status(next, error);
    if (!fs::exists(status)) return {};
    if (!fs::is_symlink(status)) {
      at = next;
      continue;
    }
    const fs::path target = fs::read_symlink(next, error);
    if (error || ++links > kLinksFollowed) return {};
    add_names(target, names);
  }
  if (is_writable(at)) return at;
  return !is_folder && is_writable(at.parent_path()) ? at.parent_path() : fs::path();
}

}  // namespace assay::catalog
