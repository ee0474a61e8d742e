// SPDX-License-Identifier: Apache-2.0
//
// What a visit that did not end well says of itself: which rank, where it was, and what happened.
#include "run/visit_in_flight.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay::run {

using result::Outcome;

std::string VisitInFlight::name(int rank) const {
  if (set_.size() == 1) return "the worker";
  const std::vector<std::string>& devices = parts_[static_cast<std::size_t>(rank)].devices;
  return "rank " + std::to_string(rank) + (devices.empty() ? "" : " (" + join(devices, ", ") + ")");
}

std::string VisitInFlight::progress_text(int rank) const {
  if (!set_.ready(rank)) return "while it loaded its plugin";
  const int phase = set_.segment().progress(rank).first;
  const bool known = phase > 0 && static_cast<std::size_t>(phase) < wire::kPhaseNames.size();
  if (!known) return "before it began";
  return progress_text(rank, std::string(wire::kPhaseNames[static_cast<std::size_t>(phase)]));
}

std::string VisitInFlight::progress_text(int rank, const std::string& phase) const {
  const std::uint64_t samples = set_.segment().progress(rank).second;
  std::string text = "in phase '" + phase + "'";
  if (samples > 0) text += " after " + count_of(samples, "sample");
  return text;
}

result::Reason VisitInFlight::reason_at(int rank, std::string code, const std::string& what) const {
  result::Reason reason;
  reason.code = std::move(code);
  reason.text = name(rank) + " " + what + ", " + progress_text(rank);
  const auto [phase, samples] = set_.segment().progress(rank);
  if (phase > 0 && static_cast<std::size_t>(phase) < wire::kPhaseNames.size()) {
    reason.phase = wire::kPhaseNames[static_cast<std::size_t>(phase)];
  }
  if (set_.size() > 1) reason.rank = rank;
  reason.device = join(parts_[static_cast<std::size_t>(rank)].devices, ", ");
  return reason;
}

// Who runs a command knows of no worker and no phase.
void VisitInFlight::name_command(result::Reason& reason) const {
  const bool runs = reason.phase == "sample" || reason.phase == "warmup";
  if (!limits_.is_command || set_.size() > 1 || reason.code != "visit.timeout" || !runs) return;
  const std::uint64_t ended = set_.segment().progress(0).second;
  reason.text = (ended == 0 ? std::string("the command") : "the runs of the command") +
                " did not end within " + shortest(limits_.timeout_s) + " s" +
                (ended == 0 ? "" : " together; " + std::to_string(ended) + " had ended");
}

// If several ranks stopped at the same point, nobody can tell which of them is the cause. The text lists them all, and the
// record names none, so that no device is withdrawn.
result::Reason VisitInFlight::timeout_reason() const {
  const int rank = slowest();
  const int signal = set_.worker(rank).stopped_by();
  result::Reason reason =
      reason_at(rank, "visit.timeout",
                "did not end within " + shortest(limits_.timeout_s) + " s" +
                    (signal != 0 ? ": " + process::signal_text(signal) + " had stopped it" : ""));
  if (signal != 0) return reason;
  name_command(reason);
  std::vector<std::string> others;
  for (int other = 0; other < set_.size(); ++other) {
    if (other != rank && !parts_[static_cast<std::size_t>(other)].finished && how_far(other) == how_far(rank))
      others.push_back(name(other));
  }
  if (others.empty()) return reason;
  reason.text += ", nor did " + join(others, ", ");
  reason.rank = -1;
  reason.device.clear();
  return reason;
}

std::string VisitInFlight::crash_report(int rank, const std::string& before) const {
  const std::span<const char> room = set_.segment().crash_report(rank);
  const auto end = std::find(room.begin(), room.end(), '\0');
  if (end == room.begin() || end == room.end()) return {};
  const bool in_line = !before.empty() && before.back() != '\n';
  return (in_line ? "\n" : "") + printable({room.data(), static_cast<std::size_t>(end - room.begin())});
}

// Those that come first hold up those that come later: a rank that waits for others does not hold them up.
std::tuple<bool, std::uint64_t, int> VisitInFlight::how_far(int rank) const {
  const auto [phase, samples] = set_.segment().progress(rank);
  return {set_.segment().waits(rank), samples, phase};
}

// The rank that is most likely what the others wait for: one that is stopped, or the one that is behind.
int VisitInFlight::slowest() const {
  for (int rank = 0; rank < set_.size(); ++rank) {
    if (!parts_[static_cast<std::size_t>(rank)].finished && set_.worker(rank).stopped_by() != 0) return rank;
  }
  int slowest = -1;
  for (int rank = 0; rank < set_.size(); ++rank) {
    if (parts_[static_cast<std::size_t>(rank)].finished) continue;
    if (slowest < 0 || how_far(rank) < how_far(slowest)) slowest = rank;
  }
  return std::max(slowest, 0);
}

// What ranks said of a cancel or a death that nobody had declared is worth nothing; a death is one.
void VisitInFlight::blame_overwriting(result::Visit& visit) {
  const std::string text =
      "the memory that the ranks share with the controller was overwritten by the plugin or a library";
  dirty_ = text;
  // A rank that was about to attach to that memory gives up with an ordinary exit: that follows from it.
  const bool followed = visit.reason.code == "worker.exit";
  if ((visit.outcome == Outcome::crashed && !followed) || visit.outcome == Outcome::timeout) {
    visit.notes.push_back(text);
    return;
  }
  visit.outcome = Outcome::error;
  visit.reason = {};
  visit.reason.code = "wire.malformed";
  visit.reason.text = text;
  if (set_.size() == 1) visit.reason.device = join(parts_.front().devices, ", ");
}

}  // namespace assay::run
