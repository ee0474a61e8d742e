// SPDX-License-Identifier: Apache-2.0
//
// What comes after the samples: is their work done, is it right, and does it follow its inputs?
#pragma once

#include "measure/leftovers.hpp"
#include "measure/renew.hpp"
#include "measure/visit_settings.hpp"
#include "result/visit.hpp"
#include "worker/ending.hpp"
#include "worker/exchange.hpp"
#include "worker/instance.hpp"
#include "worker/rank_position.hpp"
#include "worker/recorder.hpp"

#include <cstdint>
#include <optional>

namespace assay::worker {

class PostSampleChecks {
 public:
  // All arguments outlive it.
  PostSampleChecks(Instance& instance, Recorder& recorder, const RankPosition& place,
                   const measure::Traits& traits, const measure::VisitSettings& settings,
                   const measure::VisitDurations& spent)
      : instance_(instance),
        recorder_(recorder),
        exchange_(place),
        team_(place.alone() ? nullptr : &exchange_),
        traits_(traits),
        settings_(settings),
        spent_(spent) {}

  // Each gives how the visit ends, or nothing if it goes on. All ranks call them in this order.

  // The first verification after the samples: of what the last one left, if iterations are idempotent. It must
  // not wait for work that a sample did not wait for.
  [[nodiscard]] std::optional<VisitEnding> verify(const result::Series& series);
  // Some samples more, on inputs of other seeds, each of them verified. The values that they record are left out.
  [[nodiscard]] std::optional<VisitEnding> change_inputs(std::uint64_t seed, const result::Series& series);
  [[nodiscard]] bool inputs_changed() const { return inputs_changed_; }

 private:
  std::optional<VisitEnding> ending_of(measure::Fault fault, const char* phase);

  Instance& instance_;
  Recorder& recorder_;
  SegmentExchange exchange_;
  measure::RankTeam team_;
  const measure::Traits traits_;
  const measure::VisitSettings settings_;
  const measure::VisitDurations& spent_;
  bool inputs_changed_ = false;
};

// The same test for release, which can only be compared with the time of prepare.
[[nodiscard]] std::optional<VisitEnding> waited_in_release(const measure::Traits& traits,
                                                           const measure::VisitSettings& settings,
                                                           const measure::VisitDurations& spent,
                                                           double release_s);

}  // namespace assay::worker
