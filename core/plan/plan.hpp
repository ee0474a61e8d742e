// SPDX-License-Identifier: Apache-2.0
//
// What will be measured, fixed before the first visit. plan() is pure: same suite, catalog, inventory and
// options, same plan.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "catalog/catalog.hpp"
#include "model/document_case.hpp"
#include "model/measure_options.hpp"
#include "plan/site.hpp"
#include "result/outcome.hpp"
#include "result/throttle.hpp"
#include "result/visit.hpp"
#include "suite/suite.hpp"
#include "system/inventory.hpp"
#include "text/lookup.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::plan {

// In a plan a value of an axis has one text.
using AxisPoint = model::Axis;

// One process of a visit.
struct RankPlacement {
  int node = 0;
  std::vector<std::string> devices;  // names; empty for symbolic placement
  std::vector<int> cpus;             // to bind to; empty: leave as it is
  std::vector<int> memory_nodes;     // to bind to; empty: leave as it is
};

struct Placement {
  std::vector<RankPlacement> ranks;  // at least one
  std::string bind = "none";
  std::string load = "alone";  // together: one rank per device, all at once
};

using model::Throttle;

struct PlannedCase {
  std::string id;              // "gemm[dtype=bf16,device=cuda:0]"
  std::string comparison_key;  // as id, without the devices' identity and however values are written
  std::size_t suite_case = 0;  // index into Suite::cases
  const catalog::Manifest* manifest = nullptr;  // lives in the catalog
  const catalog::Benchmark* benchmark = nullptr;
  const catalog::Manifest* device_backend = nullptr;  // provides the devices' backend; null: no plugin does
  std::string backend;                                // if it is not the plugin's; use backend_of()
  std::vector<AxisPoint> axes;                        // in declaration order, then device
  Json parameters;                                    // all of them, in base units, in manifest order
  Json external;  // what a command's case runs and reads (docs/decisions/0009); null for other benchmarks
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;  // nullopt: removed
  Placement placement;
  model::MeasureOptions measure;
  double timeout_s = 0;
  int rounds = 1;
  int looks = 0;                   // how often it was given more rounds because its verdicts were open
  std::string reference;           // id of the row that deltas refer to, or ""
  bool has_reference_key = false;  // the suite names one; empty reference then means it is not in the plan
  // Indices into Suite::cases[suite_case].expect whose `where` matches.
  std::vector<std::size_t> expectations;
  // Plugin, environment, binding, rank layout, and the case of a benchmark that asks for its own process:
  // cases with one key share workers.
  std::string worker_key;
  // Decided before any visit: skipped (a condition the plugin does not support, a missing library) or not_run.
  std::optional<result::Outcome> predetermined;
  result::Reason predetermined_reason;
  Position position;
  // Where the suite sets each parameter, for errors that the plugin reports about it.
  std::map<std::string, Position> parameter_positions;
  // Parameters as the suite has them, where that has a unit: "65536 kB".
  std::map<std::string, std::string> written;
};

// The backend that the case's devices belong to; "" if it has none.
[[nodiscard]] inline std::string backend_of(const PlannedCase& planned) {
  if (!planned.backend.empty()) return planned.backend;
  return planned.manifest == nullptr ? std::string() : planned.manifest->backend;
}

// It runs a program of the suite's own, and declares its metrics itself; how long it takes nobody knows before.
[[nodiscard]] inline bool runs_command(const PlannedCase& planned) { return !planned.external.is_null(); }
// The program and its arguments, placeholders filled in; empty for other cases.
[[nodiscard]] std::vector<std::string> command_of(const PlannedCase& planned);
// The folder that it runs in, relative to that of the run; "" for the same.
[[nodiscard]] std::string folder_of_command(const PlannedCase& planned);
// What the plugin is given: the parameters, or what is said of the command.
[[nodiscard]] Json given_to_plugin(const PlannedCase& planned);

// What the reasons that the case's backend gives stand for.
[[nodiscard]] inline result::MeaningOf meaning_of(const PlannedCase& planned) {
  return [backend = planned.device_backend](const std::string& reason) {
    return catalog::meaning_of(backend, reason);
  };
}

