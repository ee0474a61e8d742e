// SPDX-License-Identifier: Apache-2.0
//
// The host's side of assay_case: what a plugin reaches while it serves one visit.
#pragma once

#include "wire/messages.hpp"
#include "worker/drafts.hpp"
#include "worker/group.hpp"
#include "worker/interruption.hpp"
#include "worker/memory.hpp"
#include "worker/plugin_messages.hpp"
#include "worker/rank_position.hpp"
#include "worker/recorder.hpp"

#include <assay/abi/drafts.h>
#include <assay/abi/v1.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::worker {

class CaseContext {
 public:
  // All arguments outlive it; so must the context outlive the plugin's instance. Throws Error
  // "wire.malformed" if a condition has a name that the interface does not know, or the start tells of other ranks
  // than the place has.
  CaseContext(const wire::StartVisit& start, std::int64_t deadline_ns, const RankPosition& place,
              const Interruption& interruption, Messages::Listener listener);
  CaseContext(const CaseContext&) = delete;  // the plugin holds its address
  CaseContext& operator=(const CaseContext&) = delete;

  [[nodiscard]] const assay_case* abi() const { return &case_; }
  [[nodiscard]] Recorder& recorder() { return recorder_; }
  [[nodiscard]] Messages& messages() { return messages_; }
  [[nodiscard]] const AllocationTracker& memory() const { return memory_; }
  // Devices that the plugin said no longer answer, each once, in the order in which it said so.
  [[nodiscard]] std::vector<std::string> lost() const;
  [[nodiscard]] bool has_lost() const { return has_lost_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t device_count() const { return devices_.size(); }
  // Other inputs are wanted: what the plugin reads as its conditions' seed.
  void set_seed(std::uint64_t seed) { conditions_.seed = seed; }
  [[nodiscard]] bool interrupted() const { return interruption_.wanted(start_.number); }
  [[nodiscard]] Interruption::Cause cause() const { return interruption_.cause(start_.number); }

 private:
  struct Callbacks;  // the C functions

  void mark_lost(const char* device, const char* text);
  void log_use_of_draft(const char* id);

  const wire::StartVisit& start_;
  const std::int64_t deadline_ns_;
  const RankPosition& place_;
  const Interruption& interruption_;
  Recorder recorder_;
  Messages messages_;
  AllocationTracker memory_;
  assay_conditions conditions_{};
  std::vector<assay_device> devices_;
  std::vector<const assay_device*> device_pointers_;
  std::optional<RankGroup> group_;  // of several ranks
  assay_span_v1 span_{};
  assay_memory_v1 memory_service_{};
  ProgressService progress_;
  assay_progress_draft progress_draft_{};
  mutable std::mutex mutex_;
  std::vector<std::string> lost_;  // guarded by mutex_
  std::set<std::string> told_;     // drafts that were asked for; guarded by mutex_
  std::atomic<bool> has_lost_{false};
  assay_case case_{};
};

}  // namespace assay::worker
