// SPDX-License-Identifier: Apache-2.0
#include "base/file_stamp.hpp"

#include <sys/stat.h>

namespace assay {

std::string file_stamp(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "none";
  std::string stamp;
  for (const long long part :
       {static_cast<long long>(status.st_dev), static_cast<long long>(status.st_ino),
        static_cast<long long>(status.st_size), static_cast<long long>(status.st_mtim.tv_sec),
        static_cast<long long>(status.st_mtim.tv_nsec)})
    stamp += (stamp.empty() ? "" : "/") + std::to_string(part);
  return stamp;
}

}  // namespace assay
