// SPDX-License-Identifier: Apache-2.0
#include "run/visit_in_flight.hpp"

#include "base/error.hpp"
#include "run/frame_text.hpp"
#include "run/merge.hpp"
#include "text/text.hpp"

#include <signal.h>

#include <algorithm>

namespace assay::run {
namespace {

using result::Outcome;

constexpr double kNearDeadline = 0.1;  // of the timeout: ranks' own clocks began it at about the same moment

std::uint64_t number_of(const Json& frame) {
  const auto found = frame.find("number");
  return found != frame.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

}  // namespace

VisitInFlight::VisitInFlight(RankSet& set, const std::vector<wire::StartVisit>& starts,
                             const VisitLimits& limits, double now_s)
    : set_(set),
      limits_(limits),
      number_(starts.at(0).number),
      parts_(starts.size()),
      unfinished_(static_cast<int>(starts.size())),
      stage_end_s_(now_s + limits.timeout_s) {
  if (set_.segment().cancelled()) set_.segment().clear_cancelled();
  for (int rank = 0; rank < set_.size(); ++rank) {
    const wire::StartVisit& start = starts[static_cast<std::size_t>(rank)];
    for (const wire::VisitDevice& device : start.devices) part(rank).devices.push_back(device.name);
    set_.segment().set_progress(rank, 0, 0);
    // If nobody is there to receive it, its end is on the way.
    set_.worker(rank).send(wire::to_json(start));
  }
}

double VisitInFlight::next_deadline_s() const {
  double next = stage_end_s_;
  for (const RankPart& rank : parts_) next = std::min(next, rank.hung_up_until_s);
  return next;
}

void VisitInFlight::advance(double now_s) {
  const std::size_t finished_before = order_.size();
  for (int rank = 0; rank < set_.size(); ++rank) {
    if (!part(rank).finished) take_frames(rank);
  }
  for (int rank = 0; rank < set_.size(); ++rank) {
    if (!part(rank).finished) check_process_end(rank, now_s);
  }
  // Of what arrived together a death is the cause, and the others' errors are what followed from it.
  std::stable_partition(order_.begin() + static_cast<std::ptrdiff_t>(finished_before), order_.end(),
                        [&](int rank) { return !part(rank).visited; });
  for (std::size_t i = finished_before; i < order_.size() && !finished(); ++i) {
    const int rank = order_[i];
    // One that waited says so first, at times: the deadline of the rank that it waited with came just before.
    const bool at_deadline =
        stage_ == VisitState::running && now_s >= stage_end_s_ - kNearDeadline * limits_.timeout_s;
    const bool late =
        part(rank).outcome == Outcome::timeout || (part(rank).outcome == Outcome::cancelled && at_deadline);
    if (late && only_waited()) {
      time_out(now_s);
      break;
    }
    if (part(rank).outcome == Outcome::passed || stage_ != VisitState::running) continue;
    if (!part(rank).visited) set_.segment().declare_dead(rank);
    // Through the segment only: a frame could be read after the next visit of this set has begun.
    set_.segment().declare_cancelled();
    stage_ = VisitState::ending_early;
    stage_end_s_ = now_s + limits_.rank_grace_s;
  }
  if (!finished() && now_s >= stage_end_s_) escalate(now_s);
}

void VisitInFlight::take_frames(int rank) {
  try {
    while (!part(rank).finished) {
      const std::optional<Json> frame = set_.worker(rank).next_frame();
      if (!frame) return;
      handle(rank, *frame);
    }
  } catch (const Error& error) {
    set_.worker(rank).signal(SIGKILL);
    finish(rank, Outcome::error,
           reason_at(rank, "wire.malformed", std::string("broke the protocol: ") + error.what()));
  }
}

void VisitInFlight::handle(int rank, const Json& frame) {
  const std::string type = text_of(frame, "type");
  if (type == "visited") {
    wire::Visited visited = wire::visited_from_json(frame);
    if (visited.number != number_) throw Error("wire.malformed", "an answer to another visit came");
    if (visited.visit.ranks.size() != 1) throw Error("wire.malformed", "an answer is not of one rank");
    if (!visited.dirty.empty()) dirty_ = printable(visited.dirty);
    const Outcome outcome = visited.visit.outcome;
    result::Reason reason = visited.visit.reason;
    if (set_.size() > 1 && !reason.code.empty() && reason.code != kDisagree) name_rank(rank, outcome, reason);
    part(rank).visited = std::move(visited);
    finish(rank, outcome, std::move(reason));
  } else if (type == "samples") {
    if (number_of(frame) != number_) return;
    const auto series = frame.find("series");
    if (series == frame.end()) throw Error("wire.malformed", "a frame 'samples' has no series");
    keep_interim(part(rank).interim, result::series_from_json(*series));
  } else if (type == "log") {
    if (number_of(frame) != number_ && number_of(frame) != 0) return;
    part(rank).log.append(text_of(frame, "level") + ": " + text_of(frame, "text") + "\n");
  } else if (type == "ready") {
    set_.set_ready(rank);
  } else if (type == "error") {
    // It could not load its plugin: nothing that it is asked later would go better.
    dirty_ = text_of(frame, "text");
    result::Reason reason = reason_at(rank, text_of(frame, "code"), "");
    reason.text = dirty_;
    if (reason.code.empty()) reason.code = "plugin.load";
    set_.worker(rank).signal(SIGKILL);
    finish(rank, Outcome::error, std::move(reason));
  } else {
    throw Error("wire.malformed", "a frame of the unknown type '" + type + "' came");
  }
}

// Says in the text which rank it was, and how far it had come. What was skipped, all ranks skip alike.
void VisitInFlight::name_rank(int rank, Outcome outcome, result::Reason& reason) const {
  reason.rank = rank;
  if (reason.device.empty()) reason.device = join(parts_[static_cast<std::size_t>(rank)].devices, ", ");
  if (outcome == Outcome::error || outcome == Outcome::failed || outcome == Outcome::invalid)
    // Where it went wrong, not where it is by now: it has released its case.
    reason.text = name(rank) + ": " + reason.text + ", " +
                  (reason.phase.empty() ? progress_text(rank) : progress_text(rank, reason.phase));
}

void VisitInFlight::check_process_end(int rank, double now_s) {
  wire::Child& worker = set_.worker(rank);
  RankPart& mine = part(rank);
  if (worker.ended()) {
    result::Reason reason;
    if (mine.hung_up) {
      reason = reason_at(rank, "worker.exit", "closed its socket and had to be killed");
    } else {
      const bool by_signal = worker.end_signal() != 0;
      reason = reason_at(rank, by_signal ? "worker.signal" : "worker.exit", worker.end_text());
      reason.number = by_signal ? worker.end_signal() : worker.exit_status();
    }
    finish(rank, mine.killed ? Outcome::cancelled : Outcome::crashed, std::move(reason));
  } else if (worker.hung_up() && !mine.hung_up) {
    if (mine.hung_up_until_s == kNever) mine.hung_up_until_s = now_s + limits_.grace_s;
    if (now_s < mine.hung_up_until_s) return;
    mine.hung_up = true;
    mine.hung_up_until_s = kNever;
    worker.signal(SIGKILL);
  }
}

void VisitInFlight::finish(int rank, Outcome outcome, result::Reason reason) {
  part(rank).finished = true;
  part(rank).outcome = outcome;
  part(rank).reason = std::move(reason);
  order_.push_back(rank);
  --unfinished_;
}

void VisitInFlight::escalate(double now_s) {
  switch (stage_) {
    case VisitState::running:
      time_out(now_s);
      return;
    case VisitState::cancelled:
      // Those that only waited have ended by now: the cause is among the others.
      if (own_outcome_ == Outcome::timeout) own_reason_ = timeout_reason();
      signal_unfinished(SIGTERM);
      stage_ = VisitState::terminated;
      break;
    case VisitState::ending_early:
    case VisitState::terminated:
      signal_unfinished(SIGKILL);
      stage_ = VisitState::killed;
      break;
    case VisitState::killed:
      give_up();
      return;
  }
  stage_end_s_ = now_s + limits_.grace_s;
}

// Ranks' own deadlines can come a moment before ours, and then release those that wait for each other. The
// ones to blame are those that are not heard of.
bool VisitInFlight::only_waited() const {
  return !own_outcome_ && (stage_ == VisitState::running || stage_ == VisitState::ending_early) &&
         std::all_of(parts_.begin(), parts_.end(), [](const RankPart& rank) {
           return !rank.finished || rank.outcome == Outcome::passed || rank.outcome == Outcome::cancelled ||
                  rank.outcome == Outcome::timeout;
         });
}

void VisitInFlight::time_out(double now_s) {
  own_outcome_ = Outcome::timeout;
  own_reason_ = timeout_reason();
  cancel_unfinished();
  stage_ = VisitState::cancelled;
  stage_end_s_ = now_s + limits_.grace_s;
}

void VisitInFlight::stop(int signal, double now_s) {
  if (stage_ != VisitState::running || finished()) return;
  own_outcome_ = Outcome::cancelled;
  const std::string what = "was stopped by " + process::signal_text(signal);
  own_reason_ = reason_at(slowest(), "visit.cancelled", what);
  if (set_.size() > 1) {  // all ranks were
    own_reason_.text = "the visit " + what + ", " + progress_text(slowest());
    own_reason_.rank = -1;
    own_reason_.device.clear();
  }
  cancel_unfinished();
  stage_ = VisitState::cancelled;
  stage_end_s_ = now_s + limits_.grace_s;
}

void VisitInFlight::kill(double now_s) {
  if (finished() || stage_ == VisitState::killed) return;
  signal_unfinished(SIGKILL);
  stage_ = VisitState::killed;
  stage_end_s_ = now_s + limits_.grace_s;
}

void VisitInFlight::cancel_unfinished() {
  set_.segment().declare_cancelled();
  const Json cancel{{"type", "cancel"}, {"number", number_}};
  for (int rank = 0; rank < set_.size(); ++rank) {
    if (!part(rank).finished) set_.worker(rank).send(cancel);
  }
}

void VisitInFlight::signal_unfinished(int number) {
  for (int rank = 0; rank < set_.size(); ++rank) {
    if (part(rank).finished) continue;
    part(rank).killed = true;
    set_.worker(rank).signal(number);
  }
}

void VisitInFlight::give_up() {
  for (int rank = 0; rank < set_.size(); ++rank) {
    if (part(rank).finished) continue;
    finish(rank, Outcome::cancelled,
           reason_at(rank, "worker.signal", "does not die of SIGKILL: it hangs in the kernel"));
  }
}

bool VisitInFlight::answered() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const RankPart& rank) { return rank.visited.has_value(); });
}

