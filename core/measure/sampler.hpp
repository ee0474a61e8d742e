// SPDX-License-Identifier: Apache-2.0
//
// Takes samples on one rank: runs the region, refuses impossible times, keeps the series.
#pragma once

#include "measure/clock.hpp"
#include "measure/rank_team.hpp"
#include "measure/region.hpp"
#include "measure/time_guards.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::measure {

enum class SamplingEnd {
  completed,
  cancelled,  // Watch::proceed or another rank said so
  failed,     // the region could not; it knows why
  error,      // the plugin broke a rule: code and text
  invalid,    // a guard: code and text
};

struct Fault {
  SamplingEnd ending = SamplingEnd::completed;
  std::string code;
  std::string text;
};

// first: about the samples as they are. again: about longer ones, repeatedly. last: about the last of those.
enum class AccountRequest : std::uint64_t { first, again, last };

class Sampler {
 public:
  Sampler(Region& region, RankTeam& team, Clock& clock, LoopWatch& watch, const Traits& traits,
          const VisitSettings& settings);

  // Takes command.samples samples of command.iterations. Those of Phase::sample are kept in the series. False:
  // the visit ends, fault() says how.
  bool take(const Command& command);
  // Verifies while a load is held.
  bool check();
  // Waits until the region has settled on all ranks, and gives the longest wait; 0 for regions that cannot be asked
  // to settle.
  bool settle(double& seconds);
  [[nodiscard]] bool can_settle() const;
  // Whether the samples since the last request `first` account for the calls that measured them, on all ranks.
  bool account(AccountRequest request, bool& accounted);
  // Why they do not, on this rank; nothing if it is another rank whose samples do not.
  [[nodiscard]] const std::optional<GuardViolation>& unaccounted() const { return unaccounted_; }

  // Of the last take(): the duration of each sample, or of each lap if laps were given. This rank's.
  [[nodiscard]] std::vector<double>& times() { return times_; }
  // When the last sample began, if the plugin said so.
  [[nodiscard]] std::optional<std::int64_t> last_begin_ns() const { return last_begin_ns_; }
  [[nodiscard]] bool times_are_laps() const { return times_are_laps_; }

  [[nodiscard]] const Fault& fault() const { return fault_; }
  void end(SamplingEnd ending, std::string code = {}, std::string text = {});
  void refuse(GuardViolation violation);
  [[nodiscard]] RankSeries& series() { return series_; }
  // When the first sample began, by the host's clock; 0 before there is one.
  [[nodiscard]] std::int64_t first_begin_ns() const { return first_begin_ns_; }
  [[nodiscard]] std::uint32_t done() const { return done_all_ == kNone ? 0 : done_all_; }
  [[nodiscard]] bool done_differs() const { return done_differs_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  bool take_one(const Command& command);
  bool plausible(const Sample& sample, double elapsed_s);
  bool within_its_call(const Sample& sample, double began_s, double elapsed_s);
  bool keep(const Command& command, const Sample& sample, double began_s, std::size_t laps_before);

  Region& region_;
  RankTeam& team_;
  Clock& clock_;
  LoopWatch& watch_;
  Traits traits_;
  VisitMode mode_;
  GuardSet guards_;
  WallShare share_;
  std::optional<GuardViolation> unaccounted_;
  RankSeries series_;
  std::vector<double> times_;
  bool times_are_laps_ = false;
  Fault fault_;
  std::uint32_t done_all_ = kNone;
  bool done_differs_ = false;
  std::int64_t first_begin_ns_ = 0;
  std::optional<std::int64_t> last_begin_ns_;
  bool begins_by_plugin_ = false;
};

}  // namespace assay::measure
