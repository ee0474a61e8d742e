// SPDX-License-Identifier: Apache-2.0
//
// What the rounds of a plan cost and what they can show, before it runs: from earlier results of the same cases, else assumed.
#pragma once

#include "base/json.hpp"
#include "engine/preparation.hpp"
#include "model/document.hpp"
#include "statistics/planning.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::engine {

struct CaseEffort {
  std::string id;
  std::optional<int> rounds;      // none: more than 1000
  statistics::Components varies;  // its headline
  bool rounds_known = false;      // how they vary; else it is assumed
  bool runs_known = false;        // how runs differ; else it is assumed
  double round_s = 0;             // a round with all around it
  bool time_known = false;        // else it is what the suite allows
  // Runs on each side that show the effect asked for between two such runs; no value above 1000.
  std::optional<std::size_t> runs_a_side;
};

struct FindingEffort {
  std::string id;
  std::vector<std::string> cases;  // by id, that it compares
  double tolerated = 0;            // a share: what it asks for an effect to be beyond
  double scatter = 0;              // standard deviation of ln(left / right) of a round
  bool known = false;              // else it is made of what its cases vary by
  int rounds_a_pair = 1;           // 2 with best(), which judges on every second round
  std::optional<int> rounds;       // of its cases; none: more than 1000
  std::string why_not;             // it has no rounds that would show it
};

struct Effort {
  std::vector<CaseEffort> cases;  // that would run, in the suite's order
  std::vector<FindingEffort> findings;
  std::size_t results = 0;         // that it was made of
  std::optional<double> see;       // a share: the effect that was asked for
  std::optional<double> budget_s;  // that was given

  [[nodiscard]] double total_s() const;  // of all cases that have rounds
  [[nodiscard]] bool assumes() const;    // anything
  [[nodiscard]] bool assumes_times() const;
  // Gives each finding as many rounds as the case that it compares and that has the fewest.
  void take_rounds_of_cases();
};

// The smallest effect, as a share, that these rounds show in 80 of 100 runs.
[[nodiscard]] double shows(const CaseEffort& one, int rounds);
[[nodiscard]] double shows(const FindingEffort& finding, int rounds);

// With the rounds that the plan has. Throws Error "usage.earlier" for a result that says nothing of such rounds.
[[nodiscard]] Effort effort_of(const suite::Suite& suite, const plan::Plan& plan,
                               std::span<const model::Document> earlier);

// Sets the rounds that show an effect of this share: of a case against a limit, of a finding beyond what it tolerates. Throws
// Error "usage.see" for less than clocks can tell.
void set_rounds_to_see(double share, Effort& effort);

// Sets the rounds that fit into this time, at least as many as intervals take: whatever shows least gets the next round. What is judged
// together has the same. Throws Error "usage.budget", which says what it would take at least.
void set_rounds_within(double budget_s, const suite::Suite& suite, const plan::Plan& plan, Effort& effort);

[[nodiscard]] Json to_json(const Effort& effort);

// By the results of Request::earlier: with the rounds that show `see`, a share, or that fit into Request::budget_s; else with the plan's.
[[nodiscard]] Effort effort_of(const Request& request, const Prepared& prepared,
                               std::optional<double> see = {});

}  // namespace assay::engine
