// SPDX-License-Identifier: Apache-2.0
//
// Which of a check's processes this is. A benchmark that needs several ranks is checked in as many processes,
// each of which runs the whole check on its part; what one of them decides on, all have to decide alike, or
// they would wait for each other in different places.
#pragma once

#include "base/json.hpp"
#include "wire/segment.hpp"
#include "worker/rank_position.hpp"

#include <cstddef>
#include <optional>

namespace assay::check {

enum class CallFailure { none, cancelled, fault };

// Another rank's process is gone, so that this one's part means nothing any more.
struct RankLost {};

class CheckedRank {
 public:
  // The only one.
  CheckedRank() = default;
  // `number` of the ranks of `group`, which is what the plugin's calls go through; `check_segment` is a segment for
  // the check itself, and as large. Both outlive it.
  CheckedRank(int number, wire::Segment& group, wire::Segment& check_segment);

  [[nodiscard]] const worker::RankPosition& place() const { return place_; }
  [[nodiscard]] wire::Segment* group() const { return place_.segment; }
  [[nodiscard]] int number() const { return place_.rank; }
  [[nodiscard]] bool alone() const { return place_.alone(); }

  // The following are called by every rank, in the same order; they throw RankLost.

  // Before a case: all are here, and what cancelled the last one is over.
  void begin_case() const;
  // Whether it is true on any rank.
  [[nodiscard]] bool any(bool mine) const;
  // Rank 0's.
  [[nodiscard]] int first(int mine) const;
  // What went wrong on another rank, if that counts more than what went wrong here: a fault counts before a
  // cancel, which may be another rank's doing, and lower ranks before higher ones.
  struct RemoteFailure {
    int rank;
    Json part;
  };
  [[nodiscard]] std::optional<RemoteFailure> share_failure(CallFailure failure, const Json& mine) const;

  // Says whether the process may die where it is now, for the process that waits for its end.
  void may_die(bool may) const;

  // To the others' calls into the plugin: they end. For a rank whose own call went wrong.
  void end_group() const;

 private:
  void gather(const void* mine, void* all, std::size_t bytes) const;

  worker::RankPosition place_;
  wire::Segment* check_segment_ = nullptr;
};

}  // namespace assay::check
