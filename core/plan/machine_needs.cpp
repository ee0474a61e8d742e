// SPDX-License-Identifier: Apache-2.0
#include "plan/machine_needs.hpp"

#include "plan/required_libraries.hpp"
#include "plan/requirements.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <utility>

namespace assay::plan {

std::vector<std::string> MachineNeeds::missing_libraries_of(const catalog::Manifest& manifest) {
  // A second file of a plugin, which a variant names, has needs of its own.
  const bool is_shadowed = catalog_.manifest(manifest.id) != &manifest;
  const std::string key = is_shadowed ? manifest.id + " " + manifest.path : manifest.id;
  const auto [known, is_new] = looked_up_.try_emplace(key);
  if (is_new) {
    if (!options_.missing_libraries) {
      known->second = catalog::missing_libraries(manifest, options_.library_path);
    } else if (const auto recorded = options_.missing_libraries->find(key);
               recorded != options_.missing_libraries->end()) {
      known->second = recorded->second;
    }
    if (!known->second.empty()) missing_libraries_[key] = known->second;
  }
  return known->second;
}

std::vector<std::string> MachineNeeds::lacking(const suite::Requires& requirement,
                                               const std::vector<std::string>& otherwise) {
  std::vector<std::string> texts;
  if (requirement.names_something()) texts = unmet(requirement, otherwise, *inventory_);
  for (const auto& library : requirement.libraries) {
    std::string text = lacking_library(
        library, catalog_,
        [this](const catalog::Manifest& manifest) { return missing_libraries_of(manifest); }, diagnostics_);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

// By what it requires itself, and by what the files that it comes from require.
std::vector<std::string> MachineNeeds::lacking_of_case(const suite::SuiteCase& one,
                                                       const std::string& backend) {
  std::vector<std::string> texts = lacking(one.requires_, {backend});
  for (const suite::Requires& outer : one.of_includes)
    for (std::string& text : lacking(outer, {backend})) add_once(texts, std::move(text));
  return texts;
}

std::optional<Predetermined> MachineNeeds::reason_against(const suite::SuiteCase& one,
                                                          const std::string& backend,
                                                          const std::string& hint) {
  using result::Outcome;
  if (inventory_ == nullptr) return std::nullopt;
  if (const auto absent = lacking(one.when, {backend}); !absent.empty())
    return Predetermined{Outcome::skipped, "when.unmet", join(absent, "; ")};
  if (!is_available(*inventory_, backend))
    return Predetermined{Outcome::not_run, "requires.unmet", why_unavailable(*inventory_, backend) + hint};
  if (const auto missing = lacking_of_case(one, backend); !missing.empty())
    return Predetermined{Outcome::not_run, "requires.unmet", join(missing, "; ")};
  return std::nullopt;
}

std::optional<Predetermined> MachineNeeds::without_libraries(const catalog::Manifest& manifest) {
  if (inventory_ == nullptr) return std::nullopt;
  const std::vector<std::string> missing = missing_libraries_of(manifest);
  if (missing.empty()) return std::nullopt;
  return Predetermined{result::Outcome::skipped, "needs.library", join(missing, "; ")};
}

}  // namespace assay::plan
