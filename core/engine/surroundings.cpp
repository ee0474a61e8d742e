// SPDX-License-Identifier: Apache-2.0
#include "engine/surroundings.hpp"

#include "base/error.hpp"
#include "base/file.hpp"

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
  const std::string list = variable(surroundings, name);
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = list.find(':', begin);
    if (end == std::string::npos) end = list.size();
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
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
