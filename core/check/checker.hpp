// SPDX-License-Identifier: Apache-2.0
//
// Checks a plugin: every row of the table in a process of its own. Loads no plugin code itself.
#pragma once

#include "catalog/catalog.hpp"
#include "check/check_table.hpp"
#include "check/check_verdict.hpp"
#include "run/run.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::check {

inline constexpr double kCheckLimit_s = 45;  // of one check, unless another is asked for
inline constexpr int kMostHangs = 2;         // after this many the rest is not checked

struct CheckSettings {
  run::RunSettings run;                          // program, environment and library path of the processes
  std::filesystem::path contracts;               // a folder
  std::string device;                            // run on this one; empty: on the first ones of the backend
  Given given;                                   // parameters instead of their defaults
  std::vector<std::string> only;                 // ids; empty: all
  bool without_device = false;                   // leave out what needs a device
  double limit_s = kCheckLimit_s;                // of one check
  std::optional<std::set<std::string>> allowed;  // SHA-256 of the libraries that may be loaded; no value: all
};

struct CompletedCheck {
  const CheckDefinition* row = nullptr;
  CheckVerdict verdict;
  double duration_s = 0;
};

struct CheckReport {
  std::filesystem::path library, manifest;
  std::string plugin;   // its id, or empty
  std::string version;  // the plugin's
  std::vector<CompletedCheck> findings;
  std::size_t left_out = 0;  // checks that need a device, where they were not asked for

  [[nodiscard]] std::size_t count(CheckStatus result) const;
  // 1 if anything failed, else 6 if anything was not checked, else 0; 6 if there is no finding at all.
  [[nodiscard]] int exit_code() const;
};

// Whether the plugin provides a backend itself, by the manifest at `file` or beside it.
[[nodiscard]] bool brings_backend(const std::filesystem::path& file);

// `file` is the shared object or its manifest; `catalog` has the plugin that provides its backend. `watch` is
// told each finding as it is made. Throws Error "usage.parameter" as Subject does, "plugin.named" if the file
// is not a shared object or may not be loaded, "usage.check" for an id and "usage.device" for a device that is
// unknown.
[[nodiscard]] CheckReport check_plugin(const std::filesystem::path& file, const catalog::Catalog& catalog,
                                       const CheckSettings& settings,
                                       const std::function<void(const CompletedCheck&)>& watch);

}  // namespace assay::check
