// SPDX-License-Identifier: Apache-2.0
//
// How the ranks of a visit act together. Rank 0 leads: it alone decides, by the times of the slowest rank, and sends
// commands that the others follow.
#pragma once

#include "measure/region.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::measure {

// Collective operations between the ranks. All ranks call the same ones in the same order.
class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int rank_count() const = 0;
  // All give false when a rank is dead or the visit is cancelled.
  virtual bool barrier() = 0;
  virtual bool broadcast(void* data, std::size_t bytes, int root) = 0;
  virtual bool allgather(const void* mine, void* all, std::size_t bytes) = 0;
};

// What rank 0 tells all ranks to do next.
struct Command {
  enum class Kind : std::uint32_t { run, check, settle, account, stop };
  Kind kind = Kind::run;
  Phase phase = Phase::sample;
  std::uint64_t iterations = 0;
  std::uint64_t samples = 0;  // run: this many more
  std::uint64_t laps = 0;     // run: 1 if laps are wanted
};

class RankTeam {
 public:
  struct Overlap {
    double skew_s = 0, time_s = 0;
  };

  // nullptr for a single rank. The exchange outlives the team.
  explicit RankTeam(Exchange* exchange) : exchange_(exchange) {}

  [[nodiscard]] bool leads() const { return exchange_ == nullptr || exchange_->rank() == 0; }
  [[nodiscard]] bool solo() const { return exchange_ == nullptr; }

  // All of these give false when a rank is dead or the visit is cancelled.

  // Rank 0 passes the command; for the others `command` is filled in.
  bool publish(Command& command);
  // Copies rank 0's bytes to all ranks.
  bool share(void* data, std::size_t bytes);
  // The start gate of one sample.
  bool gate() { return exchange_ == nullptr || exchange_->barrier(); }
  // Replaces each element by the largest over ranks; all ranks pass the same number of times and get the same
  // values.
  bool slowest(std::vector<double>& times);
  // The skew between the starts of the last run, and the time from the last start to the last end. 0 and the time of the slowest rank if
  // a rank does not know when it began (nullopt).
  bool overlap(std::optional<std::int64_t> begin_ns, double time_s, Overlap& overlap);
  // Whether all ranks state the same traits: sets `difference` to what differs, or to "".
  bool compare(const Traits& traits, std::string& difference);

 private:
  Exchange* exchange_;
  std::vector<double> gathered_;
};

}  // namespace assay::measure
