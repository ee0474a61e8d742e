// SPDX-License-Identifier: Apache-2.0
//
// What a run was asked for, and what was found before its first visit, as its journal's header keeps it.
#pragma once

#include "base/json.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::result {

struct NamedText {
  std::string file, text;

  friend bool operator==(const NamedText&, const NamedText&) = default;
};

struct RunOptions {
  std::vector<std::string> filters;
  std::uint64_t seed = 1;
  bool quick = false;
  bool strict = false;
  std::string isolation = "worker";
  std::optional<std::string> wrap;  // "": begun without; none: not recorded
  std::string doctor;
  std::map<std::string, std::vector<std::string>> missing_libraries;  // plan::Plan::missing_libraries
  Json run_to_run;                // {"run", "shares"} that --doctor named; null without
  std::string others_unseen;      // why other runs on the same processors could not be seen; "" if they could
  std::optional<NamedText> site;  // of --site
  std::optional<NamedText> baseline;          // of --baseline
  Json libraries = Json::array();             // that were loaded: id, version, sha256, manifest_sha256
  std::optional<std::set<std::string>> only;  // the cases that --failed chose
};

}  // namespace assay::result
