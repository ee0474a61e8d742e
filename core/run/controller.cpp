// SPDX-License-Identifier: Apache-2.0
#include "run/controller.hpp"

#include "base/error.hpp"
#include "result/throttle.hpp"
#include "run/heartbeat.hpp"
#include "system/processor_use.hpp"
#include "text/clock.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <set>

namespace assay::run {
namespace {

using result::Outcome;

// A device that its backend gave up during the visit is the cause of whatever became of the visit; a result
// that was taken on it meanwhile is not to be trusted either.
void blame_lost_device(const plan::PlannedCase& planned, result::Visit& visit) {
  const auto lost =
      std::find_if(visit.throttle.begin(), visit.throttle.end(),
                   [](const result::ThrottleReason& each) { return each.reason == catalog::kLost; });
  if (lost == visit.throttle.end()) return;
  const std::string became = visit.reason.text;
  visit.outcome = Outcome::error;
  visit.reason.code = "device.lost";
  visit.reason.text = "backend '" + planned.manifest->backend + "' says that device '" + lost->device +
                      "' no longer answers" + (became.empty() ? "" : "; " + became);
  visit.reason.device = lost->device;
  for (std::size_t rank = 0; rank < planned.placement.ranks.size() && planned.placement.ranks.size() > 1;
       ++rank) {
    const std::vector<std::string>& devices = planned.placement.ranks[rank].devices;
    if (contains(devices, lost->device)) visit.reason.rank = static_cast<int>(rank);
  }
}

// Those that its ranks are bound to; none if some rank may use all.
std::vector<int> cpus_of(const plan::PlannedCase& planned) {
  std::vector<int> cpus;
  for (const plan::RankPlacement& rank : planned.placement.ranks) {
    if (rank.cpus.empty()) return {};
    cpus.insert(cpus.end(), rank.cpus.begin(), rank.cpus.end());
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

bool is_to_cool(const plan::PlannedCase& planned, const result::Visit& visit) {
  return planned.measure.throttle == plan::Throttle::cooldown && visit.outcome == Outcome::passed &&
         result::is_throttled(visit, plan::meaning_of(planned));
}

}  // namespace

Controller::Controller(const plan::Plan& plan, const system::Inventory& inventory,
                       const catalog::Catalog& catalog, const RunSettings& settings,
                       const std::function<StopRequest()>& stop, const Finished& finished,
                       const RunWatch& watch)
    : plan_(plan),
      settings_(settings),
      stop_(stop),
      finished_(finished),
      watch_(watch),
      quarantine_([&inventory](const std::string& name) {
        const system::Device* device = inventory.find_device(name);
        return device != nullptr && !device->uuid.empty();
      }),
      sets_(
          plan, inventory, settings, [this](const std::string& name) { return backend(name); },
          [this](const std::string& device) { return quarantine_.quarantined(device); }),
      started_s_(monotonic_s()) {
  // What a profiler starts is its own affair.
  if (settings.wrap.empty()) orphan_reaper_.emplace();
  start_backends(catalog);
}

void Controller::start_backends(const catalog::Catalog& catalog) {
  for (const plan::PlannedVisit& planned : plan_.order) {
    const plan::PlannedCase& current = plan_.cases[planned.case_index];
    const std::string name = plan::backend_of(current);
    if (current.predetermined || name.empty() || backends_.contains(name) ||
        plan::devices_of(current).empty())
      continue;
    const catalog::Manifest* manifest = catalog.backend(name);
    backends_[name] = manifest != nullptr ? std::make_unique<BackendProcess>(*manifest, settings_) : nullptr;
  }
}

BackendProcess* Controller::backend(const std::string& name) {
  const auto found = backends_.find(name);
  return found != backends_.end() ? found->second.get() : nullptr;
}

Record Controller::run(const std::vector<result::Visit>& done) {
  Record record;
  std::map<std::string, const plan::PlannedCase*> case_of;
  for (const plan::PlannedCase& planned : plan_.cases) case_of[planned.id] = &planned;
  std::map<std::pair<std::string, int>, int> cancelled_attempts;
  std::set<std::pair<std::string, int>> known;  // the last attempt decides
  for (const result::Visit& visit : done) {
    const std::pair<std::string, int> key{visit.case_id, visit.round};
    if (visit.outcome == Outcome::cancelled) {
      known.erase(key);
      cancelled_attempts[key] = visit.attempt;
      continue;
    }
    known.insert(key);
    if (const auto found = case_of.find(visit.case_id); found != case_of.end())
      quarantine_.record(*found->second, visit);
  }
  const auto is_known = [&](const plan::PlannedVisit& planned) {
    return known.contains({plan_.cases[planned.case_index].id, planned.round});
  };
  for (const plan::PlannedVisit& planned : plan_.order) {
    if (is_known(planned)) {
      ++done_;
    } else if (!plan_.cases[planned.case_index].predetermined) {
      time_estimator_.add(plan_.cases[planned.case_index]);
    }
  }
  for (const plan::PlannedVisit& planned : plan_.order) {
    if (is_known(planned)) continue;
    if (const StopRequest request = stop_ ? stop_() : StopRequest{}; request.count > 0) {
      interrupted_by_ = request.signal;
      break;
    }
    const plan::PlannedCase& current = plan_.cases[planned.case_index];
    visit_started_s_ = monotonic_s();
    tell(RunProgress::Kind::visit_started, current, nullptr);
    const auto earlier = cancelled_attempts.find({current.id, planned.round});
    const int attempt = earlier != cancelled_attempts.end() ? earlier->second + 1 : 1;
    result::Visit finished = attempt_of(current, planned.round, attempt);
    if (finished_) finished_(finished);
    if (is_to_cool(current, finished)) {
      if (const std::optional<std::string> note = cool_down(current, finished)) {
        finished = attempt_of(current, planned.round, attempt + 1);
        finished.notes.insert(finished.notes.begin(), *note);
        if (finished_) finished_(finished);
      }
    }
    time_estimator_.finish(current, monotonic_s() - visit_started_s_);
    ++done_;
    tell(RunProgress::Kind::visit_finished, current, &finished);
    if (interrupted_by_ != 0) break;
  }
  record.interrupted_by = interrupted_by_;
  sets_.end(interrupted_by_ == 0);
  for (const auto& [name, source] : backends_) {
    if (source) source->close();
  }
  return record;
}

result::Visit Controller::attempt_of(const plan::PlannedCase& planned, int round, int attempt) {
  const double started_at_s = unix_s(), started_s = monotonic_s();
  result::Visit finished = visit(planned, round);
  finished.case_id = planned.id;
  finished.round = round;
  finished.attempt = attempt;
  finished.started_at_s = started_at_s;
  finished.duration_s = monotonic_s() - started_s;
  quarantine_.record(planned, finished);
  return finished;
}

result::Visit Controller::visit(const plan::PlannedCase& planned, int round) {
  result::Visit result;
  if (planned.predetermined) {
    result.outcome = *planned.predetermined;
    result.reason = planned.predetermined_reason;
    return result;
  }
  if (std::optional<result::Reason> refusal = quarantine_.refusal(planned)) {
    result.outcome = Outcome::not_run;
    result.reason = std::move(*refusal);
    return result;
  }
  std::vector<std::string> notes;
  try {
    result = measure(planned, round, notes);
  } catch (const Error& error) {
    sets_.end(false);
    result.outcome = Outcome::error;
    result.reason.code = error.code() == "backend.unavailable" ? error.code() : "worker.start";
    result.reason.text = error.what();
  }
  if (!settings_.wrap.empty()) result.measurement.judged = false;
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  end_orphans(result);
  return result;
}

void Controller::end_orphans(result::Visit& visit) {
  if (!orphan_reaper_) return;
  const std::vector<std::string> ended = orphan_reaper_->end();
  if (ended.empty()) return;
  visit.raise("state.changed", "the plugin left processes behind, which were killed: " + join(ended, ", "));
}

result::Visit Controller::measure(const plan::PlannedCase& planned, int round,
                                  std::vector<std::string>& notes) {
  for (;;) {
    RankSet& set = sets_.get(planned, round, notes);
    result::Visit telemetry;
    begin_reading(planned, telemetry);
    VisitInFlight flight(
        set, sets_.starts(planned, set),
        {planned.timeout_s, settings_.grace_s, settings_.rank_grace_s, plan::runs_command(planned)},
        monotonic_s());
    const system::ProcessorWatch watch(cpus_of(planned));
    record_other_runs(telemetry, true);
    serve_until_finished(set, flight, planned, telemetry);
    record_other_runs(telemetry, true);
    result::Visit result = flight.take();
    result.processors = watch.use();
    result.beside = std::move(telemetry.beside);
    result.telemetry = std::move(telemetry.telemetry);
    result.throttle = std::move(telemetry.throttle);
    result.telemetry_problem = std::move(telemetry.telemetry_problem);
    notes.insert(notes.end(), telemetry.notes.begin(), telemetry.notes.end());
    blame_lost_device(planned, result);
    if (!flight.dirty().empty()) {
      // A worker that served others and ended before the plugin was entered did so because of them, not of
      // this visit.
      const bool ended_before =
          result.outcome == Outcome::crashed && result.reason.phase.empty() && set.visits() > 1;
      notes.push_back("worker replaced: " + flight.dirty());
      sets_.end(flight.answered());
      if (ended_before) continue;
    } else if (settings_.isolation == Isolation::visit) {
      sets_.end(true);
    }
    return result;
  }
}

void Controller::serve_until_finished(RankSet& set, VisitInFlight& flight, const plan::PlannedCase& planned,
                                      result::Visit& telemetry) {
  BackendProcess* source = backend(plan::backend_of(planned));
  const std::vector<std::string> devices = plan::devices_of(planned);
  if (devices.empty()) source = nullptr;
  double heartbeat_s = monotonic_s() + kHeartbeat_s;
  int requests = 0;
  while (!flight.finished()) {
    double now_s = monotonic_s();
    if (source != nullptr) source->tick(now_s, devices);
    double until_s = std::min(flight.next_deadline_s(), heartbeat_s);
    if (source != nullptr) until_s = std::min(until_s, source->next_tick_s());
    polled_.clear();
    set.collect(polled_);
    if (source != nullptr) source->collect(polled_);
    const int ready = poll(polled_.data(), polled_.size(), wait_ms(until_s));
    now_s = monotonic_s();
    if (ready > 0) {
      set.pump(polled_);
      if (source != nullptr) source->pump(polled_);
    } else if (ready < 0) {
      heartbeat_s = now_s;  // a signal came
    }
    flight.advance(now_s);
    if (source != nullptr) take_telemetry(*source, devices, telemetry);
    if (now_s < heartbeat_s || flight.finished()) continue;
    heartbeat_s = now_s + kHeartbeat_s;
    const StopRequest request = stop_ ? stop_() : StopRequest{};
    if (request.count > 0 && requests == 0) {
      interrupted_by_ = request.signal;
      flight.stop(request.signal, now_s);
    }
    if (request.count > 1 && requests < 2) flight.kill(now_s);
    requests = request.count;
    record_other_runs(telemetry, false);
    tell(RunProgress::Kind::tick, planned, nullptr);
  }
  if (source != nullptr) finish_reading(*source, devices, telemetry);
}

void Controller::record_other_runs(result::Visit& visit, bool due) {
  // A look takes microseconds, and never more than a hundredth of the time, however full the folder is.
  constexpr double kEvery_s = 0.1, kRest = 100;
  const double now_s = monotonic_s();
  if (!settings_.others || (!due && now_s < next_look_s_)) return;
  for (result::OtherRun& other : settings_.others()) add_once(visit.beside, std::move(other));
  next_look_s_ = now_s + std::max(kEvery_s, kRest * (monotonic_s() - now_s));
}

void Controller::tell(RunProgress::Kind kind, const plan::PlannedCase& planned, const result::Visit* visit) {
  if (!watch_) return;
  const double now_s = monotonic_s();
  RunProgress progress;
  progress.kind = kind;
  progress.done = done_;
  progress.total = plan_.order.size();
  progress.current = &planned;
  progress.visit = visit;
  progress.elapsed_s = now_s - started_s_;
  const bool running = kind == RunProgress::Kind::tick || kind == RunProgress::Kind::cooling;
  const double running_s = running ? now_s - visit_started_s_ : 0;
  progress.expected_remaining_s = std::max(0.0, time_estimator_.remaining_s() - running_s);
  if (running) progress.telemetry = &latest_;
  watch_(progress);
}

}  // namespace assay::run
