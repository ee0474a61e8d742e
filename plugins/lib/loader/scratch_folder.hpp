// SPDX-License-Identifier: Apache-2.0
//
// A folder of one's own for the files of a case. A process that is killed cannot remove it; the next one that
// makes one in the same place does.
#pragma once

#include "lib/descriptor.hpp"

#include <assay/errors.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace assay::plugins::loader {

class ScratchFolder {
 public:
  static constexpr std::string_view kPrefix = "assay-loader-";

  // Makes a folder in `parent`, for its user only, and removes those there that dead processes of the user have
  // left. Throws Skip where nothing can be made there.
  explicit ScratchFolder(const std::filesystem::path& parent)
      : path_(made_in(parent)), descriptor_(opened(path_)) {
    // Whoever holds the lock lives. One that looks for dead ones may have come between making and locking.
    struct stat seen {};
    if (!descriptor_.open() || ::flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0 ||
        ::fstat(descriptor_.get(), &seen) != 0 || seen.st_nlink == 0) {
      const int error = errno;
      std::error_code ignored;
      std::filesystem::remove_all(path_, ignored);
      throw Skip("the folder '" + path_.string() + "' cannot be kept: " + std::strerror(error) +
                 "; let the parameter folder name one on a local file system");
    }
    remove_dead(parent);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  static int opened(const std::filesystem::path& folder) {
    return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  }

  static std::filesystem::path made_in(const std::filesystem::path& parent) {
    std::string name = (parent / kPrefix).string() + std::string(6, 'X');  // mkdtemp fills them in
    if (::mkdtemp(name.data()) == nullptr) {
      throw Skip("no folder for files can be made in '" + parent.string() + "': " + std::strerror(errno) +
                 "; let the parameter folder name another one");
    }
    return name;
  }

  void remove_dead(const std::filesystem::path& parent) const {
    std::error_code error;
    for (std::filesystem::directory_iterator at(parent, error), end; !error && at != end;
         at.increment(error)) {
      const std::filesystem::path& folder = at->path();
      if (folder == path_ || folder.filename().string().rfind(kPrefix, 0) != 0) continue;
      const Descriptor other(opened(folder));
      struct stat seen {};
      if (!other.open() || ::fstat(other.get(), &seen) != 0 || seen.st_uid != ::geteuid()) continue;
      if (::flock(other.get(), LOCK_EX | LOCK_NB) != 0) continue;
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  }

  std::filesystem::path path_;
  Descriptor descriptor_;
};

}  // namespace assay::plugins::loader
