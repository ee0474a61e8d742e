// SPDX-License-Identifier: Apache-2.0
#include "measure/time_guards.hpp"

#include "text/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace assay::measure {
namespace {

std::string seconds_text(double value) { return fmt::format("{:.3g} s", value); }

}  // namespace

std::optional<GuardViolation> check_laps(const Sample& sample, std::span<const double> laps, double tick_s) {
  const double sum_s = std::accumulate(laps.begin(), laps.end(), 0.0);
  const double slack_s = kLapsTolerance * sample.device_s + static_cast<double>(laps.size()) * tick_s;
  if (std::abs(sum_s - sample.device_s) <= slack_s) return std::nullopt;
  return GuardViolation{"guard.laps-differ", "the laps of a sample add up to " + seconds_text(sum_s) +
                                                 ", and the plugin says that the sample took " +
                                                 seconds_text(sample.device_s) +
                                                 "; report it to the plugin's vendor"};
}

std::optional<GuardViolation> check_call_times(const Sample& sample, const CallTimes& call) {
  const auto outside = [&](std::int64_t moment_ns) {
    return moment_ns != 0 &&
           (moment_ns < call.before_ns - kSameMoment_ns || moment_ns > call.after_ns + kSameMoment_ns);
  };
  const auto violation = [](const std::string& what) {
    return GuardViolation{"guard.moments-impossible",
                          what +
                              "; begin_ns and end_ns are readings of now_ns() within "
                              "the call, or 0: report it to the plugin's vendor"};
  };
  if (sample.begin_ns != 0 && sample.end_ns != 0 && sample.end_ns < sample.begin_ns)
    return violation("the plugin says that a sample ended before it began");
  if (outside(sample.begin_ns)) return violation("the plugin says that a sample began outside of its call");
  if (outside(sample.end_ns)) return violation("the plugin says that a sample ended outside of its call");
  return std::nullopt;
}

std::optional<GuardViolation> check_host_time(const Sample& sample, double elapsed_s, double tick_s) {
  const double limit_s = elapsed_s * (1 + kLapsTolerance) + tick_s;
  if (sample.host_s <= limit_s) return std::nullopt;
  return GuardViolation{"guard.moments-impossible",
                        "the plugin says that a sample took " + seconds_text(sample.host_s) +
                            " of the host's time, but its call took " + seconds_text(elapsed_s) +
                            "; report it to the plugin's vendor"};
}

void WallShare::add(const Sample& sample, std::uint64_t iterations, double elapsed_s) {
  const double queued = static_cast<double>(iterations) * traits_.launches_per_iteration;
  const double held_s = sample.host_s + kQueueing_s * queued;
  ++samples_;
  accounted_ += held_s >= kLeastShare * elapsed_s ? 1 : 0;
  accounted_with_overhead_ += held_s + kCallOverhead_s >= kLeastShare * elapsed_s ? 1 : 0;
  region_s_ += sample.host_s;
  elapsed_s_ += elapsed_s;
}

std::optional<GuardViolation> WallShare::violation(bool with_overhead) const {
  const std::uint64_t accounted = with_overhead ? accounted_with_overhead_ : accounted_;
  if (samples_ == 0 || static_cast<double>(accounted) >= kSharing * static_cast<double>(samples_))
    return std::nullopt;
  return GuardViolation{
      "guard.time-missing",
      "the plugin says that its samples took " + seconds_text(region_s_) +
          ", and the calls that measured them took " + seconds_text(elapsed_s_) +
          "; where the rest is not work that counts, its traits have to say ASSAY_TRAIT_PARTS"};
}

bool waited(double settle_s, double calls_s) { return settle_s > kSettle_s + kSettleShare * calls_s; }

bool waited_after_visit(double settle_s, double samples_s) {
  return settle_s > kSettleOfVisit_s + kSettleShareOfVisit * samples_s;
}

GuardViolation work_left_behind(const char* function, double seconds_of_it, double samples_s) {
  return {"guard.work-left-behind", std::string("after samples of ") + seconds_text(samples_s) + ", " +
                                        function + " waited for " + seconds_text(seconds_of_it) +
                                        ": work was still under way when the samples had ended; the plugin "
                                        "does not wait for what it queues"};
}

bool waited_in_verify(double first_s, double other_s, double samples_s, double least_s) {
  return first_s > 2 * other_s + least_s + kLeftShare * samples_s;
}

std::optional<GuardViolation> check_new_inputs_time(double new_s, double again_s) {
  if (new_s <= kNewInputsFactor * again_s + kNewInputs_s) return std::nullopt;
  return GuardViolation{"guard.slow-when-new", "the work on new inputs took " + seconds_text(new_s) +
                                                   ", and once more on the same ones " +
                                                   seconds_text(again_s) +
                                                   ": results were kept, and not computed again"};
}

}  // namespace assay::measure
