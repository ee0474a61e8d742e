// SPDX-License-Identifier: Apache-2.0
//
// From a suite's text to all that is fixed before the first visit.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "cli/plugin_search.hpp"
#include "cli/session.hpp"
#include "plan/plan.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::cli {

// Of the file of --site.
inline constexpr std::size_t kLargestSiteBytes = std::size_t{1} << 20;

struct Prepared {
  catalog::Catalog catalog;
  suite::Suite suite;
  system::Inventory inventory;
  Json host;                               // who this machine is
  Json peaks;                              // the tables, as the journal keeps them
  Json run_to_run;                         // measured by --doctor (repeatability.hpp); null without
  std::shared_ptr<const plan::Site> site;  // what the machine is held to, or null
  plan::Plan plan;
  std::string unseen;  // why other runs on the same processors cannot be seen; empty if they can
};

[[nodiscard]] run::Settings run_settings(const Context& context, const RunOptions& options);

// What every backend that a plugin provides says of its devices.
[[nodiscard]] system::Inventory inventory_of_all(const Context& context, const PluginOptions& plugins,
                                                 const catalog::Catalog& catalog);

// What is wrong with one suite, as far as that can be told without its devices: every problem in one pass.
struct Checked {
  suite::Suite suite;
  plan::Plan plan;  // before devices are counted
  Diagnostics diagnostics;
};
[[nodiscard]] Checked check_suite(const catalog::Catalog& catalog, const SuiteText& text,
                                  const std::vector<std::string>& overrides, const plan::Options& options);
// Prints the problems with their lines, and how many there are.
void print_problems(const suite::Suite& suite, const Diagnostics& diagnostics, const std::string& consequence,
                    const plan::Site* site = nullptr);

// Parses and plans; `only` as --failed chose. Gives the exit code instead if the suite is invalid.
[[nodiscard]] std::optional<int> prepare(const Context& context, const RunOptions& options,
                                         const SuiteText& text, std::optional<std::set<std::string>> only,
                                         Prepared& prepared);

// What --failed chooses: the suite is planned as the earlier run planned it, then what it takes of it;
// `header` receives the choice. Gives the exit code instead if the suite is invalid.
[[nodiscard]] std::optional<int> prepare_retry(const Context& context, RunOptions& options,
                                               const SuiteText& text, Prepared& prepared,
                                               result::JournalHeader& header);

// True if all of these can be planned; else every problem of each has been printed.
[[nodiscard]] bool all_valid(const Context& context, const RunOptions& options,
                             const std::vector<SuiteText>& suites);

}  // namespace assay::cli
