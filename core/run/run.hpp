// SPDX-License-Identifier: Apache-2.0
//
// The controller: starts workers, runs the plan's visits, keeps the journal. Knows nothing of statistics or verdicts.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "catalog/catalog.hpp"
#include "plan/plan.hpp"
#include "result/visit.hpp"
#include "system/inventory.hpp"

namespace assay::run {

enum class Isolation { worker, visit };  // --isolation=worker (default) | case

struct Settings {
  std::filesystem::path program;         // what workers execute (this program)
  std::filesystem::path journal;         // file to append to; empty: none
  Isolation isolation = Isolation::worker;
  std::vector<std::string> wrap;         // --wrap, split into words
  std::vector<std::string> library_path; // --library-path
  double grace_s = 2;                    // from cancel to SIGTERM, and from SIGTERM to SIGKILL
  bool trace = false;
};

// What a watcher (the progress line) is told. Called on the controller's thread.
struct Progress {
  enum class Kind { visit_started, tick, visit_finished } kind;
  std::size_t done = 0, total = 0;
  const plan::Case* current = nullptr;
  const result::Visit* visit = nullptr;              // visit_finished
  double elapsed_s = 0, expected_remaining_s = 0;
  const std::vector<result::Reading>* telemetry = nullptr;  // latest, tick
};
using Watch = std::function<void(const Progress&)>;

// Asks every backend's plugin, each in a worker of its own that ends within 10 s. A backend that crashes or hangs is listed as
// unavailable with the reason.
[[nodiscard]] system::Inventory take_inventory(const catalog::Catalog& catalog, const std::vector<std::string>& backends,
                                               const Settings& settings);

struct Record {
  std::vector<result::Visit> visits;     // finished ones, in the order they ran; resumed ones first
  int interrupted_by = 0;                // a signal's number, or 0
};

// Runs what is left of the plan. `stop` is polled: its value is the signal that asked to stop, 0 for none; a second signal
// kills. `done` are visits that a resumed journal already holds.
[[nodiscard]] Record run(const plan::Plan& plan, const system::Inventory& inventory, const catalog::Catalog& catalog,
                         const Settings& settings, const std::vector<result::Visit>& done, const std::function<int()>& stop,
                         const Watch& watch);

}  // namespace assay::run
