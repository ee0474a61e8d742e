// SPDX-License-Identifier: Apache-2.0
#include "worker/serve_visit.hpp"

#include "measure/loop.hpp"
#include "text/clock.hpp"
#include "text/text.hpp"
#include "worker/case_context.hpp"
#include "worker/control.hpp"
#include "worker/exchange.hpp"
#include "worker/instance.hpp"
#include "worker/post_sample_checks.hpp"
#include "worker/visit_settings.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace assay::worker {
namespace {

using result::Outcome;

constexpr std::int64_t kInterimEvery_ns = 500'000'000;

const char* to_text(assay_clock clock) {
  switch (clock) {
    case ASSAY_CLOCK_DEVICE:
      return "device";
    case ASSAY_CLOCK_SIMULATED:
      return "simulated";
    default:
      return "host";
  }
}

const char* to_text(measure::Phase phase) {
  switch (phase) {
    case measure::Phase::calibrate:
      return "calibrate";
    case measure::Phase::warmup:
      return "warmup";
    case measure::Phase::sample:
      return "sample";
  }
  return "";
}

double seconds_since(std::int64_t then_ns) { return measure::seconds_between(then_ns, monotonic_ns()); }

int phase_index(std::string_view name) {
  const auto found = std::find(wire::kPhaseNames.begin(), wire::kPhaseNames.end(), name);
  return static_cast<int>(found - wire::kPhaseNames.begin());
}

class VisitServer final : public measure::LoopWatch {
 public:
  VisitServer(const LoadedPlugin& plugin, const wire::StartVisit& start, std::int64_t deadline_ns,
              const RankPosition& place, const Interruption& interruption, const VisitReports& reports,
              const measure::GuardSet& guards)
      : plugin_(plugin),
        start_(start),
        place_(place),
        reports_(reports),
        context_(start, deadline_ns, place, interruption, reports.log),
        settings_(settings_of(start)),
        instance_(plugin.benchmark(), context_) {
    settings_.guards = guards;
    plugin_.host().begin_case(context_.messages());
  }
  ~VisitServer() override { plugin_.host().end_case(); }
  VisitServer(const VisitServer&) = delete;  // the plugin's log goes to it
  VisitServer& operator=(const VisitServer&) = delete;

  wire::Visited serve() {
    const std::int64_t began_ns = monotonic_ns();
    visited_.number = start_.number;
    visited_.visit.case_id = start_.case_id;
    visited_.visit.started_at_s = unix_s();
    visited_.visit.measurement.stop = "error";
    visited_.visit.measurement.judged = !start_.profile;
    steps();
    if (ending_ && !place_.alone()) place_.segment->declare_cancelled();
    set_progress("release");
    release();
    tell_changed_mode();
    finish();
    visited_.visit.duration_s = static_cast<double>(monotonic_ns() - began_ns) * 1e-9;
    return std::move(visited_);
  }

  bool proceed(measure::Phase phase, std::uint64_t samples) override {
    if (loop_phase_ != phase) {
      loop_phase_ = phase;
      instance_.set_phase(to_text(phase));
      loop_phase_index_ = phase_index(to_text(phase));
    }
    if (place_.segment != nullptr) place_.segment->set_progress(place_.rank, loop_phase_index_, samples);
    return !context_.interrupted();
  }

  void look(const measure::RankSeries& series) override {
    const std::int64_t now_ns = monotonic_ns();
    if (last_interim_ns_ == 0) last_interim_ns_ = now_ns;
    if (now_ns - last_interim_ns_ < kInterimEvery_ns) return;
    last_interim_ns_ = now_ns;
    const auto from = static_cast<std::ptrdiff_t>(interim_samples_);
    result::Series news;
    news.iterations = series.iterations;
    news.device_s.assign(series.device_s.begin() + from, series.device_s.end());
    news.host_s.assign(series.host_s.begin() + from, series.host_s.end());
    news.begin_s.assign(series.begin_s.begin() + from, series.begin_s.end());
    interim_samples_ = series.device_s.size();
    reports_.samples({{"type", "samples"},
                      {"number", start_.number},
                      {"rank", place_.rank},
                      {"series", result::to_json(news)}});
  }

