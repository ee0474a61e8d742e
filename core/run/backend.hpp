// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.hpp"
#include "result/visit.hpp"
#include "run/run.hpp"
#include "wire/child.hpp"

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::run {

// A backend's plugin in a worker of its own, which takes no measurements. If it crashes or hangs, telemetry
// ends and nothing else; what must be answered is asked of a fresh worker.
class BackendProcess {
 public:
  BackendProcess(const catalog::Manifest& manifest, const RunSettings& settings);

  // Sends the question for the inventory; answer with inventory().
  void ask_inventory();
  // Waits for the answer; asks a fresh worker once more if the first one died over it. Throws Error "backend.unavailable" with the reason.
  [[nodiscard]] Json inventory();
  // The environment that makes a worker see just these devices, in this order; asked once per list of
  // devices. Throws Error "backend.unavailable".
  [[nodiscard]] const std::map<std::string, std::string>& visibility(const std::vector<std::string>& devices);

  // Telemetry, in the caller's poll loop. tick() sends a question if one is due and none is open.
  void tick(double now_s, const std::vector<std::string>& devices);
  // Sends a question now, due or not, unless one is open.
  void read_now(double now_s, const std::vector<std::string>& devices);
  // Whether a question of tick() waits for its answer; tick() gives it up after its time.
  [[nodiscard]] bool is_reading() const;
  // When tick() has something to do next; infinite if telemetry has ended.
  [[nodiscard]] double next_tick_s() const;
  void collect(std::vector<pollfd>& polled);
  void pump(const std::vector<pollfd>& polled);
  // What came since the last call.
  [[nodiscard]] std::vector<result::Reading> take_readings() { return std::exchange(readings_, {}); }
  [[nodiscard]] std::vector<result::ThrottleReason> take_throttle() { return std::exchange(throttle_, {}); }
  [[nodiscard]] std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
  // Why telemetry is missing, or what of it was refused, since it was last in order; empty if nothing is.
  [[nodiscard]] const std::string& telemetry_problem() const { return telemetry_problem_; }

  // Asks it to end and waits a moment for it.
  void close();

 private:
  void start();
  void ask(const Json& question, const std::string& answer_type);
  [[nodiscard]] Json await(const std::string& answer_type);
  void handle_frames();
  void handle(const Json& frame);
  void take(const Json& frame);
  void take_line(const std::string& level, const std::string& text);
  void mark_lost(const std::string& why);
  void end_telemetry(const std::string& why);
  void refuse(const std::string& what, const std::string& name);

  const catalog::Manifest& manifest_;
  const RunSettings& settings_;
  std::unique_ptr<wire::Child> worker_;
  bool polled_ = false;
  bool died_ = false;             // the last worker ended by itself
  std::deque<std::string> open_;  // types of the answers that are due, in order
  std::map<std::string, Json> answers_;
  std::string problem_;  // why the last worker was lost, or what it answered instead
  bool telemetry_ended_ = false;
  std::string telemetry_problem_;
  double last_tick_s_ = -std::numeric_limits<double>::infinity();  // the clock may have begun a moment ago
  std::map<std::vector<std::string>, std::map<std::string, std::string>> visibility_;
  std::vector<result::Reading> readings_;
  std::vector<result::ThrottleReason> throttle_;
  std::vector<std::string> notes_;
  std::set<std::string> lines_;  // that became notes
};

}  // namespace assay::run
