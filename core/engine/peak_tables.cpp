// SPDX-License-Identifier: Apache-2.0
#include "engine/peak_tables.hpp"

#include "engine/suite_search.hpp"
#include "system/doubled_peaks.hpp"
#include "system/peaks.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <filesystem>

namespace assay::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{4} << 20;

// Whose numbers these are is said wherever a share of them is printed.
void add_foreign(Json entries, const std::string& from, Json& tables) {
  for (Json& entry : entries) {
    entry["source"] = entry.value("source", "") + " (" + printable(from) + ")";
    tables.push_back(std::move(entry));
  }
}

}  // namespace

Json load_peaks(const Surroundings& surroundings, const catalog::Catalog& catalog,
                const std::vector<std::string>& files, Diagnostics& diagnostics) {
  Json tables = Json::array();
  for (const std::string& file : files) {
    add_foreign(system::parse_peaks(file, read_named_file(file, kLargestFile), diagnostics), file, tables);
  }
  const fs::path shipped = prefix_of(surroundings) / "share/assay/suites/devices";
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& folder) {
    if (folder != shipped) add_once(folders, folder);
  };
  for (const fs::path& folder : suite_folders(surroundings)) add(folder / "devices");
  for (const catalog::Manifest& manifest : catalog.manifests())
    add(fs::path(manifest.path).parent_path() / "devices");
  for (const fs::path& folder : folders)
    add_foreign(system::read_peaks(folder, diagnostics), folder.string(), tables);
  Json cited = system::read_peaks(shipped, diagnostics);
  system::refuse_doubled_peaks(tables, cited, diagnostics);
  for (Json& entry : cited) tables.push_back(std::move(entry));
  return tables;
}

}  // namespace assay::engine
