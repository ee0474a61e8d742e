// SPDX-License-Identifier: Apache-2.0
#include "engine/suite_search.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::engine {

namespace fs = std::filesystem;

std::vector<fs::path> suite_folders(const Surroundings& surroundings) {
  std::vector<fs::path> folders = folders_in(surroundings, "ASSAY_SUITE_PATH");
  if (const fs::path home = data_home(surroundings); !home.empty()) folders.push_back(home / "assay/suites");
  folders.push_back(prefix_of(surroundings) / "share/assay/suites");
  return folders;
}

std::vector<std::string> suite_names(const Surroundings& surroundings) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const fs::path& folder : suite_folders(surroundings)) {
    for (const auto& entry : fs::directory_iterator(folder, missing)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

fs::path find_suite(const Surroundings& surroundings, const std::string& name) {
  std::error_code error;
  const bool is_path = name.find('/') != std::string::npos;
  const bool has_ending = name.ends_with(".yaml");
  // What lies in the working folder hides no suite that is called by its name alone: it may be anybody's.
  if ((is_path || (has_ending && !fs::is_directory(name, error))) && fs::exists(name, error)) return name;
  const std::string stem = has_ending ? name.substr(0, name.size() - 5) : name;
  if (!is_path) {
    for (const fs::path& folder : suite_folders(surroundings)) {
      if (fs::exists(folder / (stem + ".yaml"), error)) return folder / (stem + ".yaml");
    }
  }
  if (fs::exists(name, error)) return name;
  // Of a path that is mistyped: what lies in its folder; of a file's name: what lies here.
  std::vector<std::string> files;
  const fs::path folder = fs::path(name).parent_path();
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (entry.path().extension() == ".yaml") files.push_back((folder / entry.path().filename()).string());
  }
  std::sort(files.begin(), files.end());
  const bool is_file = is_path || stem != name;
  std::vector<std::string> names;
  if (!is_path) names = suite_names(surroundings);
  for (std::string& known : names) known += is_file ? ".yaml" : "";
  files.insert(files.begin(), names.begin(), names.end());
  const std::string near = nearest(name, files);
  if (near.empty() && !is_path) {
    throw Error("usage.suite",
                "there is neither a file nor a suite '" + printable(name) +
                    "' (suites that come with assay: " + join(suite_names(surroundings), ", ") + ")");
  }
  const std::string hint = near.empty() ? "" : "did you mean '" + near + "'?";
  throw Error("usage.suite", std::string("there is no ") + (is_file ? "file '" : "suite '") +
                                 printable(name) + "'" + (hint.empty() ? "" : " (" + printable(hint) + ")"));
}

}  // namespace assay::engine
