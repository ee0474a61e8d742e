// SPDX-License-Identifier: Apache-2.0
#include "catalog/libraries.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace assay::catalog {
namespace {

namespace fs = std::filesystem;

// The layout of glibc's dl-cache.h, "struct cache_file_new" and "struct file_entry_new".
constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kHeaderSize = 48;
constexpr std::size_t kEntrySize = 24;
constexpr std::uint32_t kArchitectureMask = 0xFF00;
#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = 0x0300;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = 0x0A00;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

std::uint32_t word_at(std::string_view data, std::size_t offset) {
  std::uint32_t value = 0;
  if (offset + sizeof value <= data.size()) std::memcpy(&value, data.data() + offset, sizeof value);
  return value;
}

std::string_view text_at(std::string_view data, std::size_t offset) {
  if (offset >= data.size()) return {};
  const std::size_t end = data.find('\0', offset);
  return end == std::string_view::npos ? std::string_view() : data.substr(offset, end - offset);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<fs::path> subfolders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_directory(ignored)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void add_folder(std::vector<std::string>& list, const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored) &&
      std::find(list.begin(), list.end(), folder.string()) == list.end()) {
    list.push_back(folder.string());
  }
}

// lib/python3.*/{site,dist}-packages/nvidia/*/lib below a prefix: what `pip install nvidia-cublas` makes.
void add_python_folders(std::vector<std::string>& list, const fs::path& prefix) {
  for (const fs::path& python : subfolders(prefix / "lib")) {
    if (!python.filename().string().starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const fs::path& package : subfolders(python / packages / "nvidia"))
        add_folder(list, package / "lib");
    }
  }
}

const std::vector<std::string>& system_folders() {
  static const std::vector<std::string> folders = {
#if defined(__x86_64__)
    "lib/x86_64-linux-gnu",
    "usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "lib/aarch64-linux-gnu",
    "usr/lib/aarch64-linux-gnu",
#endif
    "lib64",
    "usr/lib64",
    "lib",
    "usr/lib"
  };
  return folders;
}

}  // namespace

std::vector<std::string> cached_paths(std::string_view cache, std::string_view soname) {
  // An older format may come before it; offsets count from the newer header.
  const std::size_t begin = cache.find(kMagic);
  if (begin == std::string_view::npos) return {};
  const std::string_view data = cache.substr(begin);
  const std::size_t count = word_at(data, kMagic.size());
  if (data.size() < kHeaderSize || count > (data.size() - kHeaderSize) / kEntrySize) return {};
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = kHeaderSize + i * kEntrySize;
    if ((word_at(data, entry) & kArchitectureMask) != kArchitecture) continue;
    if (text_at(data, word_at(data, entry + 4)) != soname) continue;
    paths.emplace_back(text_at(data, word_at(data, entry + 8)));
  }
  return paths;
}

std::vector<std::string> known_library_folders(const LibraryEnvironment& environment, const fs::path& root) {
  std::vector<std::string> folders;
  const fs::path toolkit =
      environment.cuda_home.empty() ? root / "usr/local/cuda" : fs::path(environment.cuda_home);
  add_folder(folders, toolkit / "lib64");
#if defined(__x86_64__)
  add_folder(folders, toolkit / "targets/x86_64-linux/lib");
#elif defined(__aarch64__)
  add_folder(folders, toolkit / "targets/sbsa-linux/lib");
#endif
  if (!environment.virtual_env.empty()) add_python_folders(folders, environment.virtual_env);
  if (!environment.home.empty()) add_python_folders(folders, fs::path(environment.home) / ".local");
  add_python_folders(folders, root / "usr/local");
  add_python_folders(folders, root / "usr");
  return folders;
}

std::vector<NeededLibrary> absent_libraries(const Manifest& manifest,
                                            const std::vector<std::string>& library_path,
                                            const fs::path& root) {
  if (manifest.needs.empty()) return {};
  std::string cache;
  try {
    cache = read_file(root / "etc/ld.so.cache", std::size_t{64} << 20);
  } catch (const Error&) {
    // Musl and some images have none; the folders are searched all the same.
  }
  const fs::path own = fs::path(manifest.library).parent_path();
  std::vector<NeededLibrary> absent;
  for (const NeededLibrary& library : manifest.needs) {
    const auto in_folder = [&](const fs::path& folder) { return is_there(folder / library.soname); };
    const auto cached = cached_paths(cache, library.soname);
    const bool found = std::any_of(library_path.begin(), library_path.end(), in_folder) ||
                       // An archive has what a bare machine lacks beside its plugins' folder.
                       (!own.empty() && (in_folder(own) || in_folder(own.parent_path() / "bundled"))) ||
                       std::any_of(cached.begin(), cached.end(),
                                   [&](const std::string& path) {
                                     return is_there(root / fs::path(path).relative_path());
                                   }) ||
                       std::any_of(system_folders().begin(), system_folders().end(),
                                   [&](const auto& f) { return in_folder(root / f); });
    if (!found) absent.push_back(library);
  }
  return absent;
}

std::vector<std::string> missing_libraries(const Manifest& manifest,
                                           const std::vector<std::string>& library_path,
                                           const fs::path& root) {
  const fs::path own = fs::path(manifest.library).parent_path();
  std::vector<std::string> missing;
  for (const NeededLibrary& library : absent_libraries(manifest, library_path, root)) {
    std::string text = "needs " + library.soname + " (searched: ";
    for (const std::string& folder : library_path) text += printable(folder) + ", ";
    if (!own.empty()) text += own.string() + ", ";
    text += "the loader's cache and folders; ";
    if (!library.hint.empty()) text += library.hint + ", or ";
    text += "give its folder with --library-path)";
    missing.push_back(std::move(text));
  }
  return missing;
}

}  // namespace assay::catalog
