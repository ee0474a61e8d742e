// SPDX-License-Identifier: Apache-2.0
#include "worker/post_sample_checks.hpp"

#include "measure/clock.hpp"
#include "measure/leftovers.hpp"

#include <utility>
#include <vector>

namespace assay::worker {
namespace {

VisitEnding invalid_ending(measure::GuardViolation violation, const char* phase) {
  VisitEnding ending;
  ending.outcome = result::Outcome::invalid;
  ending.reason.code = std::move(violation.code);
  ending.reason.text = std::move(violation.text);
  ending.reason.phase = phase;
  return ending;
}

}  // namespace

std::optional<VisitEnding> PostSampleChecks::ending_of(measure::Fault fault, const char* phase) {
  switch (fault.ending) {
    case measure::SamplingEnd::completed:
      return std::nullopt;
    case measure::SamplingEnd::invalid:
      return invalid_ending({std::move(fault.code), std::move(fault.text)}, phase);
    default:
      break;
  }
  if (auto ending = instance_.take_ending()) return ending;
  return interrupted_ending(instance_.cause(), "verify");
}

std::optional<VisitEnding> PostSampleChecks::verify(const result::Series& series) {
  measure::SteadyClock clock;
  return ending_of(measure::check_after_samples(instance_, team_, clock, traits_, settings_, spent_,
                                                {series.iterations, series.device_s.size()}),
                   "verify");
}

std::optional<VisitEnding> PostSampleChecks::change_inputs(std::uint64_t seed, const result::Series& series) {
  if (!settings_.guards.new_inputs || settings_.profile || series.device_s.empty()) return std::nullopt;
  std::vector<double> slowest = {spent_.verify_s, spent_.samples_s};
  if (!team_.slowest(slowest)) return interrupted_ending(instance_.cause(), "verify");
  recorder_.set_keeping_values(false);
  measure::Renewal renewal = measure::measure_new_inputs(
      instance_, team_, traits_, measure::draw_new_inputs(seed, slowest[0], slowest[1]), series.iterations,
      settings_.guards);
  recorder_.set_keeping_values(true);
  inputs_changed_ = renewal.offered;
  return ending_of(std::move(renewal.fault), "sample");
}

std::optional<VisitEnding> waited_in_release(const measure::Traits& traits,
                                             const measure::VisitSettings& settings,
                                             const measure::VisitDurations& spent, double release_s) {
  auto violation = measure::check_release_time(traits, settings, spent, release_s);
  if (!violation) return std::nullopt;
  return invalid_ending(std::move(*violation), "release");
}

}  // namespace assay::worker
