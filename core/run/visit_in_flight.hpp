// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "result/visit.hpp"
#include "run/rank_set.hpp"
#include "wire/messages.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace assay::run {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

// What is known of one rank's part of a visit.
struct RankPart {
  std::vector<std::string> devices;
  std::optional<wire::Visited> visited;  // it answered
  bool finished = false;                 // it answered, or never will
  bool killed = false;                   // by us, because of something that is not its doing
  bool hung_up = false;                  // killed because it closed its socket and went on living
  double hung_up_until_s = kNever;       // how long it may do so
  result::Outcome outcome = result::Outcome::cancelled;
  result::Reason reason;                        // why it did not answer, or what it answered
  result::Series interim;                       // samples so far, if it does not answer
  process::TailBuffer log{wire::kOutputLimit};  // logged so far, if it does not answer
};

struct VisitLimits {
  double timeout_s = 0;
  double grace_s = 0;  // from cancel to SIGTERM, from there to SIGKILL, from there to giving up on its end
  double rank_grace_s = 0;  // that other ranks get once one has ended early
  bool is_command = false;  // what is measured is a command of the suite: it is what does not end
};

// One visit on a rank set, as a state machine: advance() takes what the workers sent, finds out what is due,
// and never blocks.
class VisitInFlight {
 public:
  // Sends the start frames, one per rank.
  VisitInFlight(RankSet& set, const std::vector<wire::StartVisit>& starts, const VisitLimits& limits,
                double now_s);

  void advance(double now_s);
  [[nodiscard]] bool finished() const { return unfinished_ == 0; }
  [[nodiscard]] double next_deadline_s() const;

  // Ends the visit because of a signal to the run: first asks, as at a timeout.
  void stop(int signal, double now_s);
  // Kills all workers at once.
  void kill(double now_s);

  // The parts of all ranks as one visit; once, when finished. Sets no case, round, attempt or times.
  [[nodiscard]] result::Visit take();
  // All ranks gave an answer, so their workers are fit to end by themselves.
  [[nodiscard]] bool answered() const;
  // Why the set cannot be used again, or "".
  [[nodiscard]] const std::string& dirty() const { return dirty_; }

 private:
  // ending_early: a rank ended before its samples were done, and the others get a while to follow.
  enum class VisitState { running, ending_early, cancelled, terminated, killed };

  void take_frames(int rank);
  void handle(int rank, const Json& frame);
  void name_rank(int rank, result::Outcome outcome, result::Reason& reason) const;
  void check_process_end(int rank, double now_s);
  void finish(int rank, result::Outcome outcome, result::Reason reason);
  [[nodiscard]] bool only_waited() const;
  void time_out(double now_s);
  void escalate(double now_s);
  void cancel_unfinished();
  void signal_unfinished(int number);
  void give_up();
  [[nodiscard]] RankPart& part(int rank) { return parts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::string name(int rank) const;
  // "in phase 'sample' after 37 samples".
  [[nodiscard]] std::string progress_text(int rank) const;
  [[nodiscard]] std::string progress_text(int rank, const std::string& phase) const;
  [[nodiscard]] result::Reason reason_at(int rank, std::string code, const std::string& what) const;
  [[nodiscard]] result::Reason timeout_reason() const;
  void name_command(result::Reason& reason) const;
  [[nodiscard]] std::tuple<bool, std::uint64_t, int> how_far(int rank) const;
  [[nodiscard]] int slowest() const;
  // The backtrace that a rank's worker left when a signal ended it, for the end of its output.
  [[nodiscard]] std::string crash_report(int rank, const std::string& before) const;
  void blame_overwriting(result::Visit& visit);

  RankSet& set_;
  VisitLimits limits_;
  std::uint64_t number_;
  std::vector<RankPart> parts_;
  std::vector<int> order_;  // ranks in the order in which they finished
  int unfinished_ = 0;
  VisitState stage_ = VisitState::running;
  double stage_end_s_ = 0;
  // Set if the controller is the first cause: a timeout or a stopped run.
  std::optional<result::Outcome> own_outcome_;
  result::Reason own_reason_;
  std::string dirty_;
};

}  // namespace assay::run
