// SPDX-License-Identifier: Apache-2.0
//
// Checks of the times that a plugin reports against the host's own clock: pure functions, and one sum over a
// visit. docs/decisions/0018 says which false report each of them detects.
#pragma once

#include "measure/region.hpp"
#include "measure/visit_settings.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace assay::measure {

// Laps must add up to the sample's time within this share and one tick for each lap.
inline constexpr double kLapsTolerance = 0.01;

// Readings that differ by less are one moment: one of them was rounded to seconds in a double.
inline constexpr std::int64_t kSameMoment_ns = 1000;

// The timed region must take at least the share kLeastShare of the call that it is part of, in at least the
// share kSharing of a visit's samples: on a busy machine most calls take longer, but regions do not get shorter.
// A call may take kQueueing_s longer for each device operation that it queues before the region begins. Samples
// that were made longer, or are as long as they can be, may also take kCallOverhead_s.
inline constexpr double kLeastShare = 0.5;
inline constexpr double kSharing = 0.1;
inline constexpr double kCallOverhead_s = 200e-6;
inline constexpr double kQueueing_s = 20e-6;

// settle() must not have to wait. It may take this long and this share of the calls before it.
inline constexpr double kSettleShare = 0.25;
inline constexpr double kSettle_s = 100e-6;
inline constexpr double kSettleShareOfVisit = 0.05;
inline constexpr double kSettleOfVisit_s = 0.05;

// If the call after the samples seems to have waited for their work, the test is repeated kLooksAgain times, each
// time after more samples: kAgainShare of the visit's, but no longer than kLongestAgain_s. On a busy machine some
// of these calls are slow; if work was left behind, all are.
inline constexpr int kLooksAgain = 4;
inline constexpr double kAgainShare = 0.25;
inline constexpr double kLongestAgain_s = 2.5;

// By how much the first verify() after samples may take longer than another one. A few samples leave little behind: what exceeds
// kSuspect_s is looked at again, after more of them, and what exceeds kLeft_s counts. What exceeds kMuchLeft_s
// at first and kLooksAgain times more is enough.
inline constexpr double kLeftShare = 0.05;  // of the samples
inline constexpr double kSuspect_s = 2e-4;
inline constexpr double kLeft_s = 2e-3;
inline constexpr double kMuchLeft_s = 0.1;

// A quantum on new inputs may take this many times as long as the same quantum repeated, and this much longer.
inline constexpr double kNewInputsFactor = 10;
inline constexpr double kNewInputs_s = 1e-4;

struct GuardViolation {
  std::string code;  // a row of the reasons
  std::string text;
};

// The host's clock around one call, in nanoseconds.
struct CallTimes {
  std::int64_t before_ns = 0, after_ns = 0;
};

[[nodiscard]] std::optional<GuardViolation> check_laps(const Sample& sample, std::span<const double> laps,
                                                       double tick_s);
[[nodiscard]] std::optional<GuardViolation> check_call_times(const Sample& sample, const CallTimes& call);
[[nodiscard]] std::optional<GuardViolation> check_host_time(const Sample& sample, double elapsed_s,
                                                            double tick_s);

// Whether the timed regions of a visit account for the calls that they are part of.
class WallShare {
 public:
  explicit WallShare(const Traits& traits) : traits_(traits) {}
  void add(const Sample& sample, std::uint64_t iterations, double elapsed_s);
  [[nodiscard]] std::optional<GuardViolation> violation(bool with_overhead) const;

 private:
  Traits traits_;
  std::uint64_t samples_ = 0, accounted_ = 0, accounted_with_overhead_ = 0;
  double region_s_ = 0, elapsed_s_ = 0;
};

// Whether settle(), after calls that took `calls_s`, waited for work outside of all timed regions.
[[nodiscard]] bool waited(double settle_s, double calls_s);
[[nodiscard]] bool waited_after_visit(double settle_s, double samples_s);
[[nodiscard]] GuardViolation work_left_behind(const char* function, double seconds, double samples_s);

// Whether the first verify after samples took longer than the same one before, or right afterwards, by more than `least_s`.
[[nodiscard]] bool waited_in_verify(double first_s, double other_s, double samples_s, double least_s);

[[nodiscard]] std::optional<GuardViolation> check_new_inputs_time(double new_s, double again_s);

}  // namespace assay::measure
