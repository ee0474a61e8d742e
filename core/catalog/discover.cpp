// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_stamp.hpp"
#include "base/hash.hpp"
#include "catalog/catalog.hpp"
#include "catalog/writable.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <set>

namespace assay::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestManifest = std::size_t{1} << 20;
constexpr std::size_t kLargestLibrary = std::size_t{256} << 20;
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

std::string close_it(const fs::path& place) { return "chmod o-w '" + printable(place.string()) + "'"; }

// What keeps a plugin whose manifest is good from being used at all.
bool may_be_used(Manifest& manifest, const SearchPath& path, Diagnostics& diagnostics) {
  for (const std::string& file : {manifest.path, manifest.library}) {
    if (const fs::path place = world_writable(file, false); !place.empty()) {
      diagnostics.error(
          "plugin.writable", {manifest.path},
          "'" + printable(place.string()) + "' may be written by everybody, so the plugin is not used",
          close_it(place) + ", or install the plugin in a folder of your own");
      return false;
    }
  }
  manifest.library_stamp = file_stamp(manifest.library);
  if (!path.allowed) return true;
  std::error_code missing;
  if (!fs::exists(manifest.library, missing)) return true;  // there is nothing that could be loaded
  try {
    manifest.library_sha256 = sha256_of_file(manifest.library);
  } catch (const Error& problem) {
    diagnostics.error(
        "plugin.not-allowed", {manifest.path},
        std::string(problem.what()) + ", so --plugin-allow cannot be checked and the plugin is not used");
    return false;
  }
  // The manifest says what the numbers mean: unit, direction, counting, peak.
  for (const auto& [file, hash] :
       {std::pair{manifest.library, manifest.library_sha256}, {manifest.path, manifest.sha256}}) {
    if (path.allowed->contains(hash)) continue;
    diagnostics.error("plugin.not-allowed", {manifest.path},
                      "--plugin-allow does not list '" + printable(file) + "', so the plugin is not used",
                      "its SHA-256 is " + hash +
                          "; allow the library and its manifest: sha256sum FOLDER/* prints such a list");
    return false;
  }
  return true;
}

// A shared object that says it is a plugin. Only asked where the manifest is missing.
bool looks_like_plugin(const fs::path& library) {
  try {
    return read_file(library, kLargestLibrary).find("assay_plugin_entry_v1") != std::string::npos;
  } catch (const Error&) {
    return false;
  }
}

std::optional<Manifest> read_manifest(const fs::path& file, const Catalog& catalog, const SearchPath& path,
                                      Diagnostics& diagnostics) {
  std::optional<Manifest> manifest;
  try {
    const std::string text = read_file(file, kLargestManifest);
    manifest = parse_manifest(file.string(), text, diagnostics);
    if (manifest) manifest->sha256 = sha256(text);
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
  if (diagnostics.error_count() != errors_before || !may_be_used(*manifest, path, diagnostics))
    return std::nullopt;
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

// The same manifest and the same library, whatever they are called.
bool is_same(const Manifest& one, const Manifest& other) {
  if (one.sha256 != other.sha256) return false;
  std::error_code missing;
  if (one.library == other.library || fs::equivalent(one.library, other.library, missing)) return true;
  try {
    return sha256_of_file(one.library) == sha256_of_file(other.library);
  } catch (const Error&) {
    return false;
  }
}

void read_named(const fs::path& named, const SearchPath& path, Catalog& catalog, Diagnostics& diagnostics) {
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
      diagnostics.error("plugin.no-manifest", {named.string()},
                        "no manifest is beside it, so it is not a plugin",
                        "'" + printable(file.filename().string()) +
                            "' was expected; the plugin's build makes it (assay_add_plugin)");
      return;
    }
  }
  auto manifest = read_manifest(file, catalog, path, diagnostics);
  if (!manifest) return;
  const Manifest* const first = catalog.manifest(manifest->id);
  manifest->is_named = first == nullptr || !is_same(*first, *manifest);
  catalog.add(std::move(*manifest));
}

// False if it is not to be trusted; the same folder may still be reached by another path.
bool read_folder(const fs::path& folder, const SearchPath& path, Catalog& catalog, Diagnostics& diagnostics) {
  if (const fs::path place = world_writable(folder, true); !place.empty()) {
    diagnostics.warning(
        "plugin.folder-writable", {folder.string()},
        "'" + printable(place.string()) + "' may be written by everybody, so plugins in it were not read",
        close_it(place));
    return false;
  }
  for (const fs::path& library : files_in(folder, ".so")) {
    fs::path expected = library;
    expected.replace_extension();
    expected += kSuffix;
    std::error_code ignored;
    if (!fs::exists(expected, ignored) && looks_like_plugin(library)) {
      diagnostics.warning("plugin.no-manifest", {library.string()},
                          "no manifest is beside this plugin, so it is not used",
                          "'" + printable(expected.filename().string()) +
                              "' was expected; the plugin's build makes it (assay_add_plugin)");
    }
  }
  for (const fs::path& file : files_in(folder, kSuffix)) {
    Diagnostics here;
    auto manifest = read_manifest(file, catalog, path, here);
    for (const Diagnostic& problem : here.sorted()) {
      diagnostics.warning(problem.code, problem.position, problem.text, problem.hint);
    }
    if (manifest) catalog.add(std::move(*manifest));
  }
  return true;
}

}  // namespace

Catalog discover(const SearchPath& path, const fs::path& contracts, Diagnostics& diagnostics) {
  Catalog catalog;
  read_contracts(contracts, catalog, diagnostics);
  for (const fs::path& file : path.files) read_named(file, path, catalog, diagnostics);
  std::set<fs::path> seen;
  for (const fs::path& folder : path.folders) {
    std::error_code missing;
    const fs::path canonical = fs::canonical(folder, missing);
    if (missing || seen.contains(canonical)) continue;
    if (read_folder(folder, path, catalog, diagnostics)) seen.insert(canonical);
  }
  return catalog;
}

}  // namespace assay::catalog
