// SPDX-License-Identifier: Apache-2.0
#include "engine/surroundings.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "text/text.hpp"

namespace assay::engine {

namespace fs = std::filesystem;

void tell(const Surroundings& surroundings, std::string_view text) {
  if (surroundings.tell && !text.empty()) surroundings.tell(text);
}

fs::path prefix_of(const Surroundings& surroundings) {
  return surroundings.program.parent_path().parent_path();
}

std::string variable(const Surroundings& surroundings, const std::string& name) {
  const auto found = surroundings.environment.find(name);
  return found == surroundings.environment.end() ? std::string() : found->second;
}

std::vector<fs::path> folders_in(const Surroundings& surroundings, const std::string& name) {
  std::vector<fs::path> folders;
  if (surroundings.privileged) return folders;
  for (const std::string& folder : split(variable(surroundings, name), ':'))
    if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

fs::path data_home(const Surroundings& surroundings) {
  if (surroundings.privileged) return {};
  fs::path named = variable(surroundings, "XDG_DATA_HOME");
  if (named.is_absolute()) return named;
  const fs::path home = variable(surroundings, "HOME");
  return home.is_absolute() ? home / ".local/share" : fs::path();
}

std::string read_named_file(const std::string& path, std::size_t limit) {
  try {
    return read_file(path, limit);
  } catch (const Error& error) {
    throw Error("usage.file", error.what());
  }
}

}  // namespace assay::engine