result::Visit VisitInFlight::take() {
  std::vector<std::string> outputs;
  for (int rank = 0; rank < set_.size(); ++rank) {
    wire::Child& worker = set_.worker(rank);
    worker.drain_output();
    outputs.push_back(worker.output().empty() ? std::string() : worker.output().text());
    worker.output().clear();
    if (worker.end_signal() != 0) outputs.back() += crash_report(rank, outputs.back());
    if (!part(rank).visited && dirty_.empty()) dirty_ = part(rank).reason.text;
  }
  const bool followed_from_cause = !dirty_.empty() && !(set_.size() == 1 && answered());
  const int cause = own_outcome_ ? -1 : first_cause(parts_, order_);
  result::Visit visit = merge(parts_, outputs, cause);
  if (own_outcome_) {
    if (dirty_.empty()) dirty_ = own_reason_.text;
    // Its worker had to be killed, which counts against the device (Quarantine).
    const int blamed = set_.size() == 1 ? 0 : own_reason_.rank;
    if (blamed >= 0 && part(blamed).killed) {
      const int signal = set_.worker(blamed).end_signal();
      own_reason_.number = signal != 0 ? signal : SIGTERM;
    }
    const bool all_passed = std::all_of(parts_.begin(), parts_.end(),
                                        [](const RankPart& rank) { return rank.outcome == Outcome::passed; });
    // A visit that was whole before the request to stop reached it keeps its result.
    if (*own_outcome_ == Outcome::timeout || !all_passed) {
      visit.outcome = *own_outcome_;
      visit.reason = own_reason_;
    }
  }
  if (!own_outcome_) name_command(visit.reason);  // the worker noticed by itself
  if (const std::string text = set_.segment().disagreement(); !text.empty()) {
    visit.outcome = Outcome::error;
    visit.reason = {};
    visit.reason.code = kDisagree;
    visit.reason.text = text + "; all ranks must call the group alike";
  }
  // What a rank that noticed says of itself, or one that was killed for it, is not why the set is replaced.
  if (followed_from_cause && visit.outcome != Outcome::passed) dirty_ = visit.reason.text;
  if (!set_.segment().intact()) blame_overwriting(visit);
  return visit;
}

}  // namespace assay::run