// The devices of all its ranks, each once.
[[nodiscard]] inline std::vector<std::string> devices_of(const PlannedCase& planned) {
  std::vector<std::string> devices;
  for (const RankPlacement& rank : planned.placement.ranks)
    for (const std::string& device : rank.devices) add_once(devices, device);
  return devices;
}

struct PlannedVisit {
  std::size_t case_index = 0;
  int round = 1;
};

// Something in `requires`, `policy` or a site file that this machine does not have: exit 6.
struct Unmet {
  std::string text;
  Position position;
  std::string code = "requires.unmet";
};

// A case that no filter matched, and the group checks that it would have been a member of.
struct LeftOut {
  std::size_t suite_case = 0;
  std::vector<AxisPoint> axes;
  std::vector<std::size_t> expectations;  // indices into the suite case's `expect`
};

// An expectation whose `where` matches no row on this machine, filtered ones included.
struct Unmatched {
  std::size_t suite_case = 0;
  std::size_t expectation = 0;  // index into the suite case's `expect`
};

struct Plan {
  std::vector<PlannedCase> cases;  // in the suite's order
  std::vector<LeftOut> left_out;   // by --filter and --only
  std::vector<Unmatched> unmatched;
  std::vector<PlannedVisit> order;  // as they will run: rounds, keys shuffled by seed and reversed every
                                    // second round, cases shuffled in a key
  std::vector<Unmet> unmet;
  std::vector<std::string> complete;  // backends of which no device may be missing, by the suite's policy
  // Benchmarks that cases of commands describe themselves; PlannedCase::benchmark points to them.
  std::vector<std::shared_ptr<const catalog::Benchmark>> made;
  // Of the plugins used: id → what they lack. To be kept in the journal and handed back in PlanOptions, so that
  // the plan is the same on a machine with other libraries.
  std::map<std::string, std::vector<std::string>> missing_libraries;
  int rounds = 1;
  std::uint64_t seed = 1;
  std::string hash;  // SHA-256 over all of the above that can change a result
};

struct PlanOptions {
  std::vector<std::string> filters;  // regular expressions on case ids; any may match
  std::vector<std::string> where;    // name=value or name=a,b of an axis or a parameter; all must match
  std::optional<std::set<std::string>> only;  // --failed: ids; no value: all
  std::uint64_t seed = 1;
  bool quick = false;  // one round, 20 samples, 1 s a visit
  // By id of the case, instead of the suite's; a round takes as long as with the suite's.
  std::map<std::string, int> rounds;
  // Rounds are chosen when this plan is known, so nothing is said of limits that few rounds leave undecided.
  bool rounds_follow = false;
  std::map<std::string, int> looks;  // PlannedCase::looks of those that have any
  std::vector<std::string> library_path;
  // By plugin, from a recorded run; without a value they are looked for now.
  std::optional<std::map<std::string, std::vector<std::string>>> missing_libraries;
  // --site, and who this machine is, to be held to it (system/host.hpp).
  std::shared_ptr<const Site> site;
  Json host;
};

// Problems of the suite against the catalog go to diagnostics (all of them, at their positions): unknown
// benchmarks and parameters, types, ranges, dimensions in expressions, reference rows. Unmet requirements go
// to the plan. Without an inventory placement stays symbolic ("cuda:*"): that is `validate`. Throws Error
// "usage.filter" for a filter that is not a regular expression, "usage.only" for a `where` that matches nothing here.
[[nodiscard]] Plan make_plan(const suite::Suite& suite, const catalog::Catalog& catalog,
                             const system::Inventory* inventory, const PlanOptions& options,
                             Diagnostics& diagnostics);

// The plan as --dry-run shows it and run.resolved_suite keeps it: compact, cases in the suite's order,
// numbers in base units.
[[nodiscard]] Json to_json(const Plan& plan);
// The same in parts, so that a large plan can be written case by case: everything but the last key, "cases", and one case.
[[nodiscard]] Json frame_to_json(const Plan& plan);
[[nodiscard]] Json to_json(const PlannedCase& planned);

}  // namespace assay::plan
