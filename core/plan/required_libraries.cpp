// SPDX-License-Identifier: Apache-2.0
#include "plan/required_libraries.hpp"

#include "base/suggest.hpp"
#include "text/text.hpp"

#include <set>
#include <utility>

namespace assay::plan {
namespace {

// "nccl" for libnccl.so.2.
std::string name_of(const std::string& soname) {
  const std::size_t begin = soname.starts_with("lib") ? 3 : 0;
  return soname.substr(begin, soname.find(".so") - begin);
}

}  // namespace

std::string lacking_library(const suite::Located<std::string>& library, const catalog::Catalog& catalog,
                            const MissingLibraries& missing_of, Diagnostics& diagnostics) {
  std::set<std::string> known;
  for (const catalog::Manifest& manifest : catalog.manifests()) {
    for (const catalog::NeededLibrary& needed : manifest.needs) {
      known.insert(name_of(needed.soname));
      if (name_of(needed.soname) != library.value) continue;
      for (std::string& text : missing_of(manifest))
        if (text.starts_with("needs " + needed.soname + " ")) return manifest.id + " " + text;
    }
  }
  if (known.contains(library.value)) return {};
  const std::vector<std::string> names(known.begin(), known.end());
  std::string hint = suggestion(library.value, names);
  if (hint.empty() && !names.empty()) hint = "plugins need " + join(names, ", ");
  diagnostics.error("suite.reference", library.position,
                    "no plugin here needs a library '" + printable(library.value) + "'", std::move(hint));
  return {};
}

}  // namespace assay::plan
