// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.hpp"
#include "run/backend.hpp"
#include "run/rank_set.hpp"
#include "run/run.hpp"
#include "system/inventory.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::run {

// The number of a device among its backend's: 3 of "cuda:3"; 0 if its name ends in none.
[[nodiscard]] int number_in_name(const std::string& device);

// Which workers serve a case. One set lives at a time: a fresh one for each round and worker key, and after
// whatever made the last one unfit.
class WorkerSets {
 public:
  // `backend` gives the running backend of a name, or null if no plugin provides it; `hidden` says whether
  // workers must not see a device any more.
  WorkerSets(const plan::Plan& plan, const system::Inventory& inventory, const RunSettings& settings,
             std::function<BackendProcess*(const std::string&)> backend,
             std::function<bool(const std::string&)> hidden);
  ~WorkerSets();

  // The set for this case, started if need be. Adds to notes why an idle one was replaced. Throws Error
  // "worker.start", "segment.unavailable", "backend.unavailable".
  [[nodiscard]] RankSet& get(const plan::PlannedCase& planned, int round, std::vector<std::string>& notes);
  // What each rank is told to start this visit.
  [[nodiscard]] std::vector<wire::StartVisit> starts(const plan::PlannedCase& planned, RankSet& set) const;
  // Ends the set that lives. With `politely` its workers may close their plugins first.
  void end(bool politely);

 private:
  [[nodiscard]] std::vector<RankSetup> setups(const plan::PlannedCase& planned) const;
  [[nodiscard]] std::vector<std::string> visible(const plan::PlannedCase& planned, std::size_t rank) const;
  [[nodiscard]] int ordinal(const RankSetup& setup, const std::string& device) const;

  const system::Inventory& inventory_;
  const RunSettings& settings_;
  std::function<BackendProcess*(const std::string&)> backend_;
  std::function<bool(const std::string&)> hidden_;
  // Worker key → devices of each rank, of all cases with that key: a worker sees them all from its start on.
  std::map<std::string, std::vector<std::vector<std::string>>> devices_;
  std::unique_ptr<RankSet> set_;
  std::string key_;
  int round_ = 0;
};

}  // namespace assay::run
