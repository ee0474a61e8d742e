// SPDX-License-Identifier: Apache-2.0
#include "engine/plugin_search.hpp"

#include "base/error.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

namespace assay::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestAllowList = std::size_t{1} << 20;

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Each word is a SHA-256, or a file whose lines begin with one: what sha256sum prints.
std::set<std::string> allowed_libraries(const std::vector<std::string>& words) {
  std::set<std::string> allowed;
  for (const std::string& word : words) {
    if (is_sha256(word)) {
      allowed.insert(lower_case(word));
      continue;
    }
    std::error_code error;
    if (!fs::exists(word, error)) {
      throw Error("usage.plugin-allow",
                  "--plugin-allow '" + printable(word) +
                      "' is neither a SHA-256 (64 hexadecimal digits) nor a file with a list of "
                      "them; 'sha256sum PLUGIN.so PLUGIN.assay.json > FILE' writes one");
    }
    std::istringstream lines(read_named_file(word, kLargestAllowList));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.empty() || line.starts_with('#')) continue;
      const std::string hash = line.substr(0, line.find_first_of(" \t\r"));
      if (!is_sha256(hash)) {
        throw Error("usage.plugin-allow",
                    printable(word) + ":" + std::to_string(number) +
                        ": the line does not begin with a SHA-256 (64 hexadecimal digits)");
      }
      allowed.insert(lower_case(hash));
    }
  }
  return allowed;
}

// A folder that was named is there, or it is misspelt. Those of variables need not be.
void check_folders(const std::string& option, const std::vector<std::string>& folders) {
  std::error_code error;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder, error))
      throw Error("usage.folder",
                  option + " '" + printable(folder) + "' is not a folder; name one that is there");
  }
}

// What variants choose by a file.
std::set<const catalog::Manifest*> plugins_of_variants(const suite::Suite& suite,
                                                       const catalog::Catalog& catalog) {
  std::set<const catalog::Manifest*> plugins;
  for (const suite::SuiteCase& one : suite.cases)
    for (const suite::SuiteAxis& axis : one.matrix.axes)
      for (const suite::AxisValue& value : axis.values)
        if (!value.plugin.value.empty()) plugins.insert(catalog.plugin(value.plugin.value));
  return plugins;
}

}  // namespace

void refuse_unused_plugins(const catalog::Catalog& catalog, const suite::Suite& suite) {
  const std::set<const catalog::Manifest*> chosen = plugins_of_variants(suite, catalog);
  for (const catalog::Manifest& second : catalog.shadowed()) {
    if (!second.is_named || chosen.contains(&second)) continue;
    const std::string one = printable(catalog.manifest(second.id)->path), other = printable(second.path);
    throw Error("usage.plugin-twice", "'" + one + "' and '" + other + "' are both the plugin '" + second.id +
                                          "', and only the first would be used: name one of them; 'assay run "
                                          "SUITE --pairs plugin:" +
                                          one + " plugin:" + other + "' compares them with each other");
  }
}

catalog::SearchPath search_path(const Surroundings& surroundings, const PluginOptions& options) {
  catalog::SearchPath path;
  for (const std::string& file : options.plugins) path.files.emplace_back(file);
  for (const std::string& folder : options.plugin_folders) path.folders.emplace_back(folder);
  for (fs::path& folder : folders_in(surroundings, "ASSAY_PLUGIN_PATH"))
    path.folders.push_back(std::move(folder));
  if (const fs::path home = data_home(surroundings); !home.empty())
    path.folders.push_back(home / "assay/plugins");
  for (const fs::path& folder :
       {prefix_of(surroundings) / "lib/assay/plugins", fs::path("/usr/local/lib/assay/plugins"),
        fs::path("/usr/lib/assay/plugins")}) {
    add_once(path.folders, folder);
  }
  if (!options.allowed.empty()) path.allowed = allowed_libraries(options.allowed);
  return path;
}

catalog::Catalog load_catalog(const Surroundings& surroundings, const PluginOptions& options,
                              SameIds same_ids) {
  check_folders("--plugin-dir", options.plugin_folders);
  check_folders("--library-path", options.library_path);
  Diagnostics diagnostics;
  catalog::Catalog catalog = catalog::discover(
      search_path(surroundings, options), prefix_of(surroundings) / "share/assay/contracts", diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    std::string text = printable(to_text(diagnostic));
    if (surroundings.said->insert(text).second) tell(surroundings, text);
  }
  if (diagnostics.has_errors()) {
    throw Error("plugin.named", "a plugin that was named cannot be used; the lines above say why");
  }
  if (same_ids == SameIds::refused) refuse_unused_plugins(catalog, {});
  return catalog;
}

std::vector<std::string> library_path(const Surroundings& surroundings, const PluginOptions& options) {
  std::vector<std::string> folders = options.library_path;
  for (const fs::path& folder : folders_in(surroundings, "LD_LIBRARY_PATH"))
    folders.push_back(folder.string());
  catalog::LibraryEnvironment environment;
  if (!surroundings.privileged) {
    environment.cuda_home = variable(surroundings, "CUDA_HOME");
    environment.home = variable(surroundings, "HOME");
    environment.virtual_env = variable(surroundings, "VIRTUAL_ENV");
  }
  for (std::string& folder : catalog::known_library_folders(environment))
    folders.push_back(std::move(folder));
  return folders;
}

}  // namespace assay::engine
