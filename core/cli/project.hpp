// SPDX-License-Identifier: Apache-2.0
//
// A vendor's project, made from the templates that come with the SDK.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::cli {

struct Project {
  std::string name;         // of folder, plugin and what it provides
  std::string kind;         // a folder of the templates: benchmark, reporter, backend
  std::string language;     // a folder of the kind's templates: c, c++, cuda
  std::string sdk_version;  // that the project asks for at least
};

// Copies templates/common, templates/<kind>/common and templates/<kind>/<language> to folder/<name>: '@name@',
// '@Name@', '@NAME@' and '@sdk_version@' in paths and texts are replaced, an ending '.in' is dropped. Gives the
// files, relative to folder/<name>. Throws Error "usage.name", "usage.kind", "usage.language", "usage.folder"
// (there is one already that is not empty) or "templates.missing", and has then written nothing.
std::vector<std::filesystem::path> make_project(const std::filesystem::path& templates,
                                                const Project& project, const std::filesystem::path& folder);

}  // namespace assay::cli
