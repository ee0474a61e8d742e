// SPDX-License-Identifier: Apache-2.0
#include "run/backend.hpp"

#include "base/error.hpp"
#include "run/frame_text.hpp"
#include "run/launch.hpp"
#include "text/clock.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"
#include "wire/load_of.hpp"

#include <limits>

namespace assay::run {
namespace {

const std::string kReadings = "readings";

}  // namespace

BackendProcess::BackendProcess(const catalog::Manifest& manifest, const RunSettings& settings)
    : manifest_(manifest), settings_(settings) {
  start();
}

void BackendProcess::start() {
  open_.clear();
  answers_.clear();
  problem_.clear();
  polled_ = false;
  died_ = false;
  if (!telemetry_ended_) telemetry_problem_.clear();  // of the worker that was lost
  try {
    worker_ = std::make_unique<wire::Child>(launch_of(settings_), wire::load_of(manifest_));
  } catch (const Error& error) {
    mark_lost(error.what());
  }
}

void BackendProcess::ask(const Json& question, const std::string& answer_type) {
  if (!worker_) return;
  // If nobody is there to receive it, its end is on the way and says why.
  worker_->send(question);
  open_.push_back(answer_type);
}

void BackendProcess::ask_inventory() { ask(Json{{"type", "inventory"}}, "inventory"); }

Json BackendProcess::inventory() {
  Json answer;
  try {
    answer = await("inventory");
  } catch (const Error&) {
    // All that a run is planned by hangs on this answer: one death (out of memory, a signal) is not believed.
    if (!died_) throw;
    start();
    ask_inventory();
    answer = await("inventory");
  }
  const auto json = answer.find("json");
  if (json == answer.end() || !json->is_object()) {
    throw Error("backend.unavailable",
                "plugin '" + manifest_.id + "' gave an inventory that is not a JSON object");
  }
  return *json;
}

const std::map<std::string, std::string>& BackendProcess::visibility(
    const std::vector<std::string>& devices) {
  if (const auto known = visibility_.find(devices); known != visibility_.end()) return known->second;
  if (!worker_) start();
  ask(Json{{"type", "visibility"}, {"devices", devices}}, "visibility");
  const Json answer = await("visibility");
  std::map<std::string, std::string> environment;
  try {
    answer.at("environment").get_to(environment);
  } catch (const Json::exception&) {
    mark_lost("it answered a question for visibility with something else");
    throw Error("backend.unavailable", problem_);
  }
  return visibility_.emplace(devices, std::move(environment)).first->second;
}

Json BackendProcess::await(const std::string& answer_type) {
  const double deadline_s = monotonic_s() + settings_.answer_s;
  for (;;) {
    if (const auto found = answers_.find(answer_type); found != answers_.end()) {
      Json answer = std::move(found->second);
      answers_.erase(found);
      if (text_of(answer, "type") == "error") throw Error("backend.unavailable", text_of(answer, "text"));
      return answer;
    }
    if (!worker_) throw Error("backend.unavailable", problem_);
    const double left_s = deadline_s - monotonic_s();
    if (left_s <= 0) {
      mark_lost("plugin '" + manifest_.id + "' did not answer within " + shortest(settings_.answer_s) + " s" +
                worker_->last_line());
      continue;
    }
    worker_->wait(left_s);
    handle_frames();
  }
}

bool BackendProcess::is_reading() const { return worker_ && contains(open_, kReadings); }

void BackendProcess::tick(double now_s, const std::vector<std::string>& devices) {
  if (!worker_ || telemetry_ended_) return;
  if (now_s < next_tick_s()) return;
  if (is_reading()) {
    mark_lost("plugin '" + manifest_.id + "' did not answer a read of telemetry within " +
              shortest(settings_.answer_s) + " s");
    return;
  }
  read_now(now_s, devices);
}

void BackendProcess::read_now(double now_s, const std::vector<std::string>& devices) {
  if (!worker_ || telemetry_ended_ || is_reading()) return;
  last_tick_s_ = now_s;
  ask(Json{{"type", "read"}, {"devices", devices}}, kReadings);
}

double BackendProcess::next_tick_s() const {
  if (!worker_ || telemetry_ended_) return std::numeric_limits<double>::infinity();
  return last_tick_s_ + (is_reading() ? settings_.answer_s : settings_.telemetry_every_s);
}

void BackendProcess::collect(std::vector<pollfd>& polled) {
  polled_ = worker_ != nullptr;
  if (worker_) worker_->collect(polled);
}

void BackendProcess::pump(const std::vector<pollfd>& polled) {
  if (!worker_ || !polled_) return;
  worker_->pump(polled);
  handle_frames();
}

void BackendProcess::handle_frames() {
  try {
    while (worker_) {
      const std::optional<Json> frame = worker_->next_frame();
      if (!frame) break;
      handle(*frame);
    }
  } catch (const Error& error) {
    mark_lost("plugin '" + manifest_.id + "' broke the protocol: " + error.what());
  }
  if (worker_ && (worker_->ended() || worker_->hung_up())) {
    worker_->await_end();
    died_ = true;
    mark_lost("the worker of plugin '" + manifest_.id + "' " + worker_->end_text() + worker_->last_line());
  }
}

void BackendProcess::handle(const Json& frame) {
  const std::string name = text_of(frame, "type");
  if (name == "ready") return;
  if (name == "log") return take_line(text_of(frame, "level"), text_of(frame, "text"));
  if (name == "error" && open_.empty()) return mark_lost(text_of(frame, "text"));  // it could not be loaded
  if (open_.empty()) throw Error("wire.malformed", "an answer came that nobody asked for");
  if (name != "error" && name != open_.front()) {
    throw Error("wire.malformed", "the answer '" + name + "' came where '" + open_.front() + "' was due");
  }
  const std::string due = open_.front();
  open_.pop_front();
  if (due != kReadings) {
    answers_[due] = frame;
  } else if (name == "error") {
    telemetry_ended_ = true;
    end_telemetry("no telemetry from plugin '" + manifest_.id + "': " + text_of(frame, "text"));
  } else {
    take(frame);
  }
}

// What a backend says once it would say with each reading.
void BackendProcess::take_line(const std::string& level, const std::string& text) {
  constexpr std::size_t kMostLines = 20;
  if (level != "warning" && level != "error") return;
  if (lines_.size() < kMostLines && lines_.insert(text).second)
    notes_.push_back("plugin '" + manifest_.id + "': " + level + ": " + printable(text));
}

void BackendProcess::take(const Json& frame) {
  const double at_s = unix_s();
  try {
    for (const Json& row : frame.at("readings")) {
      result::Reading reading{at_s, printable(row.at(0).get<std::string>()),
                              printable(row.at(1).get<std::string>()), 0};
      if (manifest_.quantity(reading.quantity) == nullptr) {
        refuse("reads", reading.quantity);
        continue;
      }
      if (row.at(2).is_null()) continue;  // was not finite
      row.at(2).get_to(reading.value);
      readings_.push_back(std::move(reading));
    }
    for (const Json& row : frame.at("reasons")) {
      throttle_.push_back(
          {at_s, printable(row.at(0).get<std::string>()), printable(row.at(1).get<std::string>())});
      const std::string& reason = throttle_.back().reason;
      if (reason != catalog::kLost && manifest_.reason(reason) == nullptr) refuse("gives the reason", reason);
    }
  } catch (const Json::exception&) {
    throw Error("wire.malformed", "readings are not rows of device, quantity and value");
  }
}

// Nobody could say what it is a number of, or what it means.
void BackendProcess::refuse(const std::string& what, const std::string& name) {
  if (!telemetry_problem_.empty()) return;
  end_telemetry("plugin '" + manifest_.id + "' " + what + " '" + name +
                "', which its manifest does not declare");
}

void BackendProcess::end_telemetry(const std::string& why) {
  telemetry_problem_ = why;
  notes_.push_back(why);
}

void BackendProcess::mark_lost(const std::string& why) {
  problem_ = why;
  if (!telemetry_ended_) end_telemetry("telemetry ended: " + why);
  // What hung or crashed over a read would do so again; a worker that is started for another question is not
  // asked to read.
  if (is_reading()) telemetry_ended_ = true;
  worker_.reset();
  open_.clear();
}

void BackendProcess::close() {
  if (!worker_) return;
  worker_->send(Json{{"type", "exit"}});
  worker_->await_end(settings_.grace_s);
  worker_.reset();
}

}  // namespace assay::run
