// SPDX-License-Identifier: Apache-2.0
#include "plan/backend_choice.hpp"

#include "base/suggest.hpp"
#include "plan/requirements.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::plan {

const std::vector<suite::Located<std::string>>& BackendChoice::listed(const suite::SuiteCase& one) const {
  return !one.backends.empty()             ? one.backends
         : !one.requires_.backends.empty() ? one.requires_.backends
                                           : suite_.requires_.backends;
}

std::vector<std::string> BackendChoice::preferred(const suite::SuiteCase& one,
                                                  const catalog::Reference& reference) const {
  std::vector<std::string> names;
  for (const auto& backend : listed(one)) names.push_back(backend.value);
  if (inventory_ == nullptr || names.size() < 2) return names;
  const auto usable = [&](const std::string& backend) {
    const auto provides = [&](const catalog::Manifest& manifest) {
      return manifest.backend == backend && manifest.benchmark(reference.benchmark) != nullptr;
    };
    return is_available(*inventory_, backend) &&
           std::any_of(catalog_.manifests().begin(), catalog_.manifests().end(), provides);
  };
  std::stable_partition(names.begin(), names.end(), usable);
  return names;
}

std::string BackendChoice::absent(const catalog::Reference& reference,
                                  const std::vector<std::string>& backends) const {
  const std::vector<std::string> wanted =
      reference.backend.empty() ? backends : std::vector<std::string>{reference.backend};
  const std::vector<std::string> known = catalog_.backend_names();
  const bool all_are_absent = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
    return !std::binary_search(known.begin(), known.end(), name) && nearest(name, known).empty();
  });
  return !wanted.empty() && all_are_absent ? wanted.front() : std::string();
}

bool BackendChoice::report_misspelt(const suite::SuiteCase& one, const catalog::Reference& reference,
                                    Diagnostics& diagnostics) {
  if (!reference.backend.empty()) return false;
  const std::vector<std::string> known = catalog_.backend_names();
  const auto is_known = [&](const auto& backend) {
    return std::binary_search(known.begin(), known.end(), backend.value);
  };
  const auto& names = listed(one);
  if (names.empty() || std::any_of(names.begin(), names.end(), is_known)) return false;
  for (const auto& backend : names) {
    if (nearest(backend.value, known).empty() || !reported_.insert(&backend).second) continue;
    diagnostics.error("suite.unknown-backend", backend.position,
                      "unknown backend '" + printable(backend.value) + "'", suggestion(backend.value, known));
  }
  return true;
}

std::string BackendChoice::host_hint(const catalog::Reference& reference,
                                     const std::vector<std::string>& backends) const {
  const auto provides = [&](const catalog::Manifest& manifest) {
    return manifest.backend == catalog::kHostBackend && manifest.benchmark(reference.benchmark) != nullptr;
  };
  if (!reference.backend.empty() || !backends.empty() ||
      std::none_of(catalog_.manifests().begin(), catalog_.manifests().end(), provides)) {
    return {};
  }
  return "; on the host it is 'uses: " + reference.benchmark + "@" + catalog::kHostBackend + "'";
}

}  // namespace assay::plan
