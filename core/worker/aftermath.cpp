// SPDX-License-Identifier: Apache-2.0
#include "worker/aftermath.hpp"

#include "measure/guards.hpp"
#include "worker/control.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::worker {
namespace {

// Memory is given back more slowly than it is taken, at times.
constexpr double kReleaseFactor = 4;
constexpr double kReleaseShare = 0.1, kRelease_s = 1;

Ending invalid_ending(measure::Objection objection, const char* phase) {
  Ending ending;
  ending.outcome = result::Outcome::invalid;
  ending.reason.code = std::move(objection.code);
  ending.reason.text = std::move(objection.text);
  ending.reason.phase = phase;
  return ending;
}

bool is_held_to_time(const measure::Traits& traits, const measure::Settings& settings) {
  return settings.guards.leftovers && !settings.profile && traits.clock != measure::ClockKind::simulated;
}

}  // namespace

std::optional<Ending> Aftermath::timed_verify(double& seconds) {
  const std::int64_t begin_ns = monotonic_ns();
  auto ending = instance_.verify(instance_.idempotent() ? ASSAY_VERIFY_LAST : ASSAY_VERIFY_AFTER);
  seconds = measure::seconds_between(begin_ns, monotonic_ns());
  return ending;
}

std::optional<Ending> Aftermath::verify() {
  double first_s = 0;
  if (auto ending = timed_verify(first_s)) return ending;
  if (!is_held_to_time(traits_, settings_)) return std::nullopt;
  // What waited has nothing to wait for a second time; a machine that is busy still is. Verifying takes all
  // ranks, so that what one of them suspects all of them look at.
  const bool suspects = measure::waited_in_verify(first_s, spent_.verify_s, spent_.samples_s);
  std::vector<double> suspected = {suspects ? 1.0 : 0.0};
  if (!team_.slowest(suspected)) return interrupted_ending(instance_.cause(), "verify");
  if (suspected.front() == 0) return std::nullopt;
  double second_s = 0;
  if (auto ending = timed_verify(second_s)) return ending;
  if (!suspects || !measure::waited_in_verify(first_s, second_s, spent_.samples_s)) return std::nullopt;
  return invalid_ending(measure::work_left_behind("verify", first_s - second_s, spent_.samples_s), "verify");
}

std::optional<Ending> Aftermath::change_inputs(std::uint64_t seed, const result::Series& series) {
  if (!settings_.guards.new_inputs || settings_.profile || series.device_s.empty()) return std::nullopt;
  std::vector<double> slowest = {spent_.verify_s, spent_.samples_s};
  if (!team_.slowest(slowest)) return interrupted_ending(instance_.cause(), "verify");
  measure::Renewal renewal = measure::measure_new_inputs(
      instance_, team_, traits_, measure::draw_new_inputs(seed, slowest[0], slowest[1]), series.iterations);
  inputs_changed_ = renewal.offered;
  switch (renewal.fault.ending) {
    case measure::Ending::completed:
      return std::nullopt;
    case measure::Ending::invalid:
      return invalid_ending({renewal.fault.code, renewal.fault.text}, "sample");
    default:
      break;
  }
  if (auto ending = instance_.take_ending()) return ending;
  return interrupted_ending(instance_.cause(), "verify");
}

std::optional<Ending> waited_in_release(const measure::Traits& traits, const measure::Settings& settings,
                                        const Spent& spent, double release_s) {
  const double limit_s = kReleaseFactor * spent.prepare_s + kReleaseShare * spent.samples_s + kRelease_s;
  if (!is_held_to_time(traits, settings) || release_s <= limit_s) return std::nullopt;
  return invalid_ending(measure::work_left_behind("release", release_s, spent.samples_s), "release");
}

}  // namespace assay::worker
