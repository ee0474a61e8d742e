// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.hpp"
#include "result/visit.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::run {

// What a run has learnt not to try again: a device that is lost or on which workers of two benchmarks died, a
// benchmark that ran into its time limit twice.
class Quarantine {
 public:
  // `has_identity` says whether a device is a thing of its own (it has a UUID). The host is not: that two
  // workers crashed on it says nothing of it, and without it no other case could run.
  explicit Quarantine(std::function<bool(const std::string& device)> has_identity)
      : has_identity_(std::move(has_identity)) {}

  // Takes a finished visit into account.
  void record(const plan::PlannedCase& planned, const result::Visit& visit);
  // Why a case must not be run, or nothing.
  [[nodiscard]] std::optional<result::Reason> refusal(const plan::PlannedCase& planned) const;
  [[nodiscard]] bool quarantined(const std::string& device) const { return quarantine_.contains(device); }

 private:
  std::function<bool(const std::string&)> has_identity_;
  struct Death {
    std::string benchmark, case_id;
  };
  std::map<std::string, Death> first_death_;                  // by device
  std::map<std::string, std::string> quarantine_;             // device → why
  std::map<std::string, std::vector<std::string>> timeouts_;  // plugin and benchmark → cases
};

}  // namespace assay::run
