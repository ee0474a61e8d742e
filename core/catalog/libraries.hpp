// SPDX-License-Identifier: Apache-2.0
//
// Whether a plugin's libraries are on this machine, found out without opening any.
#pragma once

#include "catalog/manifest.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::catalog {

// What the environment says about places of libraries; the command fills it in.
struct LibraryEnvironment {
  std::string cuda_home;    // CUDA_HOME or CUDA_PATH; "" for /usr/local/cuda
  std::string home;         // HOME
  std::string virtual_env;  // VIRTUAL_ENV or CONDA_PREFIX
};

// Folders with libraries that the loader does not know by itself: the CUDA toolkit's and Python's
// nvidia/*/lib. Existing ones only, in a stable order. To be appended to the user's --library-path, for the
// search below and for workers alike.
[[nodiscard]] std::vector<std::string> known_library_folders(const LibraryEnvironment& environment,
                                                             const std::filesystem::path& root = "/");

// Libraries of `needs` that are neither in library_path (--library-path, LD_LIBRARY_PATH and
// known_library_folders, in this order), nor beside the plugin or in the archive that it came in, nor known to the system's loader.
[[nodiscard]] std::vector<NeededLibrary> absent_libraries(const Manifest& manifest,
                                                          const std::vector<std::string>& library_path,
                                                          const std::filesystem::path& root = "/");

// The same, one text each: "needs libX.so.1 (searched: /a, /b and the loader's cache; apt-get install x, or give its folder with
// --library-path)".
[[nodiscard]] std::vector<std::string> missing_libraries(const Manifest& manifest,
                                                         const std::vector<std::string>& library_path,
                                                         const std::filesystem::path& root = "/");

// The paths that a loader cache (/etc/ld.so.cache, the format of glibc 2.2 and later) has for a soname and
// this architecture. Empty for anything malformed.
[[nodiscard]] std::vector<std::string> cached_paths(std::string_view cache, std::string_view soname);

}  // namespace assay::catalog
