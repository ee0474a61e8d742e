// SPDX-License-Identifier: Apache-2.0
#include "run/quarantine.hpp"

namespace assay::run {
namespace {

std::string benchmark_key(const plan::PlannedCase& planned) {
  // Commands have nothing in common but the plugin that runs them.
  const std::string command =
      plan::runs_command(planned) ? "#" + std::to_string(planned.suite_case) : std::string();
  return planned.benchmark->name + "@" + planned.manifest->id + "@" + planned.manifest->library + command;
}

// The devices of the rank that was the first cause, or of all ranks if no single rank was.
std::vector<std::string> devices_of_cause(const plan::PlannedCase& planned, int rank) {
  const auto& ranks = planned.placement.ranks;
  if (rank >= 0 && static_cast<std::size_t>(rank) < ranks.size())
    return ranks[static_cast<std::size_t>(rank)].devices;
  std::vector<std::string> devices;
  for (const plan::RankPlacement& placement : ranks) {
    devices.insert(devices.end(), placement.devices.begin(), placement.devices.end());
  }
  return devices;
}

}  // namespace

void Quarantine::record(const plan::PlannedCase& planned, const result::Visit& visit) {
  using result::Outcome;
  if (visit.outcome == Outcome::timeout) timeouts_[benchmark_key(planned)].push_back(planned.id);
  // One that was only late and ended when it was told to says nothing of its device, and of several ranks
  // that did not end nobody knows which is at fault.
  const bool had_to_be_killed = visit.outcome == Outcome::timeout && visit.reason.number != 0 &&
                                (visit.reason.rank >= 0 || planned.placement.ranks.size() == 1);
  const bool died = visit.outcome == Outcome::crashed || had_to_be_killed;
  const bool lost = visit.reason.code == "device.lost";
  if (!died && !lost) return;
  std::vector<std::string> devices = devices_of_cause(planned, visit.reason.rank);
  // Of several devices only those that are named are lost.
  if (lost) {
    const std::string named = ", " + visit.reason.device + ", ";
    std::vector<std::string> ours;
    for (const std::string& device : devices)
      if (named.find(", " + device + ", ") != std::string::npos) ours.push_back(device);
    if (!ours.empty()) devices = std::move(ours);
  }
  for (const std::string& device : devices) {
    if (!has_identity_(device) || quarantine_.contains(device)) continue;
    if (lost) {
      quarantine_[device] = "it was lost in " + planned.id;
      continue;
    }
    const auto [first, is_first] =
        first_death_.try_emplace(device, Death{benchmark_key(planned), planned.id});
    // A benchmark that dies on a device again is more likely at fault than the device is.
    if (is_first || first->second.benchmark == benchmark_key(planned)) continue;
    quarantine_[device] =
        "workers of two benchmarks died on it, in " + first->second.case_id + " and in " + planned.id;
  }
}

std::optional<result::Reason> Quarantine::refusal(const plan::PlannedCase& planned) const {
  result::Reason reason;
  for (std::size_t rank = 0; rank < planned.placement.ranks.size(); ++rank) {
    for (const std::string& device : planned.placement.ranks[rank].devices) {
      const auto found = quarantine_.find(device);
      if (found == quarantine_.end()) continue;
      reason.code = "device.quarantined";
      reason.text = "device '" + device + "' is not used any more: " + found->second;
      reason.rank = static_cast<int>(rank);
      reason.device = device;
      return reason;
    }
  }
  if (const auto found = timeouts_.find(benchmark_key(planned));
      found != timeouts_.end() && found->second.size() >= 2) {
    reason.code = "benchmark.timeouts";
    reason.text = "benchmark '" + planned.benchmark->name + "' ran into its time limit twice, in " +
                  found->second[0] + " and in " + found->second[1];
    return reason;
  }
  return std::nullopt;
}

}  // namespace assay::run
