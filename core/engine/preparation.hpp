// SPDX-License-Identifier: Apache-2.0
//
// From a suite's text to all that is fixed before the first visit.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "engine/surroundings.hpp"
#include "plan/plan.hpp"
#include "result/journal.hpp"
#include "run/run.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::engine {

// Of the file of --site, and of --baseline.
inline constexpr std::size_t kLargestSiteBytes = std::size_t{1} << 20;

struct Prepared {
  catalog::Catalog catalog;
  suite::Suite suite;
  system::Inventory inventory;
  Json host;                                  // who this machine is
  Json peaks;                                 // the tables, as the journal keeps them
  Json rules;                                 // the bottleneck rules, as the journal keeps them
  Json run_to_run;                            // measured by --doctor (repeatability.hpp); null without
  std::shared_ptr<const plan::Site> site;     // what the machine is held to, or null
  std::optional<result::NamedText> baseline;  // what rows are held to, or none
  plan::Plan plan;
  std::string unseen;  // why other runs on the same processors cannot be seen; empty if they can
};

// What --baseline says of a run that is to be measured without one, although its suite asks for it.
inline constexpr const char* kNoBaseline = "none";

// The file of --baseline, which was read; none for "" and for kNoBaseline. Throws Error "baseline.malformed".
[[nodiscard]] std::optional<result::NamedText> baseline_of(const std::string& file);

// The first expectation of a planned case that asks for a baseline, or null.
[[nodiscard]] const suite::Expression* use_of_baseline(const suite::Suite& suite, const plan::Plan& plan);

// Reports "suite.no-baseline" if there is one, and the request says nothing of a baseline.
void check_for_baseline(const Request& request, const suite::Suite& suite, const plan::Plan& plan,
                        Diagnostics& diagnostics);

// Reports "suite.unused" if no expectation asks for the baseline: it would hold nothing.
void check_use_of_baseline(const suite::Suite& suite, Diagnostics& diagnostics);

[[nodiscard]] run::RunSettings run_settings(const Request& request);

// What every backend that a plugin provides says of its devices.
[[nodiscard]] system::Inventory inventory_of_all(const Surroundings& surroundings,
                                                 const PluginOptions& plugins,
                                                 const catalog::Catalog& catalog);

// The options of a request that decide what is measured, as a journal keeps them.
[[nodiscard]] result::RunOptions recorded_options(const Request& request);
[[nodiscard]] plan::PlanOptions plan_options(const result::RunOptions& options);

// Every problem of a suite in one pass, and its plan as far as it has none.
struct Checked {
  suite::Suite suite;
  plan::Plan plan;
  Diagnostics diagnostics;
};
// Of a run's inputs, live or recorded. Without an inventory devices are not counted. What `diagnostics` holds
// already is kept.
[[nodiscard]] Checked plan_suite(const catalog::Catalog& catalog, const system::Inventory* inventory,
                                 const SuiteText& text, const suite::ReadFile& read_include,
                                 const std::vector<std::string>& overrides, const plan::PlanOptions& options,
                                 Diagnostics diagnostics = {}, const MadeBy& made_by = {});
// The text of a file that a suite includes. Throws Error "file.unreadable".
[[nodiscard]] std::string read_include(const std::string& path);
// What is wrong with one suite, as far as that can be told without its devices.
[[nodiscard]] Checked check_suite(const catalog::Catalog& catalog, const SuiteText& text,
                                  const std::vector<std::string>& overrides, const plan::PlanOptions& options,
                                  const MadeBy& made_by = {});
// Tells the problems with their lines, and how many there are.
void tell_problems(const Surroundings& surroundings, const suite::Suite& suite,
                   const Diagnostics& diagnostics, const std::string& consequence,
                   const plan::Site* site = nullptr);

// Parses and plans; `begun` holds the cases and the site of the run that goes on. False if the suite is
// invalid: its problems were told.
[[nodiscard]] bool prepare(const Request& request, const SuiteText& text, const result::RunOptions& begun,
                           Prepared& prepared);

// Plans what was prepared once more, with other choices of cases and rounds.
void plan_again(const Request& request, const result::RunOptions& begun, Prepared& prepared);

// What Request::failed chooses: the suite is planned as the earlier run planned it, then what it takes of it;
// `header` receives the choice.
[[nodiscard]] bool prepare_retry(Request& request, const SuiteText& text, Prepared& prepared,
                                 result::JournalHeader& header);

// True if all of these can be planned; else every problem of each was told.
[[nodiscard]] bool all_valid(const Request& request, const std::vector<SuiteText>& suites);

}  // namespace assay::engine
