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

// Of one case, as in a suite: a journal that names more is not believed.
inline constexpr int kMostRoundsOfACase = 1000;

// Rounds that cases were given after the run had been judged, because verdicts were open.
struct Extension {
  double at_s = 0;  // unix time
  std::vector<std::string> command;
  std::map<std::string, int> rounds;  // that each of these cases has from then on
};

struct RunOptions {
  std::vector<std::string> filters;
  std::vector<std::string> where;  // of --only
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
  Json programs;                              // of commands, and scripts among their words: name → SHA-256
  std::optional<std::set<std::string>> only;  // the cases that --failed chose
  std::optional<double> budget_s;             // of --budget
  std::map<std::string, std::string>
      made_by;  // of overrides that --set did not give: the option of which each was made
  std::map<std::string, int> rounds;  // that it chose, by case; a case that is not there has the suite's
  std::vector<Extension> extensions;  // in their order; each is a line of its own in the journal
};

}  // namespace assay::result