 private:
  // Goes on as long as nothing ends the visit.
  void steps() {
    if (!enter("create") || note(instance_.create(plugin_.self(), start_.benchmark.c_str()))) return;
    if (!enter("probe") || note(instance_.probe())) return;
    if (!enter("prepare")) return;
    const std::int64_t prepare_ns = monotonic_ns();
    if (note(instance_.prepare())) return;
    spent_.prepare_s = seconds_since(prepare_ns);
    if (!enter("traits") || note(instance_.traits(traits_))) return;
    result::Measurement& measurement = visited_.visit.measurement;
    measurement.clock = to_text(traits_.clock);
    measurement.tick_s = traits_.tick_s;
    measurement.launches_per_iteration = traits_.launches_per_iteration;
    if (!enter("verify")) return;
    const std::int64_t verify_ns = monotonic_ns();
    if (note(instance_.verify(ASSAY_VERIFY_BEFORE))) return;
    spent_.verify_s = seconds_since(verify_ns);
    const std::int64_t measure_ns = monotonic_ns();
    if (!measure()) return;
    spent_.samples_s = seconds_since(measure_ns);
    if (enter("verify")) after_samples();
  }

  void after_samples() {
    PostSampleChecks after(instance_, context_.recorder(), place_, traits_of(traits_), settings_, spent_);
    const result::Series& series = visited_.visit.ranks.front().series;
    if (note(after.verify(series))) return;
    if (start_.trace && !trace()) return;
    if (note(after.change_inputs(start_.measure.seed, series))) return;
    inputs_changed_ = after.inputs_changed();
    if (instance_.idempotent() || inputs_changed_) note(instance_.verify(ASSAY_VERIFY_AFTER));
  }

  void release() {
    const std::int64_t release_ns = monotonic_ns();
    const bool went_well = !ending_;
    note(instance_.release());
    if (went_well) note(waited_in_release(traits_of(traits_), settings_, spent_, seconds_since(release_ns)));
  }

  void tell_changed_mode() {
    if (instance_.changed_mode().empty()) return;
    const std::string text =
        "plugin '" + plugin_.id() + "' left the process changed: " + instance_.changed_mode();
    refuse(Outcome::invalid, {measure::SamplingEnd::invalid, "state.changed", text}, "");
    if (visited_.dirty.empty()) visited_.dirty = text;
  }

  // What a reader has to take from the plugin.
  void declare() {
    if (traits_.clock == ASSAY_CLOCK_SIMULATED || start_.profile) return;
    result::Visit& visit = visited_.visit;
    if ((traits_.flags & ASSAY_TRAIT_UNLIKE_RANKS) != 0 && !place_.alone())
      visit.measurement.flags.emplace_back(result::kUnlikeRanks);
    if (visit.work.empty()) return;
    if (!inputs_changed_) visit.measurement.flags.emplace_back("work_declared");
    if ((traits_.flags & ASSAY_TRAIT_PARTS) != 0) visit.measurement.flags.emplace_back("time_in_parts");
  }

  // For whoever finds the process dead.
  void set_progress(const char* phase) {
    if (place_.segment != nullptr) place_.segment->set_progress(place_.rank, phase_index(phase), samples());
  }

  // False if the visit should end before the phase.
  bool enter(const char* phase) {
    set_progress(phase);
    if (!context_.interrupted()) return true;
    note(interrupted_ending(context_.cause(), phase));
    return false;
  }

  // Keeps the first ending; true if there is one. A later one can still make the worker dirty.
  bool note(std::optional<VisitEnding> ending) {
    if (!ending) return false;
    if (visited_.dirty.empty()) visited_.dirty = ending->dirty;
    if (!ending_) ending_ = std::move(ending);
    return true;
  }

  bool measure() {
    measure::SteadyClock steady;
    measure::SimulatedClock simulated;
    const bool is_simulated = traits_.clock == ASSAY_CLOCK_SIMULATED;
    SegmentExchange exchange(place_);
    measure::RankTeam team(place_.alone() ? nullptr : &exchange);
    measure::LoopResult result =
        measure::measure(instance_, team, is_simulated ? static_cast<measure::Clock&>(simulated) : steady,
                         *this, traits_of(traits_), settings_);
    keep(result);
    const char* phase = to_text(result.phase);
    switch (result.fault.ending) {
      case measure::SamplingEnd::completed:
        return true;
      case measure::SamplingEnd::cancelled:
      case measure::SamplingEnd::failed:
        if (auto ending = instance_.take_ending()) {
          note(std::move(ending));
        } else {
          note(interrupted_ending(context_.cause(), phase));
        }
        return false;
      case measure::SamplingEnd::error:
        return refuse(Outcome::error, result.fault, phase);
      case measure::SamplingEnd::invalid:
        return refuse(Outcome::invalid, result.fault, phase);
    }
    return false;
  }

