// SPDX-License-Identifier: Apache-2.0
#include "measure/sampler.hpp"

#include "model/vocabulary.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::measure {
namespace {

// How far device time may exceed host time: both clocks have a tick, and their rates are only nearly the
// same.
constexpr double kClockRateTolerance = 0.01;

bool is_duration(double seconds) { return std::isfinite(seconds) && seconds > 0; }

}  // namespace

Sampler::Sampler(Region& region, RankTeam& team, Clock& clock, LoopWatch& watch, const Traits& traits,
                 const VisitSettings& settings)
    : region_(region),
      team_(team),
      clock_(clock),
      watch_(watch),
      traits_(traits),
      mode_(settings.profile ? VisitMode::profile : VisitMode::measure),
      guards_(settings.guards),
      share_(traits) {}

void Sampler::end(SamplingEnd ending, std::string code, std::string text) {
  fault_ = {ending, std::move(code), std::move(text)};
}

void Sampler::refuse(GuardViolation violation) {
  end(SamplingEnd::invalid, std::move(violation.code), std::move(violation.text));
}

bool Sampler::take(const Command& command) {
  // Memory is found here, so that between two samples there is none to find.
  times_.clear();
  times_are_laps_ = command.phase == Phase::sample && command.laps != 0;
  times_.reserve(command.samples);
  if (command.phase == Phase::sample) {
    const std::size_t samples = series_.device_s.size() + command.samples;
    if (series_.device_s.capacity() < samples) {
      const std::size_t room = std::max(samples, 2 * series_.device_s.capacity());
      series_.device_s.reserve(room);
      series_.host_s.reserve(room);
      series_.begin_s.reserve(room);
    }
    if (times_are_laps_ && series_.laps_s.capacity() < samples * command.iterations) {
      series_.laps_s.reserve(std::max(samples * command.iterations, 2 * series_.laps_s.capacity()));
    }
    series_.iterations = command.iterations;
  }
  const std::size_t laps_before = series_.laps_s.size();
  for (std::uint64_t i = 0; i < command.samples; ++i) {
    if (!watch_.proceed(command.phase, series_.device_s.size()) || (!team_.solo() && !team_.gate())) {
      end(SamplingEnd::cancelled);
      return false;
    }
    if (!take_one(command)) return false;
  }
  if (times_are_laps_) {
    times_.assign(series_.laps_s.begin() + static_cast<std::ptrdiff_t>(laps_before), series_.laps_s.end());
  }
  return true;
}

bool Sampler::take_one(const Command& command) {
  std::span<double> laps;
  const std::size_t laps_before = series_.laps_s.size();
  if (times_are_laps_) {
    series_.laps_s.resize(laps_before + command.iterations);
    laps = std::span(series_.laps_s).subspan(laps_before);
  }
  Sample sample;
  const double began_s = clock_.now_s();
  const RegionStatus ran = region_.run(mode_, command.iterations, laps, sample);
  const double elapsed_s = traits_.clock == ClockKind::simulated ? sample.host_s : clock_.now_s() - began_s;
  if (ran != RegionStatus::ok) {
    series_.laps_s.resize(laps_before);
    end(ran == RegionStatus::cancelled ? SamplingEnd::cancelled : SamplingEnd::failed);
    return false;
  }
  if (!plausible(sample, elapsed_s) || !within_its_call(sample, began_s, elapsed_s)) {
    series_.laps_s.resize(laps_before);
    return false;
  }
  clock_.passed(sample.host_s);
  last_begin_ns_.reset();
  if (sample.begin_ns != 0) last_begin_ns_ = sample.begin_ns;
  times_.push_back(sample.device_s);
  if (guards_.share) share_.add(sample, command.iterations, elapsed_s);
  return command.phase != Phase::sample || keep(command, sample, began_s, laps_before);
}

bool Sampler::plausible(const Sample& sample, double elapsed_s) {
  if (!is_duration(sample.device_s) || !is_duration(sample.host_s)) {
    end(SamplingEnd::error, "plugin.bad-time",
        "the plugin gave a sample with " + shortest(sample.device_s) + " s of device time and " +
            shortest(sample.host_s) + " s of host time; both must be finite and above 0");
    return false;
  }
  const double limit = std::min(sample.host_s, elapsed_s) * (1 + kClockRateTolerance) + traits_.tick_s;
  if (guards_.device_time && sample.device_s > limit) {
    end(SamplingEnd::invalid, "guard.device-above-host",
        "the plugin's clock says " + shortest(sample.device_s) + " s for a sample, but only " +
            shortest(std::min(sample.host_s, elapsed_s)) +
            " s passed on the host; one of the clocks is wrong");
    return false;
  }
  return true;
}

