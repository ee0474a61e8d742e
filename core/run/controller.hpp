// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "process/orphan_reaper.hpp"
#include "run/backend.hpp"
#include "run/quarantine.hpp"
#include "run/run.hpp"
#include "run/time_estimator.hpp"
#include "run/visit_in_flight.hpp"
#include "run/worker_sets.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::run {

// One run of a plan, on one thread. Everything that it started is gone when it is destroyed.
class Controller {
 public:
  Controller(const plan::Plan& plan, const system::Inventory& inventory, const catalog::Catalog& catalog,
             const RunSettings& settings, const std::function<StopRequest()>& stop, const Finished& finished,
             const RunWatch& watch);
  [[nodiscard]] Record run(const std::vector<result::Visit>& done);

 private:
  void start_backends(const catalog::Catalog& catalog);
  [[nodiscard]] BackendProcess* backend(const std::string& name);
  // A visit with all that says which one it is; recorded in the quarantine.
  [[nodiscard]] result::Visit attempt_of(const plan::PlannedCase& planned, int round, int attempt);
  [[nodiscard]] result::Visit visit(const plan::PlannedCase& planned, int round);
  [[nodiscard]] result::Visit measure(const plan::PlannedCase& planned, int round,
                                      std::vector<std::string>& notes);
  // Runs the poll loop until the visit in flight is finished.
  void serve_until_finished(RankSet& set, VisitInFlight& flight, const plan::PlannedCase& planned,
                            result::Visit& telemetry);
  // Ends processes that the visit's plugin left outside of its worker's group, and says so.
  void end_orphans(result::Visit& visit);
  // Reads what counters stand at before the visit begins, unless that was read just now, and gives the visit
  // these readings; of counters of errors also what they stood at when the device was last read.
  void begin_reading(const plan::PlannedCase& planned, result::Visit& visit);
  void await_reading(BackendProcess& source, const std::vector<std::string>& devices);
  void finish_reading(BackendProcess& source, const std::vector<std::string>& devices, result::Visit& visit);
  void take_telemetry(BackendProcess& source, const std::vector<std::string>& devices, result::Visit& visit);
  // Waits until the devices of a throttled visit have recovered, and says how long that took; nothing if
  // nobody can tell whether they have, or the run is to stop.
  [[nodiscard]] std::optional<std::string> cool_down(const plan::PlannedCase& planned,
                                                     const result::Visit& throttled);
  // Notes who measures on the same processors now; unless that is `due` ten times a second at most.
  void record_other_runs(result::Visit& visit, bool due);
  void keep_latest(const result::Reading& reading);
  void tell(RunProgress::Kind kind, const plan::PlannedCase& planned, const result::Visit* visit);

  const plan::Plan& plan_;
  const RunSettings& settings_;
  const std::function<StopRequest()>& stop_;
  const Finished& finished_;
  const RunWatch& watch_;
  std::optional<process::OrphanReaper> orphan_reaper_;  // outlives every worker
  std::map<std::string, std::unique_ptr<BackendProcess>> backends_;
  Quarantine quarantine_;
  WorkerSets sets_;
  TimeEstimator time_estimator_;
  double started_s_ = 0, visit_started_s_ = 0;
  double next_look_s_ = 0;  // for other runs
  std::size_t done_ = 0;
  int interrupted_by_ = 0;
  std::vector<result::Reading> latest_;      // of each device and quantity
  std::map<std::string, double> read_at_s_;  // when each device was last read, whatever that gave
  std::vector<result::ThrottleReason> told_while_cooling_;  // faults and the like, which are told once
  std::vector<pollfd> polled_;
};

}  // namespace assay::run
