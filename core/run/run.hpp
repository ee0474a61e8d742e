// SPDX-License-Identifier: Apache-2.0
//
// The controller: starts workers, runs the plan's visits, keeps the journal. Knows nothing of statistics or
// verdicts.
#pragma once

#include "base/json.hpp"
#include "catalog/catalog.hpp"
#include "plan/plan.hpp"
#include "result/visit.hpp"
#include "system/inventory.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::run {

enum class Isolation { worker, visit };  // --isolation=worker (default) | case

struct RunSettings {
  std::filesystem::path program;  // what workers execute (this program), with the argument "worker"
  std::vector<std::string> base_environment;  // "NAME=value": what workers start from
  // The same for workers that run a case's `command`; empty: as for others.
  std::vector<std::string> command_environment{};
  std::filesystem::path lock_folder;  // of one lock file per device, made if it is missing; empty: no locks
  Isolation isolation = Isolation::worker;
  std::vector<std::string> wrap;          // --wrap, split into words
  std::vector<std::string> library_path;  // --library-path
  double grace_s = 2;                     // from cancel to SIGTERM, and from SIGTERM to SIGKILL
  double rank_grace_s = 2;                // that the other ranks get once one has ended early
  double answer_s = 10;                   // that a backend gets to answer
  double telemetry_every_s = 0.1;
  double cooldown_s = 60;  // that a throttled device gets to recover, under `throttle: cooldown`
  // The other runs that measure on the same processors now; empty: nobody looks.
  std::function<std::vector<result::OtherRun>()> others{};
  bool trace = false;  // one extra iteration of each case, in the first round, that reports spans
};

// What a watcher (the progress line) is told. Called on the controller's thread; it must not throw.
struct RunProgress {
  enum class Kind { visit_started, tick, cooling, visit_finished } kind;
  std::size_t done = 0, total = 0;
  const plan::PlannedCase* current = nullptr;
  const result::Visit* visit = nullptr;  // visit_finished
  double elapsed_s = 0, expected_remaining_s = 0;
  const std::vector<result::Reading>* telemetry =
      nullptr;  // latest of each device and quantity; tick, cooling
};
using RunWatch = std::function<void(const RunProgress&)>;

// Reads a plugin's inventory. Throws Error "inventory.malformed", which names the plugin and the malformed key.
[[nodiscard]] system::Backend read_backend(const catalog::Manifest& manifest, const Json& answer);

// Asks the plugins of all backends at once, each in a worker of its own that ends within answer_s. A backend
// that is not known, crashes or hangs is listed as unavailable with the reason.
[[nodiscard]] system::Inventory take_inventory(const catalog::Catalog& catalog,
                                               const std::vector<std::string>& backends,
                                               const RunSettings& settings);

class RunRegistry;
// Registers this run and the processors that its plan may use, for as long as the result lives. Throws Error
// "run.not-alone" if this run or another run on these processors asked to be alone.
[[nodiscard]] std::shared_ptr<const RunRegistry> register_run(const plan::Plan& plan,
                                                              const system::Inventory& inventory,
                                                              const RunSettings& settings,
                                                              const std::string& suite, bool alone);

class DeviceLocks;
// Keeps other runs off the plan's devices for as long as it lives. Throws Error "device.locked", which names
// the process that holds one.
[[nodiscard]] std::shared_ptr<const DeviceLocks> hold_devices(const plan::Plan& plan,
                                                              const system::Inventory& inventory,
                                                              const RunSettings& settings);

// How a run ended. Its visits were handed over one by one and are not kept: a run of many has no more of them
// in memory than a run of few.
struct Record {
  int interrupted_by = 0;  // a signal's number, or 0
};

// Receives every visit as it is finished, before the next one starts: the journal. What it throws ends the
// run.
using Finished = std::function<void(const result::Visit&)>;

// The signals that asked the run to stop, as the command's handlers count them.
struct StopRequest {
  int signal = 0;  // the first one's number
  int count = 0;   // 1: end the visit in flight and return; 2 or more: kill its workers and return
};

// Runs what is left of the plan, on devices that the caller holds. `stop` is polled at least ten times a
// second. `done` are visits that a resumed journal holds; cancelled ones among them are run again, and what
// the others taught (a device to be left alone) is known. Whatever happens to a worker is in its visit.
[[nodiscard]] Record run(const plan::Plan& plan, const system::Inventory& inventory,
                         const catalog::Catalog& catalog, const RunSettings& settings,
                         const std::vector<result::Visit>& done, const std::function<StopRequest()>& stop,
                         const Finished& finished, const RunWatch& watch);

}  // namespace assay::run