// A simulated clock has no moments, and a profiler makes calls longer by what it likes.
bool Sampler::within_its_call(const Sample& sample, double began_s, double elapsed_s) {
  if (!guards_.moments || traits_.clock == ClockKind::simulated) return true;
  auto violation =
      check_call_times(sample, {std::llround(began_s * 1e9), std::llround((began_s + elapsed_s) * 1e9)});
  if (!violation) violation = check_host_time(sample, elapsed_s, traits_.tick_s);
  if (violation) refuse(std::move(*violation));
  return !violation;
}

bool Sampler::account(AccountRequest request, bool& accounted) {
  const bool exempt = !guards_.share || traits_.parts || traits_.clock == ClockKind::simulated ||
                      mode_ == VisitMode::profile || (done() & model::kFlushed) != 0;
  unaccounted_ = exempt ? std::nullopt : share_.violation(request != AccountRequest::first);
  if (request == AccountRequest::first) share_ = WallShare(traits_);
  std::vector<double> reported = {unaccounted_ ? 1.0 : 0.0};
  if (!team_.slowest(reported)) {
    end(SamplingEnd::cancelled);
    return false;
  }
  accounted = reported.front() == 0;
  return true;
}

bool Sampler::can_settle() const {
  return guards_.settle && traits_.clock != ClockKind::simulated && region_.can_settle();
}

bool Sampler::settle(double& seconds) {
  const double began_s = clock_.now_s();
  const RegionStatus ran = region_.settle();
  std::vector<double> took_s = {clock_.now_s() - began_s};
  if (ran != RegionStatus::ok) {
    end(ran == RegionStatus::cancelled ? SamplingEnd::cancelled : SamplingEnd::failed);
    return false;
  }
  if (!team_.slowest(took_s)) {
    end(SamplingEnd::cancelled);
    return false;
  }
  seconds = took_s.front();
  return true;
}

bool Sampler::keep(const Command& command, const Sample& sample, double began_s, std::size_t laps_before) {
  if (times_are_laps_) {
    const auto laps = std::span(series_.laps_s).subspan(laps_before);
    if (sample.lap_count != command.iterations) {
      series_.laps_s.resize(laps_before);
      end(SamplingEnd::error, "plugin.protocol",
          "the plugin says that it gives laps, but gave " + std::to_string(sample.lap_count) + " for " +
              std::to_string(command.iterations) + " iterations");
      return false;
    }
    if (!std::all_of(laps.begin(), laps.end(), is_duration)) {
      series_.laps_s.resize(laps_before);
      end(SamplingEnd::error, "plugin.bad-time", "the plugin gave a lap that is not finite and above 0 s");
      return false;
    }
    if (auto violation = guards_.laps ? check_laps(sample, laps, traits_.tick_s) : std::nullopt) {
      series_.laps_s.resize(laps_before);
      refuse(std::move(*violation));
      return false;
    }
  }
  if (series_.device_s.empty()) begins_by_plugin_ = sample.begin_ns != 0;
  const std::int64_t begin_ns = begins_by_plugin_ ? sample.begin_ns : std::llround(began_s * 1e9);
  if (series_.device_s.empty()) first_begin_ns_ = begin_ns;
  series_.begin_s.push_back(seconds_between(first_begin_ns_, begin_ns));
  series_.device_s.push_back(sample.device_s);
  series_.host_s.push_back(sample.host_s);
  done_differs_ = done_differs_ || (done_all_ != kNone && done_all_ != sample.done);
  done_all_ = done_all_ == kNone ? sample.done : done_all_ & sample.done;
  region_.kept();
  return true;
}

bool Sampler::check() {
  const RegionStatus ran = region_.check();
  if (ran == RegionStatus::ok) return true;
  end(ran == RegionStatus::cancelled ? SamplingEnd::cancelled : SamplingEnd::failed);
  return false;
}

}  // namespace assay::measure
