// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "catalog/catalog.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>

namespace assay::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestManifest = std::size_t{16} << 20;
constexpr std::string_view kSuffix = ".assay.json";

// Sorted bytewise: the order of a directory is random.
std::vector<fs::path> files_in(const fs::path& folder, std::string_view suffix) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().ends_with(suffix)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return files;
}

// Whoever can write there can run code as this user.
bool everybody_may_write(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0;
}

std::optional<Manifest> read_manifest(const fs::path& file, const Catalog& catalog,
                                      Diagnostics& diagnostics) {
  std::optional<Manifest> manifest;
  try {
    manifest = parse_manifest(file.string(), read_file(file, kLargestManifest), diagnostics);
  } catch (const Error& problem) {
    diagnostics.error("manifest.unreadable", {file.string()}, problem.what());
  }
  if (!manifest) return std::nullopt;
  const std::size_t errors_before = diagnostics.error_count();
  for (const Benchmark& benchmark : manifest->benchmarks) {
    if (benchmark.implements.empty()) continue;
    if (const Contract* contract = catalog.contract(benchmark.implements)) {
      check_contract(manifest->path, benchmark, *contract, diagnostics);
    } else {
      diagnostics.warning("manifest.contract", {manifest->path},
                          "'" + benchmark.name + "' implements " + benchmark.implements +
                              ", which this program does not know");
    }
  }
  if (diagnostics.error_count() != errors_before) return std::nullopt;
  return manifest;
}

void read_contracts(const fs::path& folder, Catalog& catalog, Diagnostics& diagnostics) {
  if (folder.empty()) return;
  for (const fs::path& file : files_in(folder, ".json")) {
    try {
      if (auto contract = parse_contract(file.string(), read_file(file, kLargestManifest), diagnostics)) {
        catalog.add(std::move(*contract));
      }
    } catch (const Error& problem) {
      diagnostics.error("contract.unreadable", {file.string()}, problem.what());
    }
  }
}

void read_named(const fs::path& named, Catalog& catalog, Diagnostics& diagnostics) {
  fs::path file = named;
  if (!named.filename().string().ends_with(kSuffix)) {
    file.replace_extension();
    file += kSuffix;
    std::error_code ignored;
    if (!fs::exists(named, ignored)) {
      diagnostics.error("plugin.missing", {named.string()}, "there is no such file",
                        "--plugin takes a manifest or a shared object");
      return;
    }
    if (!fs::exists(file, ignored)) {
      diagnostics.error(
          "plugin.no-manifest", {named.string()}, "no manifest is beside it, so it is no plugin",
          "'" + printable(file.filename().string()) + "' was expected; `assay plugin info` writes one");
      return;
    }
  }
  if (auto manifest = read_manifest(file, catalog, diagnostics)) catalog.add(std::move(*manifest));
}

void read_folder(const fs::path& folder, Catalog& catalog, Diagnostics& diagnostics) {
  if (everybody_may_write(folder)) {
    diagnostics.warning("plugin.folder-writable", {folder.string()},
                        "the plugin folder may be written by everybody, so it was not read",
                        "chmod o-w '" + printable(folder.string()) + "'");
    return;
  }
  for (const fs::path& file : files_in(folder, kSuffix)) {
    Diagnostics here;
    auto manifest = read_manifest(file, catalog, here);
    for (const Diagnostic& problem : here.sorted()) {
      diagnostics.warning(problem.code, problem.position, problem.text, problem.hint);
    }
    if (manifest) catalog.add(std::move(*manifest));
  }
}

}  // namespace

Catalog discover(const SearchPath& path, const fs::path& contracts, Diagnostics& diagnostics) {
  Catalog catalog;
  read_contracts(contracts, catalog, diagnostics);
  for (const fs::path& file : path.files) read_named(file, catalog, diagnostics);
  std::set<fs::path> seen;
  for (const fs::path& folder : path.folders) {
    std::error_code missing;
    const fs::path canonical = fs::canonical(folder, missing);
    if (!missing && seen.insert(canonical).second) read_folder(folder, catalog, diagnostics);
  }
  return catalog;
}

}  // namespace assay::catalog