  bool refuse(Outcome outcome, const measure::Fault& fault, const char* phase) {
    VisitEnding ending;
    ending.outcome = outcome;
    ending.reason.code = fault.code;
    ending.reason.text = fault.text;
    ending.reason.phase = phase;
    note(std::move(ending));
    return false;
  }

  void keep(measure::LoopResult& result) {
    result::Measurement& measurement = visited_.visit.measurement;
    measurement.calibrated_n = result.calibrated_n;
    measurement.warmup_iterations = result.warmup_iterations;
    measurement.warmup_s = result.warmup_s;
    measurement.stop = result.stop;
    measurement.done = result.done;
    measurement.flags = std::move(result.flags);
    measurement.n_ratio = result.n_ratio;
    measurement.once_s = std::move(result.pairs.once_s);
    measurement.twice_s = std::move(result.pairs.twice_s);
    if (traits_.clock != ASSAY_CLOCK_SIMULATED && result.first_begin_ns != 0)
      measurement.first_sample_at_s = unix_time_of(result.first_begin_ns);
    result::RankRecord& record = visited_.visit.ranks.emplace_back();
    record.series = {result.series.iterations, std::move(result.series.device_s),
                     std::move(result.series.host_s), std::move(result.series.begin_s),
                     std::move(result.series.laps_s)};
  }

  bool trace() {
    if ((traits_.flags & ASSAY_TRAIT_SPANS) == 0) return true;
    measure::Sample unused;
    instance_.set_phase("sample");
    context_.recorder().set_tracing(true);
    const measure::RegionStatus ran = instance_.run(measure::VisitMode::trace, traits_.quantum, {}, unused);
    context_.recorder().finish_trace();
    context_.recorder().set_tracing(false);
    return ran == measure::RegionStatus::ok || !note(instance_.take_ending());
  }

  [[nodiscard]] std::uint64_t samples() const {
    return visited_.visit.ranks.empty() ? 0 : visited_.visit.ranks.front().series.device_s.size();
  }

  void finish() {
    result::Visit& visit = visited_.visit;
    if (visit.ranks.empty()) visit.ranks.emplace_back();
    result::RankRecord& record = visit.ranks.front();
    record.rank = place_.rank;
    for (const wire::VisitDevice& device : start_.devices) record.devices.push_back(device.name);
    context_.recorder().take(record, visit.work);
    record.verifications = std::move(instance_.verifications());
    if (const std::string leaked = context_.memory().leaked(); !leaked.empty()) {
      visit.raise("memory.leaked", "the plugin did not free " + leaked + "; its worker is replaced");
      if (visited_.dirty.empty()) visited_.dirty = "leaked memory: " + leaked;
    }
    record.log = context_.messages().log_tail();
    visit.outcome = Outcome::passed;
    if (!ending_) return declare();
    visit.outcome = ending_->outcome;
    visit.reason = std::move(ending_->reason);
    if (visit.reason.device.empty()) visit.reason.device = join(record.devices, ", ");
    if (!place_.alone()) visit.reason.rank = place_.rank;
  }

  const LoadedPlugin& plugin_;
  const wire::StartVisit& start_;
  const RankPosition& place_;
  const VisitReports& reports_;
  CaseContext context_;
  measure::VisitSettings settings_;
  Instance instance_;
  assay_traits traits_{};
  wire::Visited visited_;
  std::optional<VisitEnding> ending_;
  std::optional<measure::Phase> loop_phase_;
  int loop_phase_index_ = 0;
  std::int64_t last_interim_ns_ = 0;
  std::size_t interim_samples_ = 0;
  measure::VisitDurations spent_;
  bool inputs_changed_ = false;
};

}  // namespace

wire::Visited serve_visit(const LoadedPlugin& plugin, const wire::StartVisit& start, std::int64_t deadline_ns,
                          const RankPosition& place, const Interruption& interruption,
                          const VisitReports& reports, const measure::GuardSet& guards) {
  return VisitServer(plugin, start, deadline_ns, place, interruption, reports, guards).serve();
}

}  // namespace assay::worker
